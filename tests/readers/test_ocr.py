"""OCR in its own child, without a network. All of it needs the extra `ragkb[ocr]`."""

# pyright: reportPrivateUsage=false
# Which processes there are is nobody's business but the pool's and its tests'.

from collections.abc import Callable, Iterator
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from making_pdf import latin_pdf, paged, pictured, scan_of, scanned_pdf, shown_lines
from program import begun_with
from reading_bytes import corpus

from ragkb.errors import DamagedFile, NoText, ReadingTimedOut, ReadingTooLarge, UnsupportedType
from ragkb.readers import ReaderLimits, Readers, ocr_installed

if not ocr_installed():
    pytest.skip("OCR is not tested: install the extra ragkb[ocr]", allow_module_level=True)

NO_NETWORK = """
import sys
def refuse(event, _):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname"):
        raise OSError("there is no network")
sys.addaudithook(refuse)
"""
FIRST = "Invoice number 4711 of the harbour office."
SECOND = "Payment is due within thirty days."

Save = Callable[[str, bytes], Path]


@pytest.fixture(scope="module")
def readers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Readers]:
    """Readers whose children have no network; the models are loaded once for all tests."""
    folder = tmp_path_factory.mktemp("no_network") / "site"
    with pytest.MonkeyPatch.context() as patch:
        for name, value in begun_with(folder, NO_NETWORK).items():
            patch.setenv(name, value)
        with Readers(workers=1) as opened:
            yield opened


@pytest.fixture
def save(tmp_path: Path) -> Save:
    def save_file(name: str, content: bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return save_file


def image(*lines: str) -> Any:
    """Lines as a picture in Pillow's hands: the upper third of a page."""
    width, height, pixels = pictured(latin_pdf(lines))
    page = import_module("PIL.Image").frombytes("L", (width, height), pixels)
    return page.crop((0, 0, width, height // 3))


def encoded(picture: Any, kind: str, **options: object) -> bytes:
    target = BytesIO()
    picture.save(target, kind, **options)
    return target.getvalue()


def test_a_scan_is_read_and_its_pages_are_told(readers: Readers, save: Save) -> None:
    scan = scan_of(latin_pdf([FIRST], [SECOND]), and_text=["A page with a text layer."])
    found = readers.read(save("scan.pdf", scan))
    assert found.text == f"{FIRST}\n{SECOND}\nA page with a text layer.\n"
    assert found.pages_by_ocr == (1, 2)
    assert found.pages_without_text == ()
    assert found.text[found.pages[1] : found.pages[2]] == f"{SECOND}\n"


def test_a_page_of_unknown_glyphs_is_read_as_it_looks(readers: Readers, save: Save) -> None:
    # A font that shows A to Z but says that they are private-use characters.
    to_unicode = (
        b"<</Length 120>>stream\n1 begincodespacerange <00> <FF> endcodespacerange\n"
        b"1 beginbfrange <20> <7E> <E020> endbfrange\nendstream"
    )
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 4 0 R>>"
    content = paged([shown_lines([FIRST])], font, extra=[to_unicode])
    found = readers.read(save("garbled.pdf", content))
    assert (found.text, found.pages_by_ocr) == (f"{FIRST}\n", (1,))


def test_a_scan_that_shows_nothing_says_so(readers: Readers, save: Save) -> None:
    with pytest.raises(NoText) as refused:
        readers.read(save("grey.pdf", scanned_pdf([""])))
    assert "OCR found no text" in str(refused.value)


def test_a_page_without_anything_to_read_stays_reported(readers: Readers, save: Save) -> None:
    found = readers.read(save("mixed.pdf", scanned_pdf(["", "Text over the picture itself."])))
    assert (found.pages_without_text, found.pages_by_ocr) == ((1,), ())


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "TIFF", "BMP", "WebP"])
def test_a_picture_is_read(readers: Readers, save: Save, kind: str) -> None:
    found = readers.read(save("picture.bin", encoded(image(FIRST, SECOND), kind)))
    assert found.text.split("\n") == [FIRST, SECOND, ""]
    assert (found.file_type, found.pages_by_ocr) == (kind.lower(), (1,))


def test_the_pages_of_a_tiff_are_pages(readers: Readers, save: Save) -> None:
    pages = [image(FIRST), image(), image(SECOND)]
    tiff = encoded(pages[0], "TIFF", save_all=True, append_images=pages[1:])
    found = readers.read(save("fax.tif", tiff))
    assert found.text == f"{FIRST}\n{SECOND}\n"
    assert (found.pages_by_ocr, found.pages_without_text) == ((1, 3), (2,))


def test_a_picture_lies_as_its_camera_was_held(readers: Readers, save: Save) -> None:
    pillow = import_module("PIL.Image")
    exif = pillow.Exif()
    exif[0x0112] = 6  # to be turned by 90 degrees to the right
    lying = image(FIRST).transpose(pillow.Transpose.ROTATE_90)
    found = readers.read(save("photo.jpg", encoded(lying, "JPEG", exif=exif)))
    assert found.text == f"{FIRST}\n"


@pytest.mark.parametrize("colour", [0, 255])
def test_letters_on_a_transparent_ground_are_read(
    readers: Readers, save: Save, colour: int
) -> None:
    ink = import_module("PIL.ImageOps").invert(image(FIRST))
    picture = import_module("PIL.Image").new("LA", ink.size, (colour, 0))
    picture.putalpha(ink)
    assert readers.read(save("logo.png", encoded(picture, "PNG"))).text == f"{FIRST}\n"


def test_a_long_screenshot_is_read_to_its_end(readers: Readers, save: Save) -> None:
    pillow = import_module("PIL.Image")
    lines = [f"Message number {number} of the chat." for number in range(1, 9)]
    picture = pillow.new("L", (700, 8 * 700), 255)
    for number, line in enumerate(lines):
        picture.paste(image(line).crop((0, 0, 700, 200)), (0, number * 700 + 300))
    assert readers.read(save("chat.png", encoded(picture, "PNG"))).text.splitlines() == lines


def test_a_photo_without_text_is_no_document(readers: Readers, save: Save) -> None:
    with pytest.raises(UnsupportedType, match="OCR found no text"):
        readers.read(save("photo.png", encoded(image(), "PNG")))


def test_a_damaged_picture_and_a_bomb_say_so(readers: Readers, save: Save) -> None:
    with pytest.raises(DamagedFile, match="PNG"):
        readers.read(save("cut.png", encoded(image(FIRST), "PNG")[:400]))
    bomb = import_module("PIL.Image").new("1", (20_000, 20_000))
    with pytest.raises(ReadingTooLarge, match="megapixels"):
        readers.read(save("bomb.png", encoded(bomb, "PNG")))


def test_the_models_are_loaded_once(readers: Readers, save: Save) -> None:
    path = save("picture.png", encoded(image(SECOND), "PNG"))
    readers.read(path)
    children = set(readers._recognising.alive)
    readers.read(path)
    assert len(children) == 1
    assert readers._recognising.alive == children


def test_a_scan_that_takes_too_long_is_given_up(save: Save) -> None:
    scan = save("long.pdf", scan_of(latin_pdf(*[[FIRST] * 30] * 20)))
    limits = ReaderLimits(seconds=4, seconds_per_ocr_page=0)
    with Readers(limits, workers=1) as readers:
        with pytest.raises(ReadingTimedOut):
            readers.read(scan)
        assert readers.read(save("a.txt", b"goes on")).text == "goes on"


def test_a_chinese_scan_is_read(readers: Readers) -> None:
    found = readers.read(corpus() / "pdf" / "watermark_only_scan.pdf")
    assert "机房温度应保持在二十二至二十四摄氏度之间" in found.text
    assert found.pages_by_ocr == (1,)
