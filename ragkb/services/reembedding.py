"""Changing a base's embedding model: new vectors beside the old, a switch, and a way back."""

from collections.abc import Sequence
from dataclasses import dataclass

from ragkb.embeddings.embedder import Embedder
from ragkb.errors import EmbeddingFailed, NoModelChange, OldVectorsKept, WrongDimension
from ragkb.home import Home
from ragkb.home.keys import forget_key, move_key, store_keys
from ragkb.models import BUILDING, SWITCHED, KnowledgeBase, ModelChange, now
from ragkb.repositories.store import Store, UnitOfWork
from ragkb.services.embedders import Embedders, ModelChoice
from ragkb.services.embedding import DOCUMENTS_AT_ONCE, OnBatch
from ragkb.services.knowledge_bases import BaseInfo
from ragkb.services.leases import LEASE, claim, new_owner
from ragkb.services.vector_making import PROBE, MadeVectors, check_same_model, make_vectors

# What a base's own row and the row of its model change have in common, and exchange.
FIELDS = (
    "embedding_model",
    "embedding_endpoint",
    "embedding_dim",
    "embedding_probe",
    "windows",
)


@dataclass(frozen=True)
class Reembedded:
    """How far a change of model is: `missing` chunks have no new vector yet, 0 after the switch."""

    model: str
    embedded: int
    missing: int
    switched: bool
    failure: EmbeddingFailed | None = None


class Reembedding:
    """Gives bases another embedding model while they go on answering with the old one."""

    def __init__(self, store: Store, home: Home, embedders: Embedders) -> None:
        self._store = store
        self._home = home
        self._embedders = embedders
        self._owner = new_owner()

    def change_model(
        self,
        base: BaseInfo,
        on_batch: OnBatch,
        *,
        model: str | None,
        endpoint: str | None = None,
        api_key: str | None = None,
    ) -> Reembedded:
        """Make the vectors of another model, and switch to it once none is missing.

        Each batch is kept as it comes: after a failure or a kill the same call goes on. Without a
        model the change under way goes on; NoModelChange when there is none, OldVectorsKept when
        the one before has neither been undone nor settled.
        """
        change = self._begin(base, model, endpoint, api_key)
        choice = ModelChoice(change.embedding_model, change.embedding_endpoint)
        embedder = self._embedders.embedder(next_key(base.id), choice)
        run = _Building(self._store, base, change, embedder, self._owner)
        failure = run.build(on_batch)
        missing = self._missing(base, change)
        switched = not failure and not missing and self._switch(base)
        return Reembedded(change.embedding_model, run.embedded, missing, switched, failure)

    def roll_back(self, base: BaseInfo) -> str:
        """Return to the model before the last change; its name. NoModelChange if there is none."""
        with self._store.write() as work:
            change = self._of(work, base, SWITCHED)
            row = self._row(work, base)
            name = change.embedding_model
            exchange(work, row, change, "next")
            work.embeddings(row.id, f"next:{change.embedding_model}").delete_all()
            work.session.delete(change)
            self._settle(work, row)
            move_key(self._home, previous_key(base.id), base.id)
            return name

    def drop_old(self, base: BaseInfo) -> int:
        """Delete the vectors of the model before the last change; of how many chunks."""
        with self._store.write() as work:
            change = self._of(work, base, SWITCHED)
            count = work.embeddings(base.id, change.vectors_name).delete_all()
            work.session.delete(change)
            forget_key(self._home, previous_key(base.id))
            return count

    def _begin(
        self, base: BaseInfo, model: str | None, endpoint: str | None, api_key: str | None
    ) -> ModelChange:
        with self._store.write() as work:
            change = work.bases.model_change(base.id)
            if change is not None and change.state == SWITCHED:
                raise OldVectorsKept(base.name, change.embedding_model)
            if model is None and endpoint is None:
                return self._of(work, base, BUILDING)
            choice = self._embedders.choose(model, endpoint)
            if change is not None and not is_for(change, choice):
                work.embeddings(base.id, change.vectors_name).delete_all()
                work.session.delete(change)
                work.session.flush()
                change = None
            if change is None:
                change = ModelChange(
                    kb_id=base.id,
                    state=BUILDING,
                    embedding_model=choice.model,
                    embedding_endpoint=choice.endpoint,
                    windows=choice.is_builtin,
                )
                work.session.add(change)
            if api_key and choice.endpoint:
                store_keys(self._home, {next_key(base.id): (choice.endpoint, api_key)})
            return change

    def _missing(self, base: BaseInfo, change: ModelChange) -> int:
        with self._store.read() as work:
            return work.embeddings(base.id, change.vectors_name).count_missing()

    def _switch(self, base: BaseInfo) -> bool:
        """Make the new model the base's own, unless a chunk came in meanwhile."""
        with self._store.write() as work:
            change = self._of(work, base, BUILDING)
            if work.embeddings(base.id, change.vectors_name).count_missing():
                return False
            row = self._row(work, base)
            exchange(work, row, change, "previous")
            change.state = SWITCHED
            change.created_at = now()
            self._settle(work, row)
            move_key(self._home, base.id, previous_key(base.id))
            move_key(self._home, next_key(base.id), base.id)
            return True

    def _settle(self, work: UnitOfWork, row: KnowledgeBase) -> None:
        """Index the vectors that are the base's own now, and tell which documents lack some."""
        work.session.flush()
        work.index.rebuild_vectors(row.id)
        work.embeddings(row.id, row.embedding_model or "").settle_all()

    def _of(self, work: UnitOfWork, base: BaseInfo, state: str) -> ModelChange:
        change = work.bases.model_change(base.id)
        if change is None or change.state != state:
            raise NoModelChange(base.name)
        return change

    def _row(self, work: UnitOfWork, base: BaseInfo) -> KnowledgeBase:
        row = work.bases.get(base.id)
        if row is None:
            raise NoModelChange(base.name)
        return row


class _Building:
    """One run of making the next model's vectors."""

    def __init__(
        self, store: Store, base: BaseInfo, change: ModelChange, embedder: Embedder, owner: str
    ) -> None:
        self._store = store
        self._base = base
        self._change = change
        self._embedder = embedder
        self._owner = owner
        self.embedded = 0

    def build(self, on_batch: OnBatch) -> EmbeddingFailed | None:
        """Embed what is missing, some documents at a time; the failure that ended it, if any."""
        with self._store.read() as work:
            doc_ids = work.documents(self._base.id).ids()
        try:
            self._check_probe()
            for begin in range(0, len(doc_ids), DOCUMENTS_AT_ONCE):
                self._build_some(doc_ids[begin : begin + DOCUMENTS_AT_ONCE], on_batch)
        except EmbeddingFailed as error:
            return error
        return None

    def _check_probe(self) -> None:
        probe = self._embedder.embed_passages([PROBE])[0]
        with self._store.write() as work:
            change = work.bases.model_change(self._base.id)
            if change is None:
                return
            if change.embedding_probe is not None:
                name = self._base.name
                check_same_model(name, change.embedding_model, change.embedding_probe, probe)
            change.embedding_dim = len(probe)
            change.embedding_probe = probe.astype("<f4").tobytes()
            self._change = change

    def _build_some(self, doc_ids: Sequence[str], on_batch: OnBatch) -> None:
        with self._store.write() as work:
            ours = claim(work, self._owner, doc_ids)
        last = 0
        try:
            while True:
                with self._store.read() as work:
                    rows = work.embeddings(self._base.id, self._change.vectors_name)
                    batch = rows.missing(ours, last, self._embedder.batch_size)
                if not batch:
                    return
                last = batch[-1].id
                made = make_vectors(self._embedder, batch, with_windows=self._change.windows)
                self._keep(made)
                on_batch(len(batch))
        finally:
            with self._store.write() as work:
                work.leases(self._owner).release(ours)

    def _keep(self, made: MadeVectors) -> None:
        if made.packed:
            if made.dimension != self._change.embedding_dim:
                model, dimension = self._change.embedding_model, self._change.embedding_dim or 0
                raise WrongDimension(model, dimension, made.dimension)
            with self._store.write() as work:
                rows = work.embeddings(self._base.id, self._change.vectors_name)
                self.embedded += len(rows.keep(made.dimension, made.packed))
                work.leases(self._owner).prolong(now() + LEASE)
        if made.failure is not None:
            raise made.failure


def exchange(work: UnitOfWork, base: KnowledgeBase, change: ModelChange, kept_as: str) -> None:
    """Swap what the two rows say about their model, and the names of the two sets of vectors."""
    coming, going = change.vectors_name, base.embedding_model
    if going:
        work.embeddings(base.id, going).rename_model(f"{kept_as}:{going}")
    work.embeddings(base.id, coming).rename_model(change.embedding_model)
    for field in FIELDS:
        mine, other = getattr(base, field), getattr(change, field)
        setattr(base, field, other)
        setattr(change, field, mine if field != "embedding_model" else mine or "")


def is_for(change: ModelChange, choice: ModelChoice) -> bool:
    """Whether a change under way is the one that is asked for."""
    return (change.embedding_model, change.embedding_endpoint) == (choice.model, choice.endpoint)


def next_key(kb_id: str) -> str:
    """Under which name the key of the next model's endpoint is kept."""
    return f"{kb_id}:next"


def previous_key(kb_id: str) -> str:
    """Under which name the key of the previous model's endpoint is kept."""
    return f"{kb_id}:previous"
