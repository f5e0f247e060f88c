"""Read every file of a corpus and print the score: `python benchmarks/reading.py DIR`.

DIR holds a `manifest.jsonl`, one line for each file, with what its text must hold or that it must
fail. The exit code is 0 if every "must" is right and nine tenths of every "should" are.

Two texts are compared in NFKC without white space, soft hyphens and zero-width spaces.
"""

import json
import sys
import time
import unicodedata
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragkb.document_text import DocumentText
from ragkb.errors import FileRefused
from ragkb.readers import Readers

LEAST_SHOULD = 0.9
INVISIBLE = frozenset("\xad\u200b")


@dataclass
class Judgement:
    """What is wrong with one file, and how many of its "should" hold."""

    wrong: list[str] = field(default_factory=list[str])
    should_held: int = 0
    should_asked: int = 0
    missed: list[str] = field(default_factory=list[str])


def normal(text: str) -> str:
    """The form in which texts are compared."""
    folded = unicodedata.normalize("NFKC", text)
    return "".join(char for char in folded if not char.isspace() and char not in INVISIBLE)


def judge(expected: dict[str, Any], outcome: DocumentText | FileRefused) -> Judgement:
    """Compare an outcome with what the manifest expects of it."""
    judgement = Judgement()
    if isinstance(outcome, FileRefused):
        if "must_fail" not in expected and not expected.get("or_fail"):
            judgement.wrong.append(f"refused: {outcome}")
        return judgement
    text = normal(outcome.text)
    if "must_fail" in expected:
        if not _is_warned_remainder(expected, outcome, text):
            judgement.wrong.append(f"read, but must fail: {expected['must_fail']}")
        return judgement
    _judge_musts(expected, outcome.text, text, judgement)
    _judge_shoulds(expected, text, judgement)
    return judgement


def _is_warned_remainder(expected: dict[str, Any], outcome: DocumentText, text: str) -> bool:
    wanted = expected.get("or_contain")
    warned = bool(outcome.pages_without_text or outcome.pages_garbled)
    return bool(wanted) and warned and all(normal(each) in text for each in wanted)


def _judge_musts(expected: dict[str, Any], raw: str, text: str, judgement: Judgement) -> None:
    for wanted in expected.get("must_contain", ()):
        if normal(wanted) not in text:
            judgement.wrong.append(f"lost: {wanted}")
    for unwanted in expected.get("must_not_contain", ()):
        folded = normal(unwanted)
        if folded in text if folded else unwanted in raw:
            judgement.wrong.append(f"kept: {unwanted!r}")
    for counted, most in expected.get("max_count", {}).items():
        if text.count(normal(counted)) > most:
            judgement.wrong.append(f"more than {most} times: {counted}")
    places = [text.find(normal(each)) for each in expected.get("order", ())]
    if places != sorted(places):
        judgement.wrong.append("out of order")


def _judge_shoulds(expected: dict[str, Any], text: str, judgement: Judgement) -> None:
    for wanted in expected.get("should_contain", ()):
        _count(judgement, held=normal(wanted) in text, what=f"lost: {wanted}")
    for unwanted in expected.get("should_not_contain", ()):
        _count(judgement, held=normal(unwanted) not in text, what=f"kept: {unwanted}")


def _count(judgement: Judgement, *, held: bool, what: str) -> None:
    judgement.should_asked += 1
    judgement.should_held += held
    if not held:
        judgement.missed.append(what)


def read(readers: Readers, path: Path) -> tuple[DocumentText | FileRefused, float]:
    """Read one file; return the outcome and the seconds it took."""
    began = time.perf_counter()
    try:
        outcome: DocumentText | FileRefused = readers.read(path)
    except FileRefused as refusal:
        outcome = refusal
    return outcome, time.perf_counter() - began


def most_memory_of_children() -> int:
    """Megabytes of the largest child so far, or 0 where the platform does not say."""
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return peak // (1_000_000 if sys.platform == "darwin" else 1000)


def main(folder: Path) -> int:
    """Score the folder; 0 if it is right."""
    lines = (folder / "manifest.jsonl").read_text(encoding="utf-8").splitlines()
    scores: defaultdict[str, list[Judgement]] = defaultdict(list)
    memory_limit = 0
    with Readers(workers=1) as readers:
        readers.read(folder.joinpath(_first_readable(lines)))  # the child's start is no file's time
        for line in lines:
            entry = json.loads(line)
            outcome, seconds = read(readers, folder / entry["file"])
            judgement = judge(entry["expect"], outcome)
            limits = entry["expect"].get("limits", {})
            if seconds > limits.get("seconds", seconds):
                judgement.wrong.append(f"took {seconds:.1f} s")
            memory_limit = max(memory_limit, limits.get("peak_rss_mb", 0))
            for what in judgement.wrong:
                print(f"WRONG   {entry['file']}: {what}")
            for what in judgement.missed:
                print(f"missed  {entry['file']}: {what}")
            scores[entry["format"]].append(judgement)
    return _report(scores, memory_limit)


def _first_readable(lines: list[str]) -> str:
    entries = (json.loads(line) for line in lines)
    return next(
        entry["file"] for entry in entries if not {"must_fail", "or_fail"} & set(entry["expect"])
    )


def _report(scores: dict[str, list[Judgement]], memory_limit: int) -> int:
    everything = [each for judgements in scores.values() for each in judgements]
    for name, judgements in [*sorted(scores.items()), ("all", everything)]:
        right = sum(not each.wrong for each in judgements)
        held = sum(each.should_held for each in judgements)
        asked = sum(each.should_asked for each in judgements)
        print(f"{name:6} {right:4} of {len(judgements)} right, {held} of {asked} should hold")
    peak = most_memory_of_children()
    print(f"largest child: {peak} MB")
    held = sum(each.should_held for each in everything)
    asked = sum(each.should_asked for each in everything)
    sound = all(not each.wrong for each in everything) and held >= LEAST_SHOULD * asked
    return 0 if sound and (not memory_limit or peak <= memory_limit) else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
