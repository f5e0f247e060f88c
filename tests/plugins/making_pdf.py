"""PDF files for tests, written object by object."""

import zlib
from collections.abc import Sequence
from io import BytesIO
from typing import Any

LATIN_FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"
PAGE_SIZE = b"/MediaBox[0 0 595 842]"


def pdf(objects: Sequence[bytes], trailer: bytes = b"") -> bytes:
    """A file of those objects, numbered from 1; the first is the catalogue."""
    out = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    offsets: list[int] = []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n" % number + content + b"\nendobj\n"
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    out += b"trailer <</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n" % (size, trailer, start)
    return bytes(out)


def stream(content: bytes, dictionary: bytes = b"", *, deflate: bool = False) -> bytes:
    """A stream object."""
    if deflate:
        content, dictionary = zlib.compress(content), dictionary + b"/Filter/FlateDecode"
    return b"<<%s/Length %d>>stream\n%s\nendstream" % (dictionary, len(content), content)


def shown_lines(lines: Sequence[str], size: int = 12) -> bytes:
    """A content stream that shows Latin lines one below the other."""
    shown = b"".join(b"(%s) Tj T*\n" % _escaped(line) for line in lines)
    return b"BT /F1 %d Tf 50 780 Td %d TL\n%sET" % (size, size + 6, shown)


def _escaped(line: str) -> bytes:
    raw = line.encode("cp1252")
    return raw.replace(b"\\", rb"\\").replace(b"(", rb"\(").replace(b")", rb"\)")


def paged(
    contents: Sequence[bytes],
    font: bytes = LATIN_FONT,
    extra: Sequence[bytes] = (),
    catalogue: bytes = b"",
) -> bytes:
    """A file with one page for each content stream; `extra` objects begin at number 4."""
    first = 4 + len(extra)
    pages: list[bytes] = []
    for index, content in enumerate(contents):
        resources = b"/Resources<</Font<</F1 3 0 R>>>>/Contents %d 0 R" % (first + index * 2 + 1)
        pages.append(b"<</Type/Page/Parent 2 0 R%s%s>>" % (PAGE_SIZE, resources))
        pages.append(stream(content))
    kids = b" ".join(b"%d 0 R" % (first + index * 2) for index in range(len(contents)))
    tree = b"<</Type/Pages/Kids[%s]/Count %d>>" % (kids, len(contents))
    return pdf([b"<</Type/Catalog/Pages 2 0 R%s>>" % catalogue, tree, font, *extra, *pages])


def latin_pdf(*pages: Sequence[str]) -> bytes:
    """A file whose pages show those Latin lines."""
    return paged([shown_lines(lines) for lines in pages])


def cjk_pdf(
    pages: Sequence[Sequence[str]], cmap: str, codec: str, ordering: str, base: str
) -> bytes:
    """Pages in a font that is neither embedded nor mapped to Unicode but names a CMap."""
    named = f"/BaseFont/{base}/Encoding/{cmap}".encode()
    font = b"<</Type/Font/Subtype/Type0%s/DescendantFonts[4 0 R]>>" % named
    descendant = (
        f"<</Type/Font/Subtype/CIDFontType0/BaseFont/{base}/CIDSystemInfo<</Registry(Adobe)"
        f"/Ordering({ordering})/Supplement 2>>/FontDescriptor 5 0 R/DW 1000>>".encode()
    )
    descriptor = (
        f"<</Type/FontDescriptor/FontName/{base}/Flags 6/FontBBox[-25 -254 1000 880]/ItalicAngle 0"
        "/Ascent 880/Descent -120/CapHeight 880/StemV 93>>".encode()
    )
    step = b"-30 0 Td\n" if cmap.endswith("V") else b"T*\n"
    start = b"500 780" if cmap.endswith("V") else b"50 780"
    contents = [
        b"BT /F1 14 Tf %s Td 20 TL\n" % start
        + b"".join(b"<%s> Tj %s" % (line.encode(codec).hex().encode(), step) for line in lines)
        + b"ET"
        for lines in pages
    ]
    return paged(contents, font, [descendant, descriptor])


def chinese_pdf(*pages: Sequence[str]) -> bytes:
    """Pages with those Chinese lines."""
    return cjk_pdf(pages, "UniGB-UTF16-H", "utf-16-be", "GB1", "STSong-Light")


def scanned_pdf(texts: Sequence[str]) -> bytes:
    """Pages that are covered by an image each, with a Latin line of text on top (or none)."""
    image = stream(
        b"\x80" * 64,
        b"/Type/XObject/Subtype/Image/Width 8/Height 8/ColorSpace/DeviceGray/BitsPerComponent 8",
    )
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"", LATIN_FONT, image]
    kids: list[bytes] = []
    for text in texts:
        number = len(objects) + 1
        kids.append(b"%d 0 R" % number)
        resources = b"/Resources<</Font<</F1 3 0 R>>/XObject<</I 4 0 R>>>>"
        objects.append(
            b"<</Type/Page/Parent 2 0 R%s%s/Contents %d 0 R>>" % (PAGE_SIZE, resources, number + 1)
        )
        shown = shown_lines([text]) if text else b""
        objects.append(stream(b"q 595 0 0 842 0 0 cm /I Do Q " + shown))
    objects[1] = b"<</Type/Pages/Kids[%s]/Count %d>>" % (b" ".join(kids), len(kids))
    return pdf(objects)


def form_pdf(value: str, note: str) -> bytes:
    """A page with a label, a filled text field without appearance, and a FreeText annotation."""
    appearance = stream(
        b"BT /F1 12 Tf 2 4 Td (%s) Tj ET" % _escaped(note),
        b"/Type/XObject/Subtype/Form/BBox[0 0 200 20]/Resources<</Font<</F1 3 0 R>>>>",
    )
    return pdf(
        [
            (
                b"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[6 0 R]/DR<</Font<</F1 3 0 R>>>>"
                b"/DA(/F1 12 Tf 0 g)/NeedAppearances true>>>>"
            ),
            b"<</Type/Pages/Kids[4 0 R]/Count 1>>",
            LATIN_FONT,
            b"<</Type/Page/Parent 2 0 R%s/Resources<</Font<</F1 3 0 R>>>>/Contents 5 0 R"
            b"/Annots[6 0 R 7 0 R]>>" % PAGE_SIZE,
            stream(shown_lines(["Applicant:"])),
            b"<</Type/Annot/Subtype/Widget/FT/Tx/T(name)/V(%s)/DA(/F1 12 Tf 0 g)"
            b"/Rect[150 770 350 790]/F 4/P 4 0 R>>" % _escaped(value),
            b"<</Type/Annot/Subtype/FreeText/Contents(%s)/DA(/F1 12 Tf)/Rect[50 600 250 620]/F 4"
            b"/AP<</N 8 0 R>>>>" % _escaped(note),
            appearance,
        ]
    )


def bomb_pdf(size: int) -> bytes:
    """A page whose content unfolds to `size` bytes."""
    shown = b"(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa) Tj\n"
    content = b"BT /F1 12 Tf\n" + shown * (size // len(shown)) + b"ET"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[4 0 R]/Count 1>>",
        LATIN_FONT,
        b"<</Type/Page/Parent 2 0 R%s/Resources<</Font<</F1 3 0 R>>>>/Contents 5 0 R>>" % PAGE_SIZE,
        stream(content, deflate=True),
    ]
    return pdf(objects)


def encrypted(content: bytes, user_password: str, algorithm: str = "AES-256") -> bytes:
    """The same file, encrypted."""
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(BytesIO(content)))
    writer.encrypt(user_password=user_password, owner_password="owner", algorithm=algorithm)
    target = BytesIO()
    writer.write(target)
    return target.getvalue()


def pictured(content: bytes, index: int = 0, dpi: int = 150) -> tuple[int, int, bytes]:
    """A page as a scanner sees it: width, height and a grey byte for each pixel."""
    import pypdfium2

    with pypdfium2.PdfDocument(content) as document:
        page: Any = document[index]
        picture = page.render(scale=dpi / 72, grayscale=True).to_numpy()
        height, width = picture.shape[:2]
        return width, height, picture.tobytes()


def scan_of(content: bytes, *, and_text: Sequence[str] = ()) -> bytes:
    """The same pages as pictures only; behind them come pages with those lines of real text."""
    from pypdf import PdfReader

    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"", LATIN_FONT]
    kids: list[bytes] = []

    def add_page(resources: bytes, shown: bytes) -> None:
        number = len(objects) + 1
        kids.append(b"%d 0 R" % number)
        objects.append(
            b"<</Type/Page/Parent 2 0 R%s/Resources<<%s>>/Contents %d 0 R>>"
            % (PAGE_SIZE, resources, number + 1)
        )
        objects.append(stream(shown))

    for index in range(len(PdfReader(BytesIO(content)).pages)):
        width, height, pixels = pictured(content, index)
        kind = b"/Type/XObject/Subtype/Image/Width %d/Height %d" % (width, height)
        kind += b"/ColorSpace/DeviceGray/BitsPerComponent 8"
        objects.append(stream(pixels, kind, deflate=True))
        add_page(b"/XObject<</I %d 0 R>>" % len(objects), b"q 595 0 0 842 0 0 cm /I Do Q")
    for line in and_text:
        add_page(b"/Font<</F1 3 0 R>>", shown_lines([line]))
    objects[1] = b"<</Type/Pages/Kids[%s]/Count %d>>" % (b" ".join(kids), len(kids))
    return pdf(objects)
