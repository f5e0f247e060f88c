"""Which cases pass: `make cases`. Exit code 1 when one fails, is skipped or has no test."""

import json
import os
import sys
from pathlib import Path

import pytest
from ids import CASES

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent
PASSED, FAILED, SKIPPED, MISSING = "passed", "FAILED", "SKIPPED", "MISSING: no test has this id"
UNLISTED, NEW = "not in ids.py", "MISSING: a public case that is not in ids.py"


class Recorder:
    """A pytest plugin that notes the worst outcome of the tests of each id."""

    def __init__(self) -> None:
        self.results: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        _, bracket, rest = report.nodeid.partition("[")
        if not bracket:
            return
        case = rest.removesuffix("]")
        if report.failed:
            self.results[case] = FAILED
        elif report.skipped:
            self.results.setdefault(case, SKIPPED)
            if self.results[case] == PASSED:
                self.results[case] = SKIPPED
        elif report.when == "call":
            self.results.setdefault(case, PASSED)


def main() -> int:
    """Run the cases and print the table."""
    recorder = Recorder()
    code = pytest.main([str(FOLDER), "--tb=short"], plugins=[recorder])
    rows = table(recorder.results, public_cases())
    good = sum(result == PASSED for *_, result in rows)
    lines = [f"{case:<26}{area:<14}{result}" for case, area, result in rows]
    print("\n".join(["", *lines, "", f"{good} of {len(rows)} cases pass"]))  # noqa: T201  # a script
    return 0 if good == len(rows) and code == pytest.ExitCode.OK else 1


def table(results: dict[str, str], public: dict[str, str]) -> list[tuple[str, str, str]]:
    """Rows of id, area, result: the listed cases, then what is not listed but should be."""
    listed = {case: area for area, cases in CASES.items() for case in cases}
    rows = [(case, area, results.get(case, MISSING)) for case, area in listed.items()]
    rows += [(case, "", UNLISTED) for case in results if case not in listed]
    rows += [
        (case, area, NEW) for case, area in public.items() if area in CASES and case not in listed
    ]
    return rows


def public_cases() -> dict[str, str]:
    """Id and area of the collected bug reports, where that collection is at hand."""
    corpus = Path(os.environ.get("RAGKB_CORPUS") or ROOT.parent / "shared" / "corpus")
    path = corpus / "cases.jsonl"
    if not path.exists():
        return {}
    cases = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    return {case["id"]: case["area"] for case in cases}


if __name__ == "__main__":
    sys.exit(main())
