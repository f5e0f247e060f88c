import pytest
from reading_bytes import heading_texts, read_bytes

from ragkb.errors import NoText

PAGE = """<html><head><meta http-equiv="Content-Type" content="text/html; charset=gb2312">
<title>周报</title><style>td {color:red}</style></head><body>
<script>var hidden = "脚本";</script><h2>第一节</h2>
<p>正文 <b>粗体</b>，
 续行。<br>换行</p><ul><li>甲<li>乙<li></ul><ol><li>丙<li><p>丁</p></ol>
<table><tr><th>编号</th><th>名称</th></tr><tr><td>A-1</td><td>打印机<table><tr><td>x</td><td>y</td></tr>
</table></td></tr></table>
<table><tr><td><h3>框中标题</h3><p>框中段落</p></td></tr></table>
<div style="display:none">看不见</div><pre>a
  b</pre></body></html>"""


def test_a_page_gives_what_it_shows() -> None:
    found = read_bytes("a.doc", PAGE.encode("gb2312"))
    assert found.text.splitlines() == [
        "第一节", "正文 粗体， 续行。", "换行", "• 甲", "• 乙", "1. 丙", "2. 丁",
        "编号 | 名称", "A-1 | 打印机 x | y",
        "框中标题", "框中段落", "a", "b",
    ]  # fmt: skip
    assert heading_texts(found) == [(2, "第一节"), (3, "框中标题")]
    assert (found.file_type, found.title, found.encoding) == ("html", "周报", "gb18030")


def test_a_wrong_or_missing_declaration_does_not_spoil_the_text() -> None:
    utf8 = PAGE.encode()
    assert "打印机" in read_bytes("a.html", utf8).text
    assert "打印机" in read_bytes("a.html", PAGE.replace("gb2312", "nonsense").encode("gbk")).text
    assert "打印机" in read_bytes("a.html", PAGE.encode("utf-16")).text


def test_entities_are_characters() -> None:
    assert (
        read_bytes("a.html", b"<html><p>&lt;5 &amp; &#x20BB7;&nbsp;x</p>").text == "<5 & 𠮷\xa0x\n"
    )


def test_a_page_without_text_says_so() -> None:
    with pytest.raises(NoText):
        read_bytes("a.html", b"<html><body><script>x()</script></body></html>")


def test_deep_nesting_is_survived() -> None:
    deep = b"<html><body>" + b"<div>" * 5000 + b"text" + b"</div>" * 5000 + b"</body></html>"
    with pytest.raises(NoText):  # the parser gives up beyond 256 levels
        read_bytes("a.html", deep)
