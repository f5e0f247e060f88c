"""The child process that reads files: `python -m ragkb.readers.child MEMORY_BYTES TEXT_CHARS OCR`.

OCR names what becomes of pages that only show text, a member of `Ocr`.

Requests come on standard input, answers go to what was standard output. Native libraries that print
there cannot disturb the frames: descriptor 1 leads nowhere while they run.
"""

import os
import signal
import sys
from pathlib import Path
from typing import BinaryIO

from ragkb.errors import FileRefused, ReadingTooLarge
from ragkb.readers.answers import document_to_frame, refusal_to_head
from ragkb.readers.frames import BrokenFrame, Head, read_frame, write_frame
from ragkb.readers.limits import ReaderLimits
from ragkb.readers.memory import Watchdog, limit_address_space, resident_bytes
from ragkb.readers.ocr import NeedsOcr, Ocr
from ragkb.readers.reading import read_file


def main(arguments: list[str]) -> None:
    """Answer requests until standard input ends."""
    limits = ReaderLimits(memory_bytes=int(arguments[0]), text_chars=int(arguments[1]))
    ocr = Ocr[arguments[2]]
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # Ctrl-C reaches the whole group; the parent ends us
    limit_address_space(limits.address_space_bytes)
    answers = _private_standard_output()
    requests = sys.stdin.buffer
    watchdog = Watchdog(limits, answers)
    while True:
        try:
            request, _ = read_frame(requests, text_limit=0)
        except BrokenFrame:
            return
        path = Path(os.fsdecode(bytes.fromhex(request["path"])))
        with watchdog.during(str(path), float(request["seconds"])):
            head, text = _answer(path, limits, ocr)
        head["resident"] = resident_bytes()
        write_frame(answers, head, text)


def _answer(path: Path, limits: ReaderLimits, ocr: Ocr) -> tuple[Head, str]:
    try:
        return document_to_frame(read_file(path, limits, ocr))
    except NeedsOcr as scan:
        return {"needs_ocr": scan.pages}, ""
    except FileRefused as refusal:
        return refusal_to_head(refusal), ""
    except MemoryError:
        megabytes = limits.memory_bytes // 1_000_000
        refusal = ReadingTooLarge(str(path), f"{megabytes} MB")
        return refusal_to_head(refusal) | {"ending": True}, ""
    except Exception as error:  # noqa: BLE001  # the edge of this process: the parent names the crash
        return {"crashed": f"{type(error).__name__}: {error}"}, ""


def _private_standard_output() -> BinaryIO:
    answers = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return answers


if __name__ == "__main__":
    main(sys.argv[1:])
