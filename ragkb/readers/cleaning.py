"""Text as it is stored: lines end in a newline, nothing invisible that breaks searching."""

import re

from ragkb.readers.symbols import without_private

NEWLINES = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
# Controls but tab and newline; soft hyphens and zero-width spaces, which break words for searching;
# the byte-order mark; noncharacters; lone halves of surrogate pairs.
UNWANTED = re.compile(
    "[\xad\u200b\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufeff\ufdd0-\ufdef\ufffe\uffff\ud800-\udfff]"
)


def clean(text: str) -> str:
    r"""Return `text` with `\n` line ends, without control characters and private-use ones.

    Zero-width joiners stay: emoji and Indic scripts need them.
    """
    return without_private(clean_exactly(text))


def clean_exactly(text: str) -> str:
    """As `clean`, but private-use characters stay: a plain text is stored as it was written."""
    return UNWANTED.sub("", NEWLINES.sub("\n", text))


def one_line(text: str) -> str:
    """Return `text` with every run of white space as one blank (a table cell, a title)."""
    return " ".join(clean(text).split())
