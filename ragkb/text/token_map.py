"""Where the tokens of a long text stand, from encoding it once."""

import re
from array import array
from bisect import bisect_right
from itertools import accumulate, chain

from ragkb.text.tokens import SLICE, characters_begun, count_tokens, encode_slices

# Between a letter and such a mark the encoding always ends a word: by its WORD_PATTERN only an
# apostrophe, a combining mark or a letter goes on after a letter. Words are encoded one by one, so
# on both sides of such a place a part of the text has the tokens that the whole text has.
_WORD_END = r"[A-Za-z\u3400-\u4dbf\u4e00-\u9fff](?=[\s,.;:!?()，。；：！？、（）])"
_FIRST_WORD_END = re.compile(_WORD_END)
_LAST_WORD_END = re.compile(rf".*{_WORD_END}", re.DOTALL)
_NEAR = 200  # characters in which a word end is looked for


class TokenMap:
    """The tokens of a text, asked by position."""

    def __init__(self, text: str) -> None:
        self._text = text
        # For each token, how many characters of the text have begun when it ends.
        self._begun = array("L")
        in_token = characters_begun()
        for tokens in encode_slices(text):
            before = self._begun[-1:]
            counts = accumulate(chain(before, map(in_token.__getitem__, tokens)))
            self._begun[max(0, len(self._begun) - 1) :] = array("L", counts)

    def before(self, position: int) -> int:
        """Return how many tokens end at or before `position`."""
        return bisect_right(self._begun, position)

    def reach(self, tokens: int) -> int:
        """Return up to which position the first `tokens` tokens reach, or the text's end."""
        if tokens < 1:
            return 0
        return self._begun[tokens - 1] if tokens < len(self._begun) else len(self._text)

    def count(self, start: int, end: int) -> int:
        """Return the number of tokens that `text[start:end]` has when it is encoded alone."""
        first = _FIRST_WORD_END.search(self._text, start, min(end, start + _NEAR))
        last = _LAST_WORD_END.match(self._text, max(start, end - _NEAR), end)
        in_one_slice = start // SLICE == (end - 1) // SLICE
        if not first or not last or first.end() > last.end() or not in_one_slice:
            return count_tokens(self._text[start:end])
        return (
            count_tokens(self._text[start : first.end()])
            + self.before(last.end())
            - self.before(first.end())
            + count_tokens(self._text[last.end() : end])
        )
