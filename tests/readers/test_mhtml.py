import base64

from reading_bytes import heading_texts, read_bytes

PAGE = "<html><body><h1>会议纪要</h1><p>主持：信息中心</p></body></html>"


def archive(*parts: str) -> bytes:
    shown = "".join(f"--b\r\n{part}\r\n" for part in parts)
    head = 'MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="b"\r\n\r\n'
    return f"{head}{shown}--b--\r\n".encode()


def test_the_page_inside_is_read() -> None:
    encoded = base64.encodebytes(PAGE.encode("gbk")).decode()
    head = "Content-Type: text/html; charset=gb2312\r\nContent-Transfer-Encoding: base64"
    page = f"{head}\r\n\r\n{encoded}"
    picture = "Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\niVBORw0KGgo="
    found = read_bytes("a.doc", archive(page, picture))
    assert found.text == "会议纪要\n主持：信息中心\n"
    assert found.file_type == "mhtml"
    assert heading_texts(found) == [(1, "会议纪要")]


def test_plain_text_is_read_where_there_is_no_page() -> None:
    part = (
        "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n只有文字"
    )
    assert read_bytes("a.mht", archive(part)).text == "只有文字\n"
