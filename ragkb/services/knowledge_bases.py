"""Knowledge bases: create, list, select, find, delete."""

import uuid
from dataclasses import dataclass, field
from datetime import datetime

from ragkb.errors import BaseExists, BaseIsCurrent, NoSuchBase, NothingSelected
from ragkb.home import Home
from ragkb.home.keys import forget_key, store_keys
from ragkb.home.selection import select_base, selected_base
from ragkb.messages import Note
from ragkb.models import KnowledgeBase
from ragkb.repositories.store import Store, UnitOfWork
from ragkb.services import validation
from ragkb.services.embedders import Embedders, ModelChoice
from ragkb.text.tokens import TOKEN_ENCODING


@dataclass(frozen=True)
class BaseInfo:
    """A knowledge base as it is shown; times are UTC."""

    id: str
    name: str
    chunk_size: int
    embedding_model: str | None
    embedding_endpoint: str | None
    embedding_dim: int | None
    windows: bool
    created_at: datetime
    document_count: int = 0
    is_current: bool = False
    notes: tuple[Note, ...] = field(default=())


class KnowledgeBases:
    """The knowledge bases of a home."""

    def __init__(self, store: Store, home: Home, embedders: Embedders) -> None:
        self._store = store
        self._home = home
        self._embedders = embedders

    def create(
        self,
        name: str,
        chunk_size: object,
        *,
        embedding_model: str | None = None,
        embedding_endpoint: str | None = None,
        embedding_api_key: str | None = None,
    ) -> BaseInfo:
        """Create a base. What is not given about embedding comes from the settings.

        `embedding_api_key` is the key or `env:NAME`; it is kept in secrets.json, never in kb.db.
        """
        clean = validation.base_name(name)
        size = validation.chunk_size(chunk_size)
        choice = self._embedders.choose(embedding_model, embedding_endpoint)
        if choice.is_builtin:
            self._embedders.with_key(choice, None)  # ModelUnavailable now, not at the first import
        base = KnowledgeBase(
            id=str(uuid.uuid4()),
            name=clean,
            chunk_size=size,
            token_encoding=TOKEN_ENCODING,
            embedding_model=choice.model,
            embedding_endpoint=choice.endpoint,
            windows=choice.is_builtin,
        )
        with self._store.write() as work:
            if work.bases.by_name(clean):
                raise BaseExists(clean)
            work.bases.add(base)
            work.index.create(base.id)
            if embedding_api_key and choice.endpoint:
                store_keys(self._home, {base.id: (choice.endpoint, embedding_api_key)})
        small = size < validation.SMALL_CHUNK_SIZE
        return info(base, notes=(Note("note.small_chunks", {"chunk_size": size}),) if small else ())

    def list_all(self) -> list[BaseInfo]:
        """All bases by name."""
        current = selected_base(self._home)
        with self._store.read() as work:
            return [
                info(base, work.bases.count_documents(base.id), is_current=base.id == current)
                for base in work.bases.all()
            ]

    def select(self, name: str) -> BaseInfo:
        """Make a base the default of every call that names none."""
        base = self.find(name)
        select_base(self._home, base.id)
        return base

    def find(self, name: str | None) -> BaseInfo:
        """The base of that name, or the selected one: NoSuchBase, NothingSelected."""
        with self._store.read() as work:
            row = find_base(work, self._home, name)
            return info(row, work.bases.count_documents(row.id))

    def delete(self, name: str) -> str:
        """Delete a base with all it holds; the selected one is refused. Returns its name."""
        with self._store.write() as work:
            base = find_base(work, self._home, validation.base_name(name))
            if base.id == selected_base(self._home):
                raise BaseIsCurrent(base.name)
            work.index.drop(base.id)
            work.bases.delete(base)
            forget_key(self._home, base.id)
            return base.name


def find_base(work: UnitOfWork, home: Home, name: str | None) -> KnowledgeBase:
    """The row of a named base, or of the selected one when `name` is None."""
    if name is None:
        current = selected_base(home)
        base = work.bases.get(current) if current else None
        if base is None:
            raise NothingSelected(work.bases.names())
        return base
    clean = validation.base_name(name)
    base = work.bases.by_name(clean)
    if base is None:
        raise NoSuchBase(clean, work.bases.names())
    return base


def info(
    base: KnowledgeBase,
    document_count: int = 0,
    *,
    is_current: bool = False,
    notes: tuple[Note, ...] = (),
) -> BaseInfo:
    """A row as a value."""
    return BaseInfo(
        id=base.id,
        name=base.name,
        chunk_size=base.chunk_size,
        embedding_model=base.embedding_model,
        embedding_endpoint=base.embedding_endpoint,
        embedding_dim=base.embedding_dim,
        windows=base.windows,
        created_at=base.created_at,
        document_count=document_count,
        is_current=is_current,
        notes=notes,
    )


def model_of(base: BaseInfo, embedders: Embedders) -> ModelChoice:
    """The model of a base; of an old base that names none, the settings' default."""
    return embedders.choose(base.embedding_model, base.embedding_endpoint)
