"""The command doctor."""

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ragkb.cli.context import Context, command
from ragkb.cli.output import Output, Reply
from ragkb.cli.parsing import Argument

if TYPE_CHECKING:
    from ragkb.services.doctor import BaseHealth, Examination, Finding


def doctor(context: Context) -> Reply:
    """Check everything, and repair what can be."""
    output, fix = context.output, context.values["fix"]
    seen = context.app.doctor.examine(fix=fix)
    lines = [output.say("doctor.environment", **asdict(seen.environment))]
    lines += [describe(output, base) for base in seen.bases]
    lines += [f"{mark(output, each)}  {each.note.text(output.language)}" for each in seen.findings]
    if fix and not output.as_json and sys.stdin.isatty():
        _offer_to_delete(output, seen)
    lines += [
        f"{output.say('doctor.mark.notice')}  {output.say('doctor.old_keys', path=path)}"
        for path in seen.old_keys
        if path.exists()
    ]
    failed = bool(seen.problems)
    return Reply(
        summary(output, seen), as_data(output, seen), "\n".join(lines), exit_code=int(failed)
    )


def summary(output: Output, seen: "Examination") -> str:
    """One sentence about everything."""
    notices = sum(each.level == "notice" and not each.repaired for each in seen.findings)
    counts = {
        "problems": len(seen.problems),
        "repaired": sum(each.repaired for each in seen.findings),
        "notices": notices + len(seen.old_keys),
    }
    if counts["problems"]:
        return output.say("result.doctor.problems", **counts)
    if counts["repaired"]:
        return output.say("result.doctor.repaired", **counts)
    return output.say(
        "result.doctor.notices" if counts["notices"] else "result.doctor.healthy", **counts
    )


def mark(output: Output, finding: "Finding") -> str:
    """How a finding is marked at the begin of its line."""
    return output.say(f"doctor.mark.{'repaired' if finding.repaired else finding.level}")


def describe(output: Output, base: "BaseHealth") -> str:
    """A base in one line."""
    models = ", ".join(f"{name} ({dim}): {count}" for name, dim, count in base.models) or "-"
    return output.say(
        "doctor.base", **{**vars(base), "missing": base.missing_vectors, "models": models}
    )


def as_data(output: Output, seen: "Examination") -> dict[str, Any]:
    """An examination for programs."""
    return {
        "environment": asdict(seen.environment),
        "knowledge_bases": [
            {
                "name": base.name,
                "documents": base.documents,
                "chunks": base.chunks,
                "missing_vectors": base.missing_vectors,
                "models": [
                    {"model": model, "dimension": dimension, "count": count}
                    for model, dimension, count in base.models
                ],
            }
            for base in seen.bases
        ],
        "findings": [
            {
                "kind": each.note.key,
                "level": each.level,
                "kb_name": each.kb_name,
                "message": each.note.text(output.language),
                "repaired": each.repaired,
            }
            for each in seen.findings
        ],
        "problem_count": len(seen.problems),
        "copies_with_keys": seen.old_keys,
    }


def _offer_to_delete(output: Output, seen: "Examination") -> None:
    """Ask for each safety copy with keys whether it may go; it is the only way back."""
    for path in seen.old_keys:
        if input(output.say("doctor.old_keys.ask", path=path)).strip().casefold() in ("y", "yes"):
            path.unlink()
            output.announce(output.say("doctor.old_keys.deleted", path=path))


COMMANDS = (command("doctor", doctor, Argument("fix", flag=True)),)
