"""Frames on a pipe between parent and child: a JSON head, then the document's text as UTF-8.

JSON, not pickle: the child works on hostile files, and nothing that it answers is executed.
"""

import json
import struct
from typing import Any, BinaryIO

Head = dict[str, Any]

SIZES = struct.Struct(">II")
HEAD_LIMIT = 64_000_000


class BrokenFrame(Exception):
    """The other end is gone, or what it sent is no frame."""


def write_frame(stream: BinaryIO, head: Head, text: str = "") -> None:
    """Send one frame; raises OSError when the other end is gone."""
    encoded = json.dumps(head).encode("ascii")
    body = text.encode("utf-8", "surrogatepass")
    stream.write(SIZES.pack(len(encoded), len(body)))
    stream.write(encoded)
    stream.write(body)
    stream.flush()


def read_frame(stream: BinaryIO, text_limit: int) -> tuple[Head, str]:
    """Receive one frame whose text has at most `text_limit` bytes; raises BrokenFrame."""
    head_size, text_size = SIZES.unpack(_exactly(stream, SIZES.size))
    if head_size > HEAD_LIMIT or text_size > text_limit:
        raise BrokenFrame
    try:
        head = json.loads(_exactly(stream, head_size))
        text = _exactly(stream, text_size).decode("utf-8", "surrogatepass")
    except ValueError as broken:
        raise BrokenFrame from broken
    if not isinstance(head, dict):
        raise BrokenFrame
    return head, text  # pyright: ignore[reportUnknownVariableType]  # JSON from our own child


def _exactly(stream: BinaryIO, size: int) -> bytes:
    received = stream.read(size)
    if len(received) < size:
        raise BrokenFrame
    return received
