"""Time splitting, counting tokens and making terms: `python benchmarks/splitting.py [FILE ...]`.

FILE is a UTF-8 text; without one, a Chinese and an English text are made up. Each figure is the
best of five, in megabytes of UTF-8 for each second of CPU. "growth" is how many times longer four
times the text takes.
"""

import random
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from ragkb.text.splitting import split
from ragkb.text.terms import index_terms
from ragkb.text.tokens import count_tokens
from ragkb.text.windows import windows

MEGABYTE = 1_000_000
CHUNK_SIZE = 512


def chinese(characters: int) -> str:
    """Sentences of common characters, five to a line."""
    alphabet = [chr(code) for code in range(0x4E00, 0x5200)]
    return made_up(characters, alphabet, between="", end="。", length=25)


def english(characters: int) -> str:
    """Sentences of made-up words, five to a line."""
    rng = random.Random(2)
    parts = ("re", "con", "tion", "er", "ing", "al", "the", "com", "pre", "ment", "in", "or")
    words = ["".join(rng.choices(parts, k=rng.randint(1, 3))) for _ in range(3000)]
    return made_up(characters, words, between=" ", end=". ", length=12)


def made_up(characters: int, words: list[str], between: str, end: str, length: int) -> str:
    """Sentences of about `length` words drawn at random, always the same ones."""
    rng = random.Random(1)
    lines: list[str] = []
    while characters > 0:
        sentences = (rng.choices(words, k=rng.randint(5, 2 * length)) for _ in range(5))
        lines.append("".join(between.join(sentence) + end for sentence in sentences))
        characters -= len(lines[-1])
    return "\n".join(lines)


def seconds(work: Callable[[], object]) -> float:
    """The least CPU time of five runs."""
    times: list[float] = []
    for _ in range(5):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def each(work: Callable[[str], object], texts: list[str]) -> None:
    """Do the same work on every text."""
    for text in texts:
        work(text)


def report(name: str, text: str) -> None:
    """Print one line for each kind of work."""
    megabytes = len(text.encode()) / MEGABYTE
    quarter = text[: len(text) // 4]
    splitting = seconds(lambda: split(text, CHUNK_SIZE))
    growth = splitting / seconds(lambda: split(quarter, CHUNK_SIZE))
    print(f"{name}: {megabytes:.1f} MB")
    print(f"  count_tokens  {megabytes / seconds(lambda: count_tokens(text)):6.1f} MB/s")
    print(f"  split         {megabytes / splitting:6.1f} MB/s, growth {growth:.1f}")
    chunks = split(text, CHUNK_SIZE)
    contents = [text[chunk.start : chunk.end] for chunk in chunks]
    for kind, on_chunk in (("index_terms", index_terms), ("windows", windows)):
        speed = megabytes / seconds(partial(each, on_chunk, contents))
        print(f"  {kind:13} {speed:6.1f} MB/s")
    tokens = sum(chunk.tokens for chunk in chunks)
    print(f"  {len(chunks)} chunks, {tokens / len(chunks) / CHUNK_SIZE:.0%} full")


def main(paths: list[str]) -> None:
    """Load the vocabulary, then report on each text."""
    start = time.process_time()
    count_tokens("a")
    print(f"loading the vocabulary: {time.process_time() - start:.2f} s")
    if not paths:
        report("Chinese", chinese(700_000))
        report("English", english(2_000_000))
    for path in paths:
        report(path, Path(path).read_text(encoding="utf-8"))


if __name__ == "__main__":
    main(sys.argv[1:])
