import pytest
from making_pdf import (
    bomb_pdf,
    chinese_pdf,
    cjk_pdf,
    encrypted,
    form_pdf,
    latin_pdf,
    paged,
    pdf,
    scanned_pdf,
    shown_lines,
)
from reading_bytes import heading_texts, read_bytes

from ragkb.errors import (
    DamagedFile,
    GarbledText,
    Mislabelled,
    NoText,
    PasswordProtected,
    ReadingTooLarge,
)

SIMPLIFIED = (
    "知识库管理系统支持混合检索。",
    "第一章 总则：向量与关键词。",
    "English words 123 测试",
)
TRADITIONAL = (
    "知識庫管理系統支援混合檢索。",
    "第一章 總則：向量與關鍵詞。",
    "English words 123 測試",
)
JAPANESE = ("知識ベース検索システム。", "第一章 総則")
KOREAN = ("지식 기반 검색", "제1장")
CMAPS = {
    "GBK-EUC-H": ("gbk", "GB1", "STSong-Light", SIMPLIFIED),
    "GB-EUC-H": ("gb2312", "GB1", "STSong-Light", SIMPLIFIED),
    "GBKp-EUC-H": ("gbk", "GB1", "STSong-Light", SIMPLIFIED),
    "GBK2K-H": ("gb18030", "GB1", "STSong-Light", SIMPLIFIED),
    "UniGB-UCS2-H": ("utf-16-be", "GB1", "STSong-Light", SIMPLIFIED),
    "UniGB-UTF16-H": ("utf-16-be", "GB1", "STSong-Light", SIMPLIFIED),
    "GBpc-EUC-H": ("gb2312", "GB1", "STSong-Light", SIMPLIFIED),
    "B5pc-H": ("big5", "CNS1", "MSung-Light", TRADITIONAL),
    "ETen-B5-H": ("big5", "CNS1", "MSung-Light", TRADITIONAL),
    "UniCNS-UTF16-H": ("utf-16-be", "CNS1", "MSung-Light", TRADITIONAL),
    "UniCNS-UCS2-H": ("utf-16-be", "CNS1", "MSung-Light", TRADITIONAL),
    "HKscs-B5-H": ("big5hkscs", "CNS1", "MSung-Light", TRADITIONAL),
    "90ms-RKSJ-H": ("cp932", "Japan1", "HeiseiMin-W3", JAPANESE),
    "UniJIS-UTF16-H": ("utf-16-be", "Japan1", "HeiseiMin-W3", JAPANESE),
    "KSCms-UHC-H": ("cp949", "Korea1", "HYSMyeongJo-Medium", KOREAN),
    "GBK-EUC-V": ("gbk", "GB1", "STSong-Light", SIMPLIFIED),
    "UniGB-UCS2-V": ("utf-16-be", "GB1", "STSong-Light", SIMPLIFIED),
}


@pytest.mark.parametrize("cmap", CMAPS)
def test_a_font_that_names_only_its_cmap_is_read(cmap: str) -> None:
    codec, ordering, base, lines = CMAPS[cmap]
    found = read_bytes("a.pdf", cjk_pdf([lines], cmap, codec, ordering, base))
    assert found.text.splitlines() == list(lines)


def test_pages_begin_where_their_offsets_say() -> None:
    found = read_bytes("a.pdf", latin_pdf(["First page."], ["Second page."], ["Third page."]))
    ends = (*found.pages[1:], len(found.text))
    shown = [found.text[start:end] for start, end in zip(found.pages, ends, strict=True)]
    assert shown == ["First page.\n", "Second page.\n", "Third page.\n"]


def test_a_chinese_sentence_over_three_lines_and_two_pages_is_not_broken() -> None:
    first = (
        "本系统采用混合检索策略，将关键词检索得分与向",
        "量相似度得分按照三比七的权重进行加权合并，并在",
    )
    found = read_bytes("a.pdf", chinese_pdf(first, ("去重之后重新排序。",)))
    assert found.text == "".join(first) + "去重之后重新排序。\n"
    assert found.text[found.pages[1] :] == "去重之后重新排序。\n"


def test_characters_beyond_the_bmp_survive() -> None:
    assert read_bytes("a.pdf", chinese_pdf(("生僻字𠮷在此",))).text == "生僻字𠮷在此\n"


def test_form_fields_and_annotations_are_text() -> None:
    text = read_bytes("a.pdf", form_pdf("Zhang San", "margin note")).text
    assert "Applicant:" in text
    assert "Zhang San" in text
    assert "margin note" in text


def test_a_scan_has_no_text_though_a_page_number_stands_on_it() -> None:
    for texts in ([""], ["1"], ["", "2"]):
        with pytest.raises(NoText) as refused:
            read_bytes("a.pdf", scanned_pdf(texts))
        assert refused.value.pages == len(texts)


def test_scanned_pages_among_others_are_reported() -> None:
    found = read_bytes("a.pdf", scanned_pdf(["", "A line of real text over the image.", ""]))
    assert found.text == "A line of real text over the image.\n"
    assert found.pages_without_text == (1, 3)
    assert found.pages == (0, 0, 36)


def test_entries_of_the_outline_that_stand_on_their_page_are_headings() -> None:
    outline = (
        b"<</Type/Outlines/First 5 0 R/Last 6 0 R/Count 2>>",
        b"<</Title(Chapter  ONE)/Parent 4 0 R/Next 6 0 R/Dest[8 0 R/Fit]/First 7 0 R/Last 7 0 R>>",
        b"<</Title(Not there)/Parent 4 0 R/Prev 5 0 R/Dest[10 0 R/Fit]>>",
        b"<</Title(1.1 Scope)/Parent 5 0 R/Dest[10 0 R/Fit]>>",
    )
    pages = [shown_lines(["Chapter One", "Body."]), shown_lines(["Chapter One", "1.1 Scope"])]
    content = paged(pages, extra=outline, catalogue=b"/Outlines 4 0 R")
    found = read_bytes("a.pdf", content)
    assert heading_texts(found) == [(1, "Chapter One"), (2, "1.1 Scope")]
    assert found.headings[0].start == 0


def test_a_blank_page_is_no_scan() -> None:
    found = read_bytes("a.pdf", latin_pdf(["Some text."], []))
    assert found.pages_without_text == ()


def test_a_font_without_a_map_is_not_stored_as_if_it_were_text() -> None:
    # Bytes of GBK in a font that claims Latin: what pdfium gives is accents in a row.
    garbled = shown_lines(["知识库管理系统支持检索".encode("gbk").decode("latin-1")])
    with pytest.raises(GarbledText):
        read_bytes("a.pdf", paged([garbled]))
    found = read_bytes("a.pdf", paged([garbled, shown_lines(["A readable page."])]))
    assert found.text == "A readable page.\n"
    assert found.pages_garbled == (1,)


def test_a_password_is_asked_for_only_where_one_is_needed() -> None:
    content = latin_pdf(["Secret words."])
    for algorithm in ("RC4-40", "RC4-128", "AES-128", "AES-256"):
        opened = read_bytes("a.pdf", encrypted(content, "", algorithm))
        assert opened.text == "Secret words.\n"
    with pytest.raises(PasswordProtected):
        read_bytes("a.pdf", encrypted(content, "口令"))


def test_bytes_before_the_header_do_not_matter() -> None:
    content = b"HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n" + latin_pdf(["Body."])
    assert read_bytes("a.pdf", content).text == "Body.\n"


def test_a_file_cut_off_is_damaged() -> None:
    content = chinese_pdf(*[("第一行",)] * 20)
    for share in (0.1, 0.6):
        with pytest.raises(DamagedFile, match="PDF"):
            read_bytes("a.pdf", content[: int(len(content) * share)])


def test_a_file_without_pages_or_with_a_circle_of_pages_is_damaged() -> None:
    nothing = pdf([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[]/Count 0>>"])
    circle = pdf([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[2 0 R]/Count 2>>"])
    for content in (nothing, circle):
        with pytest.raises(DamagedFile):
            read_bytes("a.pdf", content)


def test_a_failure_after_a_password_is_not_taken_for_one_more_password() -> None:
    nothing = pdf([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[]/Count 0>>"])
    with pytest.raises(PasswordProtected):
        read_bytes("a.pdf", encrypted(latin_pdf(["x"]), "pw"))
    with pytest.raises(DamagedFile):
        read_bytes("a.pdf", nothing)


def test_what_is_named_pdf_but_is_something_else_is_refused_by_name() -> None:
    with pytest.raises(Mislabelled, match="HTML"):
        read_bytes("a.pdf", b"<html><body>404 Not Found</body></html>")
    with pytest.raises(Mislabelled, match="TXT"):
        read_bytes("a.PDF", "这是普通文字。".encode())
    with pytest.raises(DamagedFile, match="PDF"):
        read_bytes("a.pdf", bytes(range(256)) * 20)


def test_a_pdf_of_another_name_is_read() -> None:
    assert read_bytes("a.txt", latin_pdf(["Body."])).file_type == "pdf"


def test_a_text_about_pdf_is_a_text() -> None:
    text = "The header of such a file is %PDF-1.7; nothing else is needed.\n"
    assert read_bytes("a.txt", text.encode()).text == text


def test_the_text_of_one_file_is_bounded() -> None:
    with pytest.raises(ReadingTooLarge):
        read_bytes("a.pdf", bomb_pdf(100_000), text_chars=1000)
