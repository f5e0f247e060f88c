"""OLE2 compound files (.doc, .xls, encrypted .docx) through olefile."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# olefile has no type information; this module is the only one that touches it.

import struct
from io import BytesIO
from typing import cast

LIMIT = 300_000_000


class OleDamaged(Exception):
    """The container's own structure is broken; the text says where."""


def stream_names(content: bytes) -> frozenset[str]:
    """The names of all streams and storages, in lower case; raises OleDamaged."""
    return frozenset(read_streams(content, frozenset()).keys())


def read_streams(content: bytes, wanted: frozenset[str]) -> dict[str, bytes]:
    """Return every top-level stream by its lower-case name, with content where it is `wanted`.

    Names differ in case between writers. Raises OleDamaged.
    """
    import olefile

    try:
        with olefile.OleFileIO(BytesIO(content)) as container:
            entries = cast("list[list[str]]", container.listdir(streams=True, storages=True))
            found: dict[str, bytes] = {}
            for entry in entries:
                name = entry[0].lower()
                found.setdefault(name, b"")
                if len(entry) == 1 and name in wanted and container.get_size(entry) <= LIMIT:
                    found[name] = container.openstream(entry).read()
            return found
    except (
        OSError,
        struct.error,
        LookupError,
        ValueError,
        AttributeError,
        RecursionError,
    ) as broken:
        # olefile raises its own OSError subclasses, and lets these through on mutated files.
        raise OleDamaged(str(broken)) from broken
