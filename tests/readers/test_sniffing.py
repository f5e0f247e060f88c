import pytest
from making_docx import PACKAGE, docx, paragraph, zipped
from reading_bytes import read_bytes

from ragkb.errors import Mislabelled, PasswordProtected, UnsupportedType
from ragkb.readers.kinds import Kind
from ragkb.readers.sniffing import sniff
from ragkb.readers.source import Source

SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a", b"%PDF-1.7\n", Kind.PDF),
        ("a", b"\xef\xbb\xbf\r\n%PDF-1.4", Kind.PDF),
        ("a.pdf", b"junk" * 200 + b"%PDF-1.4", Kind.PDF),
        ("a.txt", b"a word about %PDF-1.4", Kind.TEXT),
        ("a", b"{\\rtf1\\ansi}", Kind.RTF),
        ("a.doc", b"\xef\xbb\xbf<!-- x --><!DOCTYPE html><html>", Kind.HTML),
        ("a.doc", b"<table><tr><td>x</td></tr></table>", Kind.HTML),
        ("a.md", b"<div align=center>x</div>", Kind.TEXT),
        ("a.html", "<html>".encode("utf-16"), Kind.HTML),
        ("a.doc", b"MIME-Version: 1.0\nContent-Type: multipart/related\n\n", Kind.MHTML),
        ("a.txt", b"MIME-Version: 1.0\nContent-Type: multipart/related\n\n", Kind.TEXT),
        ("a", b"\x89PNG\r\n\x1a\n", Kind.PNG),
        ("a", b"\xff\xd8\xff\xe0", Kind.JPEG),
        ("a", b"RIFF\0\0\0\0WEBP", Kind.WEBP),
        ("a.doc", b"\xdb\xa5\x2d\0\0\0", Kind.OLD_WORD),
        ("a", b"Rar!\x1a\x07\0", Kind.ARCHIVE),
        ("a", b"\0\0\0\x18ftypmp42", Kind.MEDIA),
        ("a", b"BMW is a car maker", Kind.TEXT),
        ("a", b"MZ is how this text begins", Kind.TEXT),
        ("a", "普通文字".encode(), Kind.TEXT),
    ],
)
def test_content_tells_the_kind(name: str, content: bytes, kind: Kind) -> None:
    assert sniff(Source(name, content)) is kind


def test_packages_are_told_apart_by_their_content_types() -> None:
    types = f'<Types xmlns="{PACKAGE}/content-types"><Override ContentType="{SHEET}"/></Types>'
    workbook = zipped({"[Content_Types].xml": types, "xl/workbook.xml": "<workbook/>"})
    assert sniff(Source("a.docx", workbook)) is Kind.XLSX
    assert sniff(Source("a", docx(paragraph("x")))) is Kind.DOCX
    assert sniff(Source("a", zipped({"ppt/presentation.xml": ""}))) is Kind.PPTX
    odt = zipped({"mimetype": "application/vnd.oasis.opendocument.text"})
    assert sniff(Source("a", odt)) is Kind.ODF
    assert sniff(Source("a", zipped({"mimetype": "application/epub+zip"}))) is Kind.EPUB
    assert sniff(Source("a", zipped({"photo.jpg": "x"}))) is Kind.ZIP


def test_a_package_without_its_directory_is_known_by_the_names_in_it() -> None:
    content = docx(paragraph("x"))
    assert sniff(Source("a", content[: len(content) // 2])) is Kind.DOCX


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        ("a.docx", b"<html><body>x</body></html>", "HTML"),
        ("a.docx", b"{\\rtf1 x}", "RTF"),
        ("a.xlsx", b"name,number\n", "TXT"),
        ("a.pdf", b"\x89PNG\r\n\x1a\n", "PNG"),
        ("a.DOCX", b"%PDF-1.7\n", "PDF"),
    ],
)
def test_a_name_that_promises_another_family_is_refused(
    name: str, content: bytes, found: str
) -> None:
    with pytest.raises(Mislabelled) as refused:
        read_bytes(name, content)
    assert refused.value.found == found


def test_images_and_archives_are_of_no_supported_type() -> None:
    with pytest.raises(UnsupportedType, match="PNG"):
        read_bytes("a.png", b"\x89PNG\r\n\x1a\n" + bytes(50))
    with pytest.raises(UnsupportedType, match="ZIP"):
        read_bytes("a.zip", zipped({"photo.jpg": "x"}))


def test_an_encrypted_office_file_asks_for_its_password() -> None:
    with pytest.raises(PasswordProtected):
        read_bytes("a.docx", ole({"EncryptedPackage": b"x" * 5000}))


def ole(streams: dict[str, bytes]) -> bytes:
    """A compound file of one sector each for FAT and directory, and streams above 4096 bytes."""
    sector = 512
    entries = [_entry("Root Entry", 5, child=1 if streams else -1, start=-2, size=0)]
    fat = [-3, -2]  # the FAT itself, the directory
    body = b""
    for number, (name, content) in enumerate(streams.items(), start=1):
        sectors = -(-len(content) // sector)
        first = len(fat)
        entries.append(_entry(name, 2, child=-1, start=first, size=len(content)))
        fat += [*range(first + 1, first + sectors), -2]
        body += content.ljust(sectors * sector, b"\0")
        assert number < 4
    header = (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
        + b"\x3e\0\x03\0\xfe\xff\x09\0\x06\0" + bytes(10)
        + (1).to_bytes(4, "little") + (1).to_bytes(4, "little") + bytes(4)
        + (4096).to_bytes(4, "little") + _signed(-2) + bytes(4) + _signed(-2) + bytes(4)
        + bytes(4) + _signed(-1) * 108
    )  # fmt: skip
    table = b"".join(map(_signed, fat)).ljust(sector, b"\xff")
    return header + table + b"".join(entries).ljust(sector, b"\0") + body


def _signed(number: int) -> bytes:
    return number.to_bytes(4, "little", signed=True)


def _entry(name: str, kind: int, *, child: int, start: int, size: int) -> bytes:
    raw = name.encode("utf-16-le") + b"\0\0"
    head = raw.ljust(64, b"\0") + len(raw).to_bytes(2, "little") + bytes((kind, 1))
    links = _signed(-1) + _signed(-1) + _signed(child)
    return head + links + bytes(36) + _signed(start) + size.to_bytes(8, "little")
