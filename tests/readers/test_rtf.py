"""The fixture minutes.rtf was made by LibreOffice from what `fixtures/make_minutes.py` writes."""

from pathlib import Path

import pytest
from reading_bytes import heading_texts, read_bytes

from ragkb.errors import NoText

FIXTURES = Path(__file__).parent / "fixtures"


def rtf(body: str, head: str = "") -> str:
    content = "{\\rtf1\\ansi\\ansicpg936" + head + body + "}"
    return read_bytes("a.rtf", content.encode("ascii")).text


def escaped(text: str, encoding: str) -> str:
    return "".join(f"\\'{byte:02x}" for byte in text.encode(encoding))


def test_an_rtf_gives_the_same_text_as_the_doc_of_the_same_source() -> None:
    rich = read_bytes("minutes.rtf", (FIXTURES / "minutes.rtf").read_bytes())
    word = read_bytes("minutes.doc", (FIXTURES / "minutes.doc").read_bytes())
    assert rich.text == word.text
    assert heading_texts(rich) == heading_texts(word)
    assert rich.file_type == "rtf"


def test_escapes_follow_the_code_page_and_the_fonts() -> None:
    fonts = "{\\fonttbl{\\f0\\fcharset134 SimSun;}{\\f1\\fcharset136 Ming;}{\\f2\\fcharset204 A;}}"
    body = (
        f"{escaped('采购', 'gbk')}\\par\\f1 {escaped('採購', 'big5')}\\par"
        f"\\f2 {escaped('Привет', 'cp1251')}\\par"
    )
    assert rtf(body, fonts) == "采购\n採購\nПривет\n"


def test_unicode_escapes_replace_what_follows_them() -> None:
    assert rtf("\\u37319?\\u-28987?x\\uc0\\u36141 y\\uc1\\u-10174?\\u-8265?") == "采軅x购y𠮷\n"


def test_utf8_in_an_rtf_is_read_though_it_should_not_be_there() -> None:
    assert read_bytes("a.rtf", "{\\rtf1\\ansi 直接写入\\par}".encode()).text == "直接写入\n"


def test_rows_deletions_fields_and_pictures() -> None:
    row = "\\trowd\\intbl A\\cell\\intbl B\\cell\\row\\pard "
    field = '{\\field{\\*\\fldinst HYPERLINK "http://x"}{\\fldrslt link}}'
    picture = "{\\pict\\pngblip 89504e47}"
    body = f"{row}kept {{\\deleted gone}}{field}{picture}\\par{{\\*\\unknown secret}}end\\par"
    assert rtf(body) == "A | B\nkept link\nend\n"


def test_raw_bytes_of_embedded_data_are_skipped() -> None:
    content = b"{\\rtf1 before{\\pict\\bin5 }}}}}}after\\par}"
    assert read_bytes("a.rtf", content).text == "beforeafter\n"


def test_headers_come_last_and_once() -> None:
    assert rtf("{\\header top\\par}{\\headerf top\\par}body\\par{\\footer foot\\par}") == (
        "body\ntop\nfoot\n"
    )


def test_unbalanced_braces_do_no_harm() -> None:
    assert rtf("}}}text\\par{{{") == "text\n"


def test_an_rtf_without_text_says_so() -> None:
    with pytest.raises(NoText):
        rtf("\\par\\par")
