"""Tools that bring documents in: import_document, import_folder."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NotRequired, TypeVar

import anyio.to_thread
from mcp.server.mcpserver import Context
from mcp.types import CallToolResult
from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from ragkb.mcp.answers import answer, shortened_lists
from ragkb.mcp.arguments import OptionalChunkSize, OptionalFlag, OptionalText, Paths
from ragkb.mcp.backend import Backend
from ragkb.mcp.progress import Meter
from ragkb.mcp.wording import refusal, remark, worded
from ragkb.mcp.work import Work
from ragkb.messages import Language
from ragkb.services import validation

if TYPE_CHECKING:
    from ragkb.services.folders import FolderReport
    from ragkb.services.import_report import FailedFile, ImportedFile, ImportReport
    from ragkb.services.knowledge_bases import BaseInfo

_Result = TypeVar("_Result")


class Success(TypedDict):
    """A file that is in the base."""

    file_path: str
    doc_name: str
    chunk_count: int
    status: str
    notes: NotRequired[list[str]]


class Failure(TypedDict):
    """A file that is not, and why."""

    file_path: str
    error: str


class Imported(TypedDict):
    """One outcome for each file."""

    kb_name: str
    total: int
    success_count: int
    failed_count: int
    pending_count: int
    success_files: list[Success]
    failed_files: list[Failure]
    pending_files: list[str]
    notes: list[str]


class FolderImported(Imported):
    """The same for a folder."""

    new_count: int
    changed_count: int
    unchanged_count: int
    skipped_count: int
    skipped_files: list[Failure]
    vanished_count: int
    vanished: list[str]
    pruned: bool


@dataclass(frozen=True)
class Request:
    """What a call asks for: a base, and the canonical paths of the files."""

    base: "BaseInfo"
    paths: Sequence[str]


class ImportTools:
    """Tools that bring documents in."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    async def import_document(
        self,
        file_paths: Paths,
        context: Context[Any, Any],
        chunk_size: OptionalChunkSize = None,
        kb_name: OptionalText = None,
    ) -> Annotated[CallToolResult, Imported]:
        backend = self._backend

        def run(meter: Meter) -> "ImportReport":
            importing = backend.app.importing
            return importing.import_files(request.base, file_paths, meter.take, chunk_size)

        def prepare() -> Request:
            base = backend.base(kb_name)
            if chunk_size is not None:
                validation.chunk_size(chunk_size)
            return self._request(base, file_paths)

        request = await anyio.to_thread.run_sync(prepare)
        key = ("files", request.base.id, tuple(request.paths), chunk_size)
        work = await self._within_budget(key, request.base, run, context)
        report = work.result or work.meter.report
        shown = outcome(request, report, backend.language)
        return bounded(shown, ("failed_files", "pending_files", "success_files"), backend.language)

    async def import_folder(
        self,
        path: str,
        context: Context[Any, Any],
        include: OptionalText = None,
        prune: OptionalFlag = None,
        kb_name: OptionalText = None,
    ) -> Annotated[CallToolResult, FolderImported]:
        backend = self._backend
        pattern, deletes = include or "*", bool(prune)

        def run(meter: Meter) -> "FolderReport":
            folders = backend.app.folders
            return folders.import_folder(request.base, path, pattern, meter.take, prune=deletes)

        def prepare() -> Request:
            base = backend.base(kb_name)
            return self._request(base, backend.app.folders.files(path, pattern))

        request = await anyio.to_thread.run_sync(prepare)
        key = ("folder", request.base.id, path, pattern, deletes)
        work = await self._within_budget(key, request.base, run, context)
        shown = folder_outcome(request, work.result, work.meter.report, backend.language)
        lists = ("failed_files", "vanished", "pending_files", "success_files", "skipped_files")
        return bounded(shown, lists, backend.language)

    def _request(self, base: "BaseInfo", paths: Sequence[str]) -> Request:
        from ragkb.services.files import distinct_files, path_of

        files = distinct_files(paths, self._backend.access.admit)
        return Request(base, [path_of(each) for each in files])

    async def _within_budget(
        self,
        key: tuple[object, ...],
        base: "BaseInfo",
        run: Callable[[Meter], _Result],
        context: Context[Any, Any],
    ) -> Work[_Result]:
        """One import at a time in each base: a repeated call finds what the first has done."""
        seconds = self._backend.settings.mcp_call_seconds
        return await self._backend.works.within(key, base.id, run, seconds, context)


def outcome(
    request: Request,
    report: "ImportReport | None",
    language: Language,
    skipped: "Sequence[FailedFile]" = (),
) -> dict[str, Any]:
    """The outcomes until now; what has none yet is pending."""
    success = [*report.success_files] if report else []
    failed = [each for each in report.failed_files if each not in skipped] if report else []
    done = {each.file_path for each in (*success, *failed, *skipped)}
    pending = [path for path in request.paths if path not in done]
    goes_on = [worded("answer.goes_on", {"pending": len(pending)}, language)] if pending else []
    return {
        "kb_name": request.base.name,
        "total": len(success) + len(failed) + len(pending),
        "success_count": len(success),
        "failed_count": len(failed),
        "pending_count": len(pending),
        "success_files": [success_data(each, language) for each in success],
        "failed_files": [failure_data(each, language) for each in failed],
        "pending_files": pending,
        "notes": goes_on,
    }


def folder_outcome(
    request: Request,
    ended: "FolderReport | None",
    report: "ImportReport | None",
    language: Language,
) -> dict[str, Any]:
    """The same for a folder; what has vanished is known only at the end."""
    from ragkb.errors import UnsupportedType

    found = ended.files if ended else report
    failed = [*found.failed_files] if found else []
    skipped = [each for each in failed if isinstance(each.error, UnsupportedType)]
    skipped += ended.skipped_files if ended else []
    statuses = [each.status for each in found.success_files] if found else []
    vanished = ended.vanished if ended else []
    return outcome(request, found, language, skipped) | {
        "new_count": statuses.count("imported"),
        "changed_count": statuses.count("updated"),
        "unchanged_count": statuses.count("unchanged"),
        "skipped_count": len(skipped),
        "skipped_files": [failure_data(each, language) for each in skipped],
        "vanished_count": len(vanished),
        "vanished": vanished,
        "pruned": bool(ended and ended.pruned),
    }


def bounded(content: dict[str, Any], lists: Sequence[str], language: Language) -> CallToolResult:
    """The answer, cut to what a client takes; an error only when every file failed."""
    nothing_done = 0 < content["total"] == content["failed_count"]
    return answer(shortened_lists(content, lists, language), failed=nothing_done)


def success_data(file: "ImportedFile", language: Language) -> dict[str, Any]:
    """A file that is in the base."""
    shown = {
        "file_path": file.file_path,
        "doc_name": file.doc_name,
        "chunk_count": file.chunk_count,
        "status": file.status,
    }
    notes = [remark(note, language) for note in file.notes]
    return shown | ({"notes": notes} if notes else {})


def failure_data(file: "FailedFile", language: Language) -> dict[str, Any]:
    """A file that failed, with the reason and what to do."""
    reason = refusal(file.error, language)
    if file.stored:
        name = Path(file.file_path).name
        reason = worded("import.stored_only", {"name": name, "reason": reason}, language)
    return {"file_path": file.file_path, "error": reason}
