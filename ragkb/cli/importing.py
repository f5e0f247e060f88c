"""Commands that bring documents in: import_doc, import_dir, embed."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragkb.cli.context import Context, command
from ragkb.cli.output import Output, Reply, bullets
from ragkb.cli.parsing import Argument

if TYPE_CHECKING:  # the services load numpy and more; `list_kb` needs none of it
    from ragkb.services.embedding import EmbeddingReport
    from ragkb.services.import_report import FailedFile, ImportedFile, ImportReport, Progress

PARTLY = 3


def import_doc(context: Context) -> Reply:
    """Import files."""
    base = context.base()
    with context.output.progress() as move:
        report = context.app.importing.import_files(
            base,
            context.values["file_paths"],
            moving(context.output, move),
            context.values["chunk_size"],
        )
    return Reply(
        summary(context.output, report),
        as_data(context.output, report),
        "\n".join(lines_of(context.output, report)),
        exit_code=exit_code(report),
    )


def import_dir(context: Context) -> Reply:
    """Import a folder."""
    base, values, output = context.base(), context.values, context.output
    with output.progress() as move:
        report = context.app.folders.import_folder(
            base,
            values["path"],
            values["include"] or "*",
            moving(output, move),
            prune=values["prune"],
        )
    lines = lines_of(output, report.files, unchanged=False)
    skipped = [each.error.text(output.language) for each in report.skipped_files]
    lines += [output.say("import.skipped", reason=reason) for reason in skipped]
    kind = "import.pruned" if report.pruned else "import.vanished"
    lines += [output.say(kind, doc_name=name) for name in report.vanished]
    data = as_data(output, report.files) | {
        **counts(report.files.success_files),
        "skipped_files": [failure(output, each) for each in report.skipped_files],
        "vanished": report.vanished,
        "vanished_count": len(report.vanished),
        "pruned": report.pruned,
    }
    message = output.say(
        "result.import_dir",
        **counts(report.files.success_files),
        failed=len(report.files.failed_files),
        skipped=len(report.skipped_files),
        vanished=len(report.vanished),
    )
    return Reply(message, data, "\n".join(lines), exit_code=exit_code(report.files))


def embed(context: Context) -> Reply:
    """Complete missing vectors."""
    output = context.output
    adoption = context.app.adopting.adopt(context.base())
    base = adoption.base
    total = context.app.embedding.count_missing(base)
    done = 0
    with output.progress() as move:

        def on_batch(chunks: int) -> None:
            nonlocal done
            done += chunks
            move(output.say("progress.chunks"), done, total)

        report = context.app.embedding.complete_base(base, on_batch)
    left = context.app.embedding.count_missing(base)
    return Reply(
        output.say("result.embed", kb_name=base.name, embedded=report.embedded, left=left),
        {
            "kb_name": base.name,
            "embedded": report.embedded,
            "adopted": adoption.adopted,
            "missing": left,
        },
        bullets(reasons(output, report)),
        adoption.notes,
        exit_code=0 if not report.failed else (PARTLY if report.embedded else 1),
    )


def reasons(output: Output, report: "EmbeddingReport") -> list[str]:
    """Why documents failed, each reason once."""
    return list(dict.fromkeys(each.text(output.language) for each in report.failed.values()))


def moving(output: Output, move: Callable[[str, int, int], None]) -> "Callable[[Progress], None]":
    """Shows an import's progress on a bar."""

    def on_progress(progress: "Progress") -> None:
        label = Path(progress.name).name or output.say("progress.chunks")
        move(label, progress.done, progress.total)

    return on_progress


def exit_code(report: "ImportReport") -> int:
    """0 when nothing failed, 1 when everything did, else 3."""
    if not report.failed_files:
        return 0
    return PARTLY if report.success_files or report.pending_files else 1


def summary(output: Output, report: "ImportReport") -> str:
    """One sentence about an import."""
    return output.say(
        "result.import_doc",
        kb_name=report.kb_name,
        total=report.total,
        success=len(report.success_files),
        failed=len(report.failed_files),
        pending=len(report.pending_files),
    )


def lines_of(output: Output, report: "ImportReport", *, unchanged: bool = True) -> list[str]:
    """A line for each file."""
    lines = [
        f"{output.say(f'import.{each.status}')}  {describe(output, each)}"
        for each in report.success_files
        if unchanged or each.status != "unchanged"
    ]
    lines += [f"{output.say('import.pending')}  {path}" for path in report.pending_files]
    lines += [
        f"{output.say('import.failed')}  {failure(output, each)['error']}"
        for each in report.failed_files
    ]
    return lines


def describe(output: Output, file: "ImportedFile") -> str:
    """A file's name with what was read of it, and what is worth knowing."""
    parts = [output.say("import.chunks", count=file.chunk_count), file.file_type]
    if file.pages:
        parts.append(output.say("import.pages", count=file.pages))
    parts.append(output.say("import.characters", count=file.characters))
    if file.encoding:
        parts.append(file.encoding)
    notes = "".join(f"\n    {note.text(output.language)}" for note in file.notes)
    return f"{file.doc_name} ({', '.join(parts)}){notes}"


def counts(files: Sequence["ImportedFile"]) -> dict[str, int]:
    """How many files are new, changed and unchanged."""
    statuses = [each.status for each in files]
    return {
        "new_count": statuses.count("imported"),
        "changed_count": statuses.count("updated"),
        "unchanged_count": statuses.count("unchanged"),
    }


def as_data(output: Output, report: "ImportReport") -> dict[str, Any]:
    """An import's report for programs."""
    return {
        "kb_name": report.kb_name,
        "total": report.total,
        "success_count": len(report.success_files),
        "failed_count": len(report.failed_files),
        "success_files": [success(output, each) for each in report.success_files],
        "failed_files": [failure(output, each) for each in report.failed_files],
        "pending_count": len(report.pending_files),
        "pending_files": report.pending_files,
    }


def success(output: Output, file: "ImportedFile") -> dict[str, Any]:
    """A file that is in the base, for programs."""
    return {
        "file_path": file.file_path,
        "doc_name": file.doc_name,
        "chunk_count": file.chunk_count,
        "status": file.status,
        "file_type": file.file_type,
        "characters": file.characters,
        "pages": file.pages,
        "encoding": file.encoding,
        "notes": [note.text(output.language) for note in file.notes],
    }


def failure(output: Output, file: "FailedFile") -> dict[str, Any]:
    """A file that failed, for programs; `stored` when its text can be found by keyword."""
    reason = file.error.text(output.language)
    if file.stored:
        reason = output.say("import.stored_only", name=Path(file.file_path).name, reason=reason)
    return {"file_path": file.file_path, "error": reason, "stored": file.stored}


COMMANDS = (
    command(
        "import_doc",
        import_doc,
        Argument("file_paths", required=True, many=True),
        Argument("chunk_size"),
        in_base=True,
    ),
    command(
        "import_dir",
        import_dir,
        Argument("path", required=True),
        Argument("include"),
        Argument("prune", flag=True),
        in_base=True,
    ),
    command("embed", embed, in_base=True),
)
