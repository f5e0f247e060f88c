"""Reading documents: `Readers().read(path)` gives a `DocumentText`, whatever the file does.

The content decides what a file is, never its name alone. Each file is read in a child process with
limits on memory, time and text; importing this package costs no heavy library.
"""

from ragkb.readers.kinds import SUPPORTED_TYPES
from ragkb.readers.limits import ReaderLimits
from ragkb.readers.ocr import ocr_installed
from ragkb.readers.pool import Readers

__all__ = ["SUPPORTED_TYPES", "ReaderLimits", "Readers", "ocr_installed"]
