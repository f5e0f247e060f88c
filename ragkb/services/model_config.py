"""Changing a base's key, endpoint or model name without embedding anything again."""

import os

from ragkb.embeddings import BUILTIN_PREFIX
from ragkb.embeddings.embedder import Embedder
from ragkb.home import Home
from ragkb.home.keys import forget_key, resolve_key, store_keys
from ragkb.messages import Note
from ragkb.models import KnowledgeBase
from ragkb.repositories.store import Store
from ragkb.services.embedders import Embedders, ModelChoice
from ragkb.services.knowledge_bases import BaseInfo, find_base, info
from ragkb.services.vector_making import PROBE, check_same_model


class ModelConfig:
    """Points a base at another key, address or name of the same model."""

    def __init__(self, store: Store, home: Home, embedders: Embedders) -> None:
        self._store = store
        self._home = home
        self._embedders = embedders

    def change(
        self,
        base: BaseInfo,
        *,
        model: str | None = None,
        endpoint: str | None = None,
        api_key: str | None = None,
    ) -> BaseInfo:
        """Change what is given and keep the rest.

        A base that holds vectors is asked for nothing again if the new settings give the probe
        text's vector again; otherwise VectorsDiffer or WrongDimension, and nothing is changed.
        A key goes only to the endpoint that it was given for: a new endpoint needs its key again.
        """
        choice = self._choice(base, model, endpoint)
        if api_key:
            embedder = self._embedders.with_key(choice, resolve_key(api_key, os.environ))
        else:
            embedder = self._embedders.embedder(base.id, choice)
        with self._store.read() as work:
            self._check(find_base(work, self._home, base.name), embedder)
        with self._store.write() as work:
            row = find_base(work, self._home, base.name)
            if row.embedding_model and row.embedding_model != choice.model:
                work.embeddings(row.id, row.embedding_model).rename_model(choice.model)
            notes = self._keep_key(row, choice, api_key)
            row.embedding_model, row.embedding_endpoint = choice.model, choice.endpoint
            if row.embedding_dim is None:
                row.windows = choice.is_builtin
            work.session.flush()
            return info(row, work.bases.count_documents(row.id), notes=notes)

    def _choice(self, base: BaseInfo, model: str | None, endpoint: str | None) -> ModelChoice:
        wanted = model or base.embedding_model
        builtin = wanted is not None and wanted.startswith(BUILTIN_PREFIX)
        return self._embedders.choose(
            wanted, endpoint or (None if builtin else base.embedding_endpoint)
        )

    def _check(self, base: KnowledgeBase, embedder: Embedder) -> None:
        """Compare the probe text's vector with the one kept when the base was first embedded."""
        if base.embedding_dim is None or base.embedding_probe is None:
            return
        probe = embedder.embed_passages([PROBE])[0]
        check_same_model(base.name, embedder.model, base.embedding_probe, probe)

    def _keep_key(
        self, base: KnowledgeBase, choice: ModelChoice, api_key: str | None
    ) -> tuple[Note, ...]:
        if api_key and choice.endpoint:
            store_keys(self._home, {base.id: (choice.endpoint, api_key)})
        elif choice.endpoint != base.embedding_endpoint and forget_key(self._home, base.id):
            return (Note("note.key_forgotten", {"endpoint": base.embedding_endpoint}),)
        return ()
