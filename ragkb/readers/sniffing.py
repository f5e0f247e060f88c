"""What a file really is, from its content; its name only settles what content leaves open."""

import re
import struct
import zipfile
from io import BytesIO

from ragkb.readers.kinds import Kind
from ragkb.readers.source import Source

HEAD = 4096  # bytes looked at; enough for a saved page's comments before <html>
BLANK_WITHIN = 65_536  # white space before a header is skipped that far
PDF_WITHIN = 1024  # Acrobat finds a header that far into the file (ISO 32000, implementation notes)

MAGIC: tuple[tuple[bytes, Kind], ...] = (
    (b"\x89PNG\r\n\x1a\n", Kind.PNG),
    (b"\xff\xd8\xff", Kind.JPEG),
    (b"GIF87a", Kind.GIF),
    (b"GIF89a", Kind.GIF),
    (b"II*\0", Kind.TIFF),
    (b"MM\0*", Kind.TIFF),
    (b"\xdb\xa5\x2d\0", Kind.OLD_WORD),
    (b"\x9b\xa5", Kind.OLD_WORD),
    (b"\xffWPC", Kind.WORDPERFECT),
    (b"\x31\xbe\0\0", Kind.WRITE),
    (b"\x32\xbe\0\0", Kind.WRITE),
    (b"%!PS", Kind.POSTSCRIPT),
    (b"\xc5\xd0\xd3\xc6", Kind.POSTSCRIPT),
    (b"Rar!\x1a\x07", Kind.ARCHIVE),
    (b"7z\xbc\xaf\x27\x1c", Kind.ARCHIVE),
    (b"\x1f\x8b\x08", Kind.ARCHIVE),
    (b"\xfd7zXZ\0", Kind.ARCHIVE),
    (b"BZh91AY&SY", Kind.ARCHIVE),
    (b"\x28\xb5\x2f\xfd", Kind.ARCHIVE),
    (b"\x7fELF", Kind.PROGRAM),
    (b"\xcf\xfa\xed\xfe", Kind.PROGRAM),
    (b"\xca\xfe\xba\xbe", Kind.PROGRAM),
    (b"SQLite format 3\0", Kind.DATABASE),
    (b"ID3\x02\0", Kind.MEDIA),
    (b"ID3\x03\0", Kind.MEDIA),
    (b"ID3\x04\0", Kind.MEDIA),
    (b"OggS\0", Kind.MEDIA),
    (b"ITSF\x03\0", Kind.HELP),
    (b"\0\x01\0\0\0", Kind.FONT),
    (b"OTTO\0", Kind.FONT),
    (b"wOFF", Kind.FONT),
    (b"wOF2", Kind.FONT),
)

RIFF = {b"WEBP": Kind.WEBP, b"WAVE": Kind.MEDIA, b"AVI ": Kind.MEDIA}

OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

CONTENT_TYPES: tuple[tuple[bytes, Kind], ...] = (
    (rb"(?:wordprocessingml|ms-word)\.(?:document|template)[\w.]*main\+xml", Kind.DOCX),
    (rb"(?:spreadsheetml|ms-excel)\.(?:sheet|template|addin)[\w.]*main\+xml", Kind.XLSX),
    (
        rb"(?:presentationml|ms-powerpoint)\.(?:presentation|slideshow|template)[\w.]*main\+xml",
        Kind.PPTX,
    ),
)
FOLDERS = (("word/", Kind.DOCX), ("xl/", Kind.XLSX), ("ppt/", Kind.PPTX))

HTML_START = re.compile(r"<!doctype\s+html|<html[\s>]", re.IGNORECASE)
HTML_FRAGMENT = re.compile(
    r"<(?:head|body|meta|title|table|div|p|style|h[1-6]|center|font|span|br)[\s/>]", re.IGNORECASE
)
BEFORE_MARKUP = re.compile(
    r"(?:\s|<\?xml[^>]*\?>|<!--.*?-->|<!DOCTYPE(?!\s+html)[^>]*>)*", re.DOTALL
)
WORD_XML = re.compile(r"<\?mso-application\s+progid=\"Word\.Document\"|<w:wordDocument\b")
FLAT_PACKAGE = re.compile(r"<pkg:package\b")
MHTML_KIND = re.compile(
    r"^content-type:\s*(?:multipart/(?:related|alternative|mixed)|text/html)",
    re.IGNORECASE | re.MULTILINE,
)

NAMES_OF_TEXT = frozenset(
    {"txt", "text", "md", "markdown", "csv", "tsv", "log", "rst", "json", "tex"}
)
NAMES_OF_MARKUP = frozenset({"html", "htm", "xhtml", "shtml", "mht", "mhtml", "doc", "xls", "wps"})


def sniff(source: Source) -> Kind:
    """Tell the kind of a file that is not empty; TEXT stands for all else: decoding decides."""
    content = source.content
    if _is_pdf(source):
        return Kind.PDF
    if content.startswith((b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")):
        return _kind_of_zip(content)
    if content.startswith(OLE_MAGIC):
        return _kind_of_ole(source)
    return _kind_by_magic(content) or _kind_of_markup(source) or Kind.TEXT


def _is_pdf(source: Source) -> bool:
    head = source.content[:BLANK_WITHIN].lstrip(b"\xef\xbb\xbf\r\n\t \0")
    at = head[: PDF_WITHIN + 5].find(b"%PDF-")
    if at <= 0:
        return at == 0
    # Behind other bytes (an HTTP header, mostly): a text about PDF has no objects.
    return source.extension == "pdf" or b"endobj" in source.content


def _kind_by_magic(content: bytes) -> Kind | None:
    for magic, kind in MAGIC:
        if content.startswith(magic):
            return kind
    if content[:4] == b"RIFF":
        return RIFF.get(content[8:12])
    if content[4:8] == b"ftyp":
        return Kind.MEDIA
    # The two shortest magics could begin a text; their headers have more to check.
    if content[:2] == b"BM" and len(content) > 18 and content[6:10] == bytes(4):
        return Kind.BMP
    if content[:2] == b"MZ" and b"\0" in content[:HEAD]:
        return Kind.PROGRAM
    return None


def _kind_of_zip(content: bytes) -> Kind:
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            names = [name.replace("\\", "/").lower() for name in archive.namelist()]
            types = _first_bytes(archive, "[content_types].xml", 1_000_000)
            mimetype = _first_bytes(archive, "mimetype", 200)
    except (zipfile.BadZipFile, NotImplementedError, ValueError, struct.error):
        return _kind_of_damaged_zip(content)
    for pattern, kind in CONTENT_TYPES:
        if re.search(pattern, types, re.IGNORECASE):
            return kind
    for folder, kind in FOLDERS:
        if any(name.startswith(folder) for name in names):
            return kind
    if b"opendocument" in mimetype:
        return Kind.ODF
    return Kind.EPUB if b"epub" in mimetype else Kind.ZIP


def _first_bytes(archive: zipfile.ZipFile, lower_name: str, size: int) -> bytes:
    import zlib

    for entry in archive.infolist():
        if entry.filename.lower() == lower_name:
            try:
                with archive.open(entry) as part:
                    return part.read(size)
            except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError):
                return b""
    return b""


def _kind_of_damaged_zip(content: bytes) -> Kind:
    """Without a directory the names in the local headers must do."""
    for folder, kind in FOLDERS:
        if folder.encode() in content:
            return kind
    return Kind.ZIP


def _kind_of_ole(source: Source) -> Kind:
    from ragkb.readers.ole import OleDamaged, stream_names

    try:
        names = stream_names(source.content)
    except OleDamaged:
        # Whatever it was: the reader that the name asks for says that it is damaged.
        return {"xls": Kind.XLS, "ppt": Kind.PPT}.get(source.extension, Kind.DOC)
    if "worddocument" in names:
        return Kind.DOC
    if "encryptedpackage" in names:
        return Kind.ENCRYPTED_OFFICE
    if "workbook" in names or "book" in names:
        return Kind.XLS
    return Kind.PPT if "powerpoint document" in names else Kind.OLE


def _kind_of_markup(source: Source) -> Kind | None:
    head = head_as_text(source.content)
    start = head.lstrip("\ufeff \t\r\n\0")
    if start.startswith("{\\rtf"):
        return Kind.RTF
    if source.extension in NAMES_OF_TEXT:
        return None
    header = re.split(r"\r?\n\r?\n", start, maxsplit=1)[0]
    if re.search(r"^mime-version:", header, re.IGNORECASE | re.MULTILINE) and MHTML_KIND.search(
        header
    ):
        return Kind.MHTML
    if start.startswith("<"):
        return _kind_of_tags(start, source.extension)
    return None


def _kind_of_tags(start: str, extension: str) -> Kind | None:
    if WORD_XML.search(start) or FLAT_PACKAGE.search(start):
        return Kind.WORD_XML
    markup = start[BEFORE_MARKUP.match(start).end() :]  # type: ignore[union-attr]  # matches always
    if HTML_START.match(markup):
        return Kind.HTML
    if extension in NAMES_OF_MARKUP | {"pdf", "docx", "xlsx", "pptx"} and HTML_FRAGMENT.match(
        markup
    ):
        return Kind.HTML
    return None


def head_as_text(content: bytes) -> str:
    """The first bytes as text, to look for markup: it is ASCII in every encoding but UTF-16."""
    head = content[:HEAD]
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return head.decode("utf-16", "replace")
    if head[:4] in {b"<\0!\0", b"<\0h\0", b"<\0H\0", b"<\0?\0"}:
        return head.decode("utf-16-le", "replace")
    return head.decode("latin-1").removeprefix("\xef\xbb\xbf")
