"""Bytes to text when nothing says which encoding it is.

A byte-order mark decides; then strict UTF-8; then the candidate whose characters are the most usual
ones. The locale is never asked: the same file must give the same text on every machine.
"""

import codecs
import re
from collections import Counter
from dataclasses import dataclass

from ragkb.readers.frequencies import latin_weight, weight

SAMPLE = 200_000  # bytes that are scored; decoding itself always takes the whole content
BOMS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# In order of preference where two candidates score the same.
CANDIDATES = (
    "utf-8",
    "gb18030",
    "big5hkscs",
    "utf-16-le",
    "utf-16-be",
    "cp932",
    "euc_jp",
    "cp949",
    "cp1252",
    "cp1251",
)
CONTROLS = re.compile("[\x01-\x08\x0e-\x1a\x1c-\x1f\x7f]")
BEYOND_ASCII_RUN = re.compile("[\x80-\U0010ffff]{2,}")
WORST = -10.0
LEAST_TEXT = 0.2  # a best score below this is no text at all
LEAST_CYRILLIC = 0.5  # every byte is a character there, so noise scores higher


@dataclass(frozen=True)
class Decoded:
    """Text and the name of the encoding it was in."""

    text: str
    encoding: str


def decode(content: bytes) -> Decoded | None:
    """Return the text that `content` is, or None if it is no text in any encoding."""
    for mark, encoding in BOMS:
        if content.startswith(mark):
            return _decode_as(content, encoding)
    if _is_utf8(content):
        return _if_text(_decode_as(content, "utf-8"))
    sample = _sample(content)
    scores = {encoding: score(sample, encoding) for encoding in CANDIDATES}
    best = max(CANDIDATES, key=scores.__getitem__)
    if scores[best] < (LEAST_CYRILLIC if best == "cp1251" else LEAST_TEXT):
        return None
    return _if_text(_decode_as_big5(content) if best == "big5hkscs" else _decode_as(content, best))


def decode_declared(content: bytes, declared: str) -> Decoded | None:
    """Decode as a file says of itself (a charset), or by the rule when it says nothing usable."""
    for mark, encoding in BOMS:
        if content.startswith(mark):
            return _decode_as(content, encoding)
    name = SUPERSETS.get(declared.strip().lower(), declared.strip())
    try:
        text = content.decode(name)
    except (LookupError, UnicodeError, ValueError):
        return decode(content)
    sample = _sample(content)
    if not content.isascii() and _is_utf8(content) and score(sample, "utf-8") > score(sample, name):
        return _decode_as(content, "utf-8")  # converted, with the old declaration left in
    return Decoded(text, name)


# What browsers do (WHATWG Encoding Standard): a name stands for the larger set that is meant by it.
SUPERSETS = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "x-gbk": "gb18030",
    "gb_2312-80": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc-kr": "cp949",
    "ks_c_5601-1987": "cp949",
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    "us-ascii": "cp1252",
    "unicode": "utf-16",
}


def _decode_as(content: bytes, encoding: str) -> Decoded:
    text = content.decode(encoding, "replace")
    return Decoded(text.removesuffix("\ufffd"), encoding)  # a file cut inside a character


def _decode_as_big5(content: bytes) -> Decoded:
    """Plain Big5 where that suffices: the two sets differ in a few marks."""
    try:
        return Decoded(content.decode("big5"), "big5")
    except UnicodeDecodeError:
        return _decode_as(content, "big5hkscs")


def _is_utf8(content: bytes) -> bool:
    """Whether the bytes are UTF-8, perhaps cut inside the last character."""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        cut_at_end = error.start >= len(content) - 3 and error.reason == "unexpected end of data"
        return cut_at_end and not content[: error.start].isascii()
    return not _looks_like_utf16(content)


def _looks_like_utf16(content: bytes) -> bool:
    """Whether NULs stand at every other place: Latin text in UTF-16 is valid UTF-8, too."""
    even, odd = content[::2].count(0), content[1::2].count(0)
    return max(even, odd) * 4 > len(content) and min(even, odd) * 10 < max(even, odd)


def _if_text(decoded: Decoded) -> Decoded | None:
    """None if control characters are many; NULs do not count: some writers pad text with them."""
    head = decoded.text[:SAMPLE].replace("\0", "")
    stray = len(CONTROLS.findall(head))
    return decoded if stray <= 2 + len(head) // 20 else None


def _sample(content: bytes) -> bytes:
    """Head, middle and tail of a long file: a long English preface must not decide alone."""
    if len(content) <= SAMPLE:
        return content
    third = SAMPLE // 3 & ~1
    middle = len(content) // 2 & ~1
    end = (len(content) - third) & ~1
    return content[:third] + content[middle : middle + third] + content[end:]


def score(sample: bytes, encoding: str) -> float:
    """How much `sample` looks like text in `encoding`: about 1 for the right one, below 0 for junk.

    The mean of the characters' weights, each counted by the bytes that it took.
    """
    text = sample.decode(encoding, "replace")
    if encoding == "cp1252":
        return _latin_score(text)
    wide = encoding.startswith("utf-16")
    gained = bytes_taken = 0.0
    for char, count in Counter(text).items():
        size = count * (2 if wide or char > "\x7f" else 1)
        gained += weight(char) * size
        bytes_taken += size
    return gained / bytes_taken if bytes_taken else WORST


def _latin_score(text: str) -> float:
    """In Latin text accented letters stand alone; runs of them are another encoding's."""
    if not text:
        return WORST
    counts = Counter(text)
    gained = sum(
        (weight(char) if char < "\x80" else latin_weight(char)) * count
        for char, count in counts.items()
    )
    in_runs = sum(len(run) for run in BEYOND_ASCII_RUN.findall(text))
    return (gained - 2 * in_runs) / len(text)
