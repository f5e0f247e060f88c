"""Commands on whole databases: export_db, import_db, db verify, db upgrade."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragkb.cli.context import Context, command
from ragkb.cli.output import Reply, Table
from ragkb.cli.parsing import Argument

if TYPE_CHECKING:
    from ragkb.repositories.manifest import Manifest

DRY_RUN = Argument("dry-run", flag=True)
BASE_HEADINGS = ("name", "documents", "chunks", "vectors")


def export_db(context: Context) -> Reply:
    """Write everything to one file."""
    values = context.values
    exported = context.app.transfer.export(values["export_path"], force=values["force"])
    data = {
        "source_path": exported.source_path,
        "export_path": exported.export_path,
        **as_data(exported.manifest),
    }
    message = context.output.say(
        "result.export_db",
        count=len(exported.manifest.knowledge_bases),
        path=exported.export_path,
    )
    return Reply(message, data, bases_of(context, exported.manifest))


def import_db(context: Context) -> Reply:
    """Take the bases of another file in."""
    values, say = context.values, context.output.say
    merged = context.app.transfer.merge(values["source_db_path"], dry_run=values["dry-run"])
    data = {
        "source_path": merged.source_path,
        "imported_kb_count": len(merged.bases),
        "imported_doc_count": merged.document_count,
        "knowledge_bases": [asdict(base) for base in merged.bases],
        "renamed": merged.renamed,
        "dry_run": merged.dry_run,
    }
    counts = {"bases": len(merged.bases), "documents": merged.document_count}
    message = say("result.import_db.dry" if merged.dry_run else "result.import_db", **counts)
    rows = tuple(
        (each.name, each.new_name, str(each.documents), str(each.chunks), str(each.vectors))
        for each in merged.bases
    )
    headings = ("name_there", "name_here", *BASE_HEADINGS[1:])
    table = Table(tuple(say(f"heading.{each}") for each in headings), rows)
    return Reply(message, data, table if rows else "", merged.notes)


def db_verify(context: Context) -> Reply:
    """Prove an exported file."""
    verified = context.app.transfer.verify(context.values["file"])
    manifest = verified.manifest
    data = {"path": verified.path, "is_true": verified.is_true, **as_data(manifest)}
    message = context.output.say(
        "result.db_verify" if verified.is_true else "result.db_verify.differs",
        path=verified.path,
        exported_at=manifest.exported_at,
        version=manifest.program_version,
    )
    return Reply(message, data, bases_of(context, manifest), exit_code=int(not verified.is_true))


def db_upgrade(context: Context) -> Reply:
    """Bring a file to the present schema, or say what that would mean."""
    given = context.values["database"]
    path = Path(given).expanduser().absolute() if given else context.app.home.database
    dry_run = context.values["dry-run"]
    facts = asdict(context.app.database_upgrade.outlook(path))
    is_due = facts["found"] != facts["head"]
    data = {**facts, "is_due": is_due, "dry_run": dry_run}
    if is_due and not dry_run:
        context.app.database_upgrade.run(path)
    kind = ("dry" if dry_run else "done") if is_due else "none"
    return Reply(context.output.say(f"result.db_upgrade.{kind}", **facts), data)


def as_data(manifest: "Manifest") -> dict[str, Any]:
    """A manifest for programs."""
    return asdict(manifest)


def bases_of(context: Context, manifest: "Manifest") -> Table:
    """The bases of a manifest for a person."""
    rows = tuple(
        (each.name, str(each.documents), str(each.chunks), str(each.vectors))
        for each in manifest.knowledge_bases
    )
    say = context.output.say
    return Table(tuple(say(f"heading.{each}") for each in BASE_HEADINGS), rows)


COMMANDS = (
    command(
        "export_db",
        export_db,
        Argument("export_path", required=True),
        Argument("force", flag=True),
    ),
    command("import_db", import_db, Argument("source_db_path", required=True), DRY_RUN),
    command("db verify", db_verify, Argument("file", required=True, positional=True)),
    command("db upgrade", db_upgrade, Argument("database", positional=True), DRY_RUN),
)
