"""The kinds of files that content tells apart, and how a user calls them."""

from enum import Enum


class Kind(Enum):
    """What a file really is. The value is its name in messages, short enough for both languages."""

    TEXT = "TXT"
    PDF = "PDF"
    DOCX = "DOCX (Word)"
    DOC = "DOC (Word 97-2003)"
    WORD_XML = "XML (Word)"
    RTF = "RTF"
    HTML = "HTML"
    MHTML = "MHTML"
    XLSX = "XLSX (Excel)"
    PPTX = "PPTX (PowerPoint)"
    XLS = "XLS (Excel 97-2003)"
    PPT = "PPT (PowerPoint 97-2003)"
    ENCRYPTED_OFFICE = "Office, encrypted"
    OLE = "OLE2"
    ODF = "OpenDocument"
    EPUB = "EPUB"
    ZIP = "ZIP"
    PNG = "PNG"
    JPEG = "JPEG"
    GIF = "GIF"
    BMP = "BMP"
    TIFF = "TIFF"
    WEBP = "WebP"
    OLD_WORD = "Word 1/2 (1989-1993)"
    WORDPERFECT = "WordPerfect"
    WRITE = "Windows Write"
    POSTSCRIPT = "PostScript"
    ARCHIVE = "RAR, 7z, gzip, xz, bzip2 or zstd"
    PROGRAM = "EXE"
    DATABASE = "SQLite"
    MEDIA = "MP3, MP4, OGG, WAV or AVI"
    HELP = "CHM"
    FONT = "TTF, OTF or WOFF"
    UNKNOWN = ""


WORD = frozenset({Kind.DOCX, Kind.DOC, Kind.WORD_XML, Kind.ENCRYPTED_OFFICE})

PICTURES = frozenset({Kind.PNG, Kind.JPEG, Kind.TIFF, Kind.BMP, Kind.WEBP})

# The names whose owner expects exactly this: another family under them is a mistake to report.
# A .docx that is a .doc or a template is still Word.
FAMILIES: dict[str, frozenset[Kind]] = {
    "pdf": frozenset({Kind.PDF}),
    "docx": WORD,
    "docm": WORD,
    "xlsx": frozenset({Kind.XLSX, Kind.XLS, Kind.ENCRYPTED_OFFICE}),
    "pptx": frozenset({Kind.PPTX, Kind.PPT, Kind.ENCRYPTED_OFFICE}),
}

SUPPORTED_TYPES = "TXT, Markdown, CSV, HTML, RTF, DOCX, DOC, PDF, XLSX, PPTX"
