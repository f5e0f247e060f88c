"""Whether pages without text can be read by OCR, and where: all that is known without loading it.

Recognising takes gigabytes and seconds, so it has a child process of its own. The children that
read all else only say that a file needs it.
"""

from enum import Enum
from importlib.util import find_spec

EXTRA = "ragkb[ocr]"
MODULES = ("rapidocr", "onnxruntime")


class Ocr(Enum):
    """What a reader does about a page that only shows text."""

    MISSING = "report it: the extra is not installed"
    ELSEWHERE = "raise NeedsOcr: another child can read it"
    HERE = "read it"


class NeedsOcr(Exception):
    """So many pages of this file can only be read by OCR."""

    def __init__(self, pages: int) -> None:
        super().__init__(pages)
        self.pages = pages


class CannotRecognise(Exception):
    """The extra is installed but does not start; the text says why."""


def ocr_installed() -> bool:
    """Whether the extra is there. Costs no import."""
    return all(find_spec(module) is not None for module in MODULES)
