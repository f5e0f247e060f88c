import pytest
from making_docx import docx, paragraph
from making_pdf import paged, shown_lines
from reading_bytes import read_bytes

from ragkb.readers.symbols import symbol, without_private


def test_bullets_and_arrows_are_shown_whatever_their_font() -> None:
    assert without_private("\uf0b7 one \uf0e0 two \uf0fc") == "• one → two ✓"


def test_a_private_character_that_nobody_knows_is_dropped() -> None:
    assert without_private("a\ue123b\U000f0001c\U00100001d") == "abcd"


@pytest.mark.parametrize(
    ("font", "code", "shown"),
    [
        ("Symbol", 0xF061, "α"),
        ("ABCDEF+SymbolMT", 0xF0B7, "•"),
        ("Wingdings-Regular", 0xF0FC, "✓"),
        ("Wingdings 2", 0xF052, "☑"),
        ("AAAAAA+Wingdings2", 0xF052, "☑"),
    ],
)
def test_a_font_decides_what_a_code_shows(font: str, code: int, shown: str) -> None:
    assert symbol(font, code) == shown


def to_unicode(code: bytes) -> bytes:
    mapped = b"1 begincodespacerange <00> <FF> endcodespacerange\n1 beginbfchar <2A> <%s> endbfchar"
    return b"<</Length 200>>stream\n%s\nendstream" % (mapped % code)


@pytest.mark.parametrize(
    ("name", "code", "shown"),
    [
        (b"ABCDEF+Wingdings-Regular", b"F0D8", "➢"),
        (b"ABCDEF+SymbolMT", b"F0AE", "→"),
        (b"Helvetica", b"F0B7", "•"),
        (b"ABCDEF+FontAwesome", b"F095", ""),
    ],
)
def test_a_bullet_in_a_pdf_is_what_its_font_shows(name: bytes, code: bytes, shown: str) -> None:
    font = (
        b"<</Type/Font/Subtype/Type1/BaseFont/%s/Encoding/WinAnsiEncoding/ToUnicode 4 0 R>>" % name
    )
    lines = ["* First item of the list", "* Second item of the list"]
    content = paged([shown_lines(lines)], font, extra=[to_unicode(code)])
    expected = [line.replace("*", shown).strip() for line in lines]
    found = read_bytes("a.pdf", content).text
    assert [line.strip() for line in found.splitlines()] == expected


def test_a_bullet_in_a_paragraph_is_a_bullet() -> None:
    found = read_bytes("a.docx", docx(paragraph("\uf0b7 eins \ue005")))
    assert found.text == "• eins\n"


def test_a_plain_text_keeps_what_it_holds() -> None:
    assert read_bytes("a.txt", "\ue7c7 造字\n".encode()).text == "\ue7c7 造字\n"
