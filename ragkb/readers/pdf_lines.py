"""From the visual lines of a PDF page to running text: pure functions on strings.

A PDF knows where glyphs stand, not which lines belong together. A line runs on when it is about as
wide as the page's lines get, does not end a sentence, and no new item begins below it.
"""

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise

from ragkb.readers.symbols import without_private

HYPHEN_MARKS = "\x02\ufffe"  # what pdfium puts for a hyphen at the end of a line
AT_HYPHEN = re.compile(f"(\\S*?)[{HYPHEN_MARKS}](?:[ \t\r\n]*)(\\S*)")
ENDS = "。！？；…：.!?;:。｡．"
CLOSERS = "”’」』）)】》\"'"
ITEM = re.compile(
    r"\s*(?:[•·●○■□◆◇▪–—*►✓☑☐]|-\s"
    r"|[(（]?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5}|[一二三四五六七八九十百]{1,4})[)）.、．]"
    r"|\d+(?:\.\d+)+\s|第[一二三四五六七八九十百零〇\d]{1,5}[章节節条條款编編部篇]"
    r"|附[件录錄]|图\s?\d|圖\s?\d|表\s?\d|\u3000\u3000)"
)
LEADERS = re.compile(r"\.{4,}|(?:\. ){3,}|…{2,}|·{4,}")
COLUMN_GAP = re.compile(r"[\u3400-\u9fff] +(?=[\u3400-\u9fff])|\d +(?=\d)")
# A title set with wide spaces: "通 知 单".
LETTER_SPACED = re.compile(
    r"(?<![\u4e00-\u9fff])[\u4e00-\u9fff](?: [\u4e00-\u9fff]){2,}(?![\u4e00-\u9fff])"
)
WIDE_LEAST, LATIN_LEAST = 24, 40  # narrower lines are titles, list items or table cells
# Presentation forms that PDFs keep: ligatures, and radicals that look like characters.
COMPATIBLE = {
    code: unicodedata.normalize("NFKC", chr(code))
    for code in (*range(0xFB00, 0xFB07), *range(0x2F00, 0x2FD6), 0x2E9F, 0x2EF3)
}


def width(line: str) -> int:
    """Columns that a line takes when all but ASCII takes two."""
    return 2 * len(line) - len(line.encode("ascii", "ignore"))


def page_text(raw: str, *, leftward: bool = False) -> str:
    r"""Return what pdfium gives for a page with wrapped lines joined; no `\n` at the end.

    `leftward`: the lines are the columns of vertical writing and came from left to right.
    """
    text = (
        without_private(join_hyphens(raw))
        .replace("\r\n", "\n")
        .replace("\r", "\n")
        .translate(COMPATIBLE)
    )
    text = LETTER_SPACED.sub(lambda title: title[0].replace(" ", ""), text)
    lines = [line.rstrip(" \t") for line in text.split("\n")]
    shown = [line for line in lines if line.strip()]
    return join_lines(shown[::-1] if leftward else shown)


def join_hyphens(text: str) -> str:
    """Join words that were divided at a line's end; keep hyphens that belong to the word."""
    if not any(mark in text for mark in HYPHEN_MARKS):
        return text
    return AT_HYPHEN.sub(_joined_at_hyphen, text)


def _joined_at_hyphen(match: re.Match[str]) -> str:
    before, after = match[1], match[2]
    belongs = "-" in before or after[:1].isupper() or after[:1].isdigit() or before[-1:].isdigit()
    glue = "-" if belongs or not before[-1:].isalpha() else ""
    return f"{before}{glue}{after}"


def join_lines(lines: Sequence[str]) -> str:
    r"""Join lines that run on: Chinese ones directly, Latin ones with a blank, others with `\n`."""
    if not lines:
        return ""
    usual = usual_width(lines)
    parts = [lines[0]]
    for line, following in pairwise(lines):
        parts.append(glue(line, following, usual))
        parts.append(following.lstrip() if parts[-1] != "\n" else following)
    return "".join(parts)


def join_pages(texts: Sequence[str]) -> tuple[str, tuple[int, ...]]:
    """Return the whole text and where each page begins in it.

    A Chinese sentence that runs over the page's end is not broken there.
    """
    parts: list[str] = []
    offsets: list[int] = []
    length = 0
    for text, following in zip(texts, [*texts[1:], ""], strict=True):
        offsets.append(length)
        between = _between_pages(text, following) if text else ""
        parts += (text, between)
        length += len(text) + len(between)
    return "".join(parts), tuple(offsets)


def _between_pages(text: str, following: str) -> str:
    if not following:
        return "\n"
    lines = text.rsplit("\n", 40)[-40:]
    return glue(lines[-1], following.split("\n", 1)[0], usual_width(lines))


def usual_width(lines: Sequence[str]) -> int:
    """The width that full lines of a page have: that of its widest tenth."""
    widths = sorted(width(line) for line in lines)
    return widths[int((len(widths) - 1) * 0.9)]


def glue(line: str, following: str, usual: int) -> str:
    r"""What stands between a line and the one below it: nothing, a blank, or `\n`."""
    last, first = line.rstrip(CLOSERS)[-1:], following.lstrip()[:1]
    if not last or not first or last in ENDS or ITEM.match(following) or LEADERS.search(line):
        return "\n"
    if is_chinese(line[-1]) or is_chinese(first):
        return "" if _wide_line_runs_on(line, usual) else "\n"
    return " " if _latin_line_runs_on(line, first, usual) else "\n"


def _wide_line_runs_on(line: str, usual: int) -> bool:
    size = width(line)
    full = size >= WIDE_LEAST and size >= 0.85 * usual
    return full and len(COLUMN_GAP.findall(line)) < 2  # two gaps are the cells of a table row


def _latin_line_runs_on(line: str, first: str, usual: int) -> bool:
    size = width(line)
    if size < LATIN_LEAST or size < 0.6 * usual:
        return False
    if first.islower() or line[-1] == ",":
        return True
    return line[-1].isalpha() and (first.isalpha() or first in "(\"'“‘") and size >= 0.85 * usual


def is_chinese(char: str) -> bool:
    """Chinese or Japanese, which write words without blanks; Korean lines break at blanks."""
    hangul = "\uac00" <= char <= "\ud7a3"
    return unicodedata.east_asian_width(char) in "WF" and not hangul
