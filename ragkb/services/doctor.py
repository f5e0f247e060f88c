"""Checks of the installation, the file and every base, and the repairs that need no guess."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal

from ragkb.errors import RagError
from ragkb.home import Home
from ragkb.messages import Note
from ragkb.models import UNKNOWN_MODEL, KnowledgeBase, ModelChange
from ragkb.repositories.store import Store, UnitOfWork
from ragkb.repositories.well_formed import holds_keys
from ragkb.services.diagnosis import Environment, environment_of, mode_of, sources_of
from ragkb.services.places import headings_of
from ragkb.services.storing import chunks_of, put_chunks

Level = Literal["problem", "notice"]
Repair = Callable[[UnitOfWork], None]
NAMES_AT_MOST = 5


@dataclass(frozen=True)
class Finding:
    """Something that is wrong (`problem`) or worth knowing (`notice`), in a base or in general."""

    note: Note
    level: Level
    kb_name: str = ""
    repaired: bool = False


@dataclass(frozen=True)
class BaseHealth:
    """The numbers of a base; `models` are model, dimension and number of its vectors."""

    name: str
    documents: int
    chunks: int
    missing_vectors: int
    models: tuple[tuple[str, int, int], ...]


@dataclass(frozen=True)
class Examination:
    """What the doctor saw; `old_keys` are safety copies that still hold API keys in clear text."""

    environment: Environment
    bases: tuple[BaseHealth, ...]
    findings: tuple[Finding, ...]
    old_keys: tuple[Path, ...]

    @property
    def problems(self) -> tuple[Finding, ...]:
        """What is wrong still."""
        return tuple(
            each for each in self.findings if each.level == "problem" and not each.repaired
        )


@dataclass(frozen=True)
class _Case:
    """A finding, and how it is put right."""

    finding: Finding
    repair: Repair | None = None


class Doctor:
    """Examines a home."""

    def __init__(self, store: Store, home: Home) -> None:
        self._store = store
        self._home = home

    def examine(self, *, fix: bool = False) -> Examination:
        """Check everything; with `fix` repair what needs no guess and give free space back."""
        findings = [*_permissions(self._home, fix=fix)]
        bases: list[BaseHealth] = []
        if not self._home.database.exists():
            return self._report(bases, [*findings, _notice("doctor.no_database", "")])
        try:
            with self._store.read() as work:
                kb_ids = [base.id for base in work.bases.all()]
                bases = [_health(work, base) for base in work.bases.all()]
            for kb_id in kb_ids:
                cases = partial(_base_cases, kb_id=kb_id)
                findings += self._examine(cases, fix=fix)
            findings += self._examine(_file_cases, fix=fix)
            if fix:
                self._tidy(kb_ids)
        except RagError as error:
            findings.append(Finding(error.as_note(), "problem"))
        return self._report(bases, findings)

    def _examine(
        self, cases: Callable[[UnitOfWork], Iterator[_Case]], *, fix: bool
    ) -> list[Finding]:
        """Collect findings; the repairs of one base are one transaction.

        What cannot be examined at all is a finding too.
        """
        try:
            if not fix:
                with self._store.read() as work:
                    return [case.finding for case in cases(work)]
            with self._store.write() as work:
                return [_treated(case, work) for case in cases(work)]
        except RagError as error:
            return [Finding(error.as_note(), "problem")]

    def _tidy(self, kb_ids: list[str]) -> None:
        """Nothing of deleted text is left: not in the keyword indexes, not in free pages."""
        with self._store.write() as work:
            for kb_id in kb_ids:
                work.repairs.optimize(kb_id)
        self._store.vacuum()

    def _report(self, bases: list[BaseHealth], findings: list[Finding]) -> Examination:
        copies = sorted(self._home.backups.glob("*.db")) if self._home.backups.is_dir() else []
        old_keys = tuple(copy for copy in copies if holds_keys(copy))
        environment = environment_of(self._home, self._store)
        return Examination(environment, tuple(bases), tuple(findings), old_keys)


def _treated(case: _Case, work: UnitOfWork) -> Finding:
    """Repair what can be; cases that come later see the repaired state."""
    if case.repair is None:
        return case.finding
    case.repair(work)
    return replace(case.finding, repaired=True)


def _health(work: UnitOfWork, base: KnowledgeBase) -> BaseHealth:
    missing = work.embeddings(base.id, base.embedding_model or "").count_missing()
    return BaseHealth(
        base.name,
        work.bases.count_documents(base.id),
        work.bases.count_chunks(base.id),
        missing,
        tuple(work.integrity.models(base.id)),
    )


def _base_cases(work: UnitOfWork, kb_id: str) -> Iterator[_Case]:
    """What is wrong with a base; rows first, because the indexes are made from them."""
    base = work.bases.get(kb_id)
    if base is None:  # deleted meanwhile
        return
    yield from _document_cases(work, base)
    yield from _vector_cases(work, base)
    unsettled = work.integrity.unsettled(kb_id)
    if unsettled:
        finding = _notice("doctor.unsettled", base.name, count=len(unsettled))
        yield _Case(finding, lambda work: work.repairs.settle(work.integrity.unsettled(kb_id)))
    state = work.integrity.index(kb_id)
    if not state.agrees:
        values = {"unindexed": state.unindexed, "orphans": state.orphans, "detail": state.damaged}
        finding = _problem("doctor.index", base.name, **values)
        yield _Case(finding, lambda work: work.repairs.rebuild_index(kb_id))


def _document_cases(work: UnitOfWork, base: KnowledgeBase) -> Iterator[_Case]:
    damaged = work.integrity.damaged_documents(base.id)
    for reason in damaged.values():
        yield _Case(_problem("doctor.damaged_document", base.name, reason=reason))
    documents = work.documents(base.id)
    names = documents.names_by_id()
    empty = work.integrity.without_chunks(base.id)
    with_text = {each for each in empty if each not in damaged and documents.content(each).strip()}
    for doc_id in sorted({*work.integrity.cut_wrongly(base.id), *with_text} - set(damaged)):
        finding = _problem("doctor.split", base.name, doc_name=names[doc_id])
        yield _Case(finding, lambda work, doc_id=doc_id: _split_anew(work, base.id, doc_id))
    blank = [names[each] for each in empty if each not in with_text and each not in damaged]
    if blank:
        yield _Case(_notice("doctor.no_text", base.name, count=len(blank), names=_listed(blank)))
    sources = sources_of(documents)
    for kind, gone in (("vanished", sources.vanished), ("changed", sources.changed)):
        if gone:
            values = {"count": len(gone), "names": _listed(gone)}
            yield _Case(_notice(f"doctor.source_{kind}", base.name, **values))


def _vector_cases(work: UnitOfWork, base: KnowledgeBase) -> Iterator[_Case]:
    if damaged := work.integrity.damaged_vectors(base.id):
        finding = _problem("doctor.damaged_vectors", base.name, count=len(damaged))
        yield _Case(finding, lambda work: work.repairs.remove_vectors(damaged))
    if superseded := work.integrity.superseded(base.id):
        finding = _notice("doctor.superseded", base.name, count=len(superseded))
        yield _Case(finding, lambda work: work.repairs.remove_vectors(superseded))
    change = work.session.get(ModelChange, base.id)
    kept = change.vectors_name if change else None
    for model, dimension, count in work.integrity.models(base.id):
        if (model, dimension) == (base.embedding_model, base.embedding_dim) or model == kept:
            continue
        values = {"model": model, "dimension": dimension, "count": count}
        if model == UNKNOWN_MODEL:
            yield _Case(_notice("doctor.unknown_vectors", base.name, **values))
        else:
            yield _Case(_notice("doctor.other_vectors", base.name, **values))
    missing = work.embeddings(base.id, base.embedding_model or "").count_missing()
    if missing:
        yield _Case(_notice("doctor.missing_vectors", base.name, count=missing))


def _file_cases(work: UnitOfWork) -> Iterator[_Case]:
    """What is wrong with the file as a whole."""
    integrity = work.integrity
    stray = integrity.stray_indexes([base.id for base in work.bases.all()])
    if stray:
        finding = _problem("doctor.stray_indexes", "", count=len(stray))
        yield _Case(finding, lambda work: work.repairs.drop_tables(stray))
    state = integrity.file()
    if state.broken_references:
        finding = _problem("doctor.references", "", count=state.broken_references)
        yield _Case(finding, lambda work: work.repairs.remove_unreachable())
    for problem in state.problems:
        yield _Case(_problem("doctor.file", "", detail=problem))


def _split_anew(work: UnitOfWork, kb_id: str, doc_id: str) -> None:
    """Cut a document again from its stored text."""
    document = work.documents(kb_id).by_id(doc_id)
    if document is None:
        return
    layout = document.layout
    chunks = chunks_of(
        document.content, document.chunk_size, headings_of(layout), layout.get("pages", ())
    )
    put_chunks(work, document, chunks)


def _permissions(home: Home, *, fix: bool) -> Iterator[Finding]:
    """Files with keys that others can read."""
    copies = home.backups.glob("*.db") if home.backups.is_dir() else ()
    for path in (home.keys, *copies):
        if path.exists() and mode_of(path) & 0o077:
            if fix:
                path.chmod(0o600)
            note = Note("doctor.permissions", {"path": str(path)})
            yield Finding(note, "problem", repaired=fix)


def _problem(key: str, kb_name: str, **values: object) -> Finding:
    return Finding(Note(key, {"kb_name": kb_name, **values}), "problem", kb_name)


def _notice(key: str, kb_name: str, **values: object) -> Finding:
    return Finding(Note(key, {"kb_name": kb_name, **values}), "notice", kb_name)


def _listed(names: list[str]) -> str:
    """Some of the names."""
    return ", ".join(names[:NAMES_AT_MOST]) + (", …" if len(names) > NAMES_AT_MOST else "")
