"""OCR of a page's picture through rapidocr, whose models lie in its wheel: nothing is fetched."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# An extra of ours: where types are checked it need not be installed.

import os
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragkb.readers.ocr import CannotRecognise
from ragkb.readers.ocr_lines import Box, text_of

MOST_THREADS = 4  # each holds memory of its own, and more of them gain little
LONGEST_SIDE = 2000  # pixels; an A4 page at 170 dpi. Larger pictures are made smaller
# Lines are found in a smaller picture than they are read in. In larger ones a short line that
# stands alone on its page is missed, and finding takes four times as long.
SIDE_TO_FIND_LINES = 960
TALL = 2.5  # times as high as wide: a long screenshot, which would become too small to read
Picture = NDArray[np.uint8]


def recognise(picture: Picture) -> str:
    """Return the text that a picture shows, maybe none.

    A picture is rows of pixels in blue, green and red, and maybe opacity. CannotRecognise.
    """
    return text_of([box for top, piece in pieces(picture) for box in _boxes(piece, top)])


def pieces(picture: Picture) -> Iterator[tuple[int, Picture]]:
    """Cut a tall picture where a row of it is all of one colour; give each piece and its top."""
    height, width = picture.shape[:2]
    top = 0
    while height - top > TALL * width:
        rows = picture[top + width : top + 2 * width]
        contrast = np.ptp(rows.reshape(len(rows), -1), axis=1)
        cut = top + width + len(rows) - int(np.argmin(contrast[::-1]))
        yield top, picture[top:cut]
        top = cut
    yield top, picture[top:]


def _boxes(picture: Picture, above: int) -> Iterator[Box]:
    found = _engine()(picture)
    for corners, text in zip(found.boxes, found.txts, strict=True) if found.txts else ():
        left, top = corners.min(axis=0)
        right, bottom = corners.max(axis=0)
        yield Box(float(left), float(top) + above, float(right), float(bottom) + above, text)


@cache
def _engine() -> Any:
    """Loaded once for each process."""
    try:
        import_module("cv2").setNumThreads(1)
        return import_module("rapidocr").RapidOCR(
            params={
                "Global.log_level": "critical",
                "Global.max_side_len": LONGEST_SIDE,
                "Det.limit_type": "max",
                "Det.limit_side_len": SIDE_TO_FIND_LINES,
                "EngineConfig.onnxruntime.intra_op_num_threads": min(
                    MOST_THREADS, os.cpu_count() or 1
                ),
            }
        )
    except (ImportError, OSError) as failure:  # a system library is missing, mostly
        raise CannotRecognise(str(failure).splitlines()[0]) from failure
