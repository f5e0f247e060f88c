"""The terms of the keyword index.

Chinese, Japanese and Korean runs become single characters and overlapping pairs, Latin words and
numbers stay whole, and a compound such as `C++`, `v1.2.3` or `BENCH-100821` is one term beside its
parts. FTS5's tokenizer `porter unicode61` would split a term at punctuation and at emoji, so these
are written as pairs of private-use characters, which it keeps inside a token.
"""

import re
import unicodedata
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from operator import add

from ragkb.text.stop_words import is_stop_word

_LONGEST_WORD = 64  # characters; a longer one is cut, so that every term stays small

_CJK = (
    "\u1100-\u11ff\u3005-\u3007\u303b\u3041-\u3096\u309d-\u309f\u30a1-\u30fa"
    "\u30fc-\u30ff\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f"
    "\uac00-\ud7ff\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
_EMOJI = "\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
# Letters and digits, but for the few that unicode61 takes for separators (SQLite 3.53).
_LETTER = f"[^\\W_{_CJK}{_EMOJI}\u19b0-\u19c9\u1cf2\u1cf3]"
_SUFFIX = r"(?:\+\+?|#|%)"
_JOINT = r"(?:[-_.'/@&+:\\]|::|(?<=\d),(?=\d))"
_RUN = re.compile(f"[{_CJK}]++|\\.?{_LETTER}++(?:{_JOINT}{_LETTER}++)*+{_SUFFIX}?|[{_EMOJI}]")
_CJK_RUN = re.compile(f"[{_CJK}]")
_PART = re.compile(f"({_LETTER}++)({_SUFFIX}?)")
_NO_LETTER = re.compile(r"[\W_]")

# Characters that have one form only, or that separate terms in each of their forms. A stretch of
# others is folded together with the character before it, which an accent may belong to.
_PLAIN = "\x00-\x7f\u3400-\u4dbf\u4e00-\u9fff、。《》「」“”，！？：；（）　…—·"
_UNUSUAL = re.compile(f"[^{_PLAIN}]")
_UNUSUAL_STRETCH = re.compile(f".?[^{_PLAIN}]+", re.DOTALL)
_INVISIBLE = re.compile(
    "[\u00ad\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f\ufeff\U0001f3fb-\U0001f3ff"
    "\U000e0020-\U000e007f\U000e0100-\U000e01ef]+"
)
_APOSTROPHE = re.compile("[\u2018\u2019\u02bc]")
_HYPHEN = re.compile("[\u2010-\u2013\u2212]")
_ACCENT = re.compile("[\u0300-\u036f]+")


def index_terms(text: str) -> list[str]:
    """Return every term of a text in order, repeats kept. FTS5 keeps each as one token."""
    terms: list[str] = []
    for run in _RUN.findall(_normalized(text)):
        if "\u3400" <= run[0] <= "\u9fff" or _CJK_RUN.match(run):
            characters = [*run]
            terms += characters
            seconds = iter(characters)
            next(seconds)
            terms += map(add, characters, seconds)
        elif len(run) <= _LONGEST_WORD and run.isalnum():
            terms.append(run)
        else:
            terms += _compound_terms(run)
    return terms


def query_terms(query: str) -> list[str]:
    """Return the distinct terms to search for.

    Single Chinese characters count only in a query that has no pair of them. Function and question
    words are left out unless nothing else is asked for.
    """
    terms = list(dict.fromkeys(index_terms(query)))
    if any(len(term) == 2 and _CJK_RUN.match(term) for term in terms):
        terms = [term for term in terms if len(term) > 1 or not _CJK_RUN.match(term)]
    return [term for term in terms if not is_stop_word(term)] or terms


def jaccard(a: AbstractSet[str], b: AbstractSet[str]) -> float:
    """Return the share of the terms of both that they have in common, 0 to 1."""
    common = len(a & b)
    return common / (len(a) + len(b) - common) if common else 0.0


def _compound_terms(run: str) -> Iterator[str]:
    """Yield a compound as it is typed, then its parts, with and without a suffix such as `++`."""
    if len(run) <= _LONGEST_WORD:
        yield _escaped(run)
    for word, suffix in _PART.findall(run):
        if suffix and len(word) + len(suffix) < min(len(run), _LONGEST_WORD):
            yield _escaped(word + suffix)
        if word != run or len(run) > _LONGEST_WORD:
            for start in range(0, len(word), _LONGEST_WORD):
                yield word[start : start + _LONGEST_WORD]


def _escaped(term: str) -> str:
    return _NO_LETTER.sub(_private_use, term)


def _private_use(match: re.Match[str]) -> str:
    """Write any character as two private-use ones: a text's own are never part of a term."""
    code = ord(match[0])
    return chr(0xE000 + (code >> 12)) + chr(0xE800 + (code & 0xFFF))


def _normalized(text: str) -> str:
    """Fold what is typed in several ways: width, case, accents, apostrophes, hyphens."""
    if _UNUSUAL.search(text):
        text = _UNUSUAL_STRETCH.sub(_folded, text)
    return text.lower()


def _folded(match: re.Match[str]) -> str:
    text = _INVISIBLE.sub("", unicodedata.normalize("NFKC", match[0]).casefold())
    text = _HYPHEN.sub("-", _APOSTROPHE.sub("'", text))
    text = _ACCENT.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFC", text)
