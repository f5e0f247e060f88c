"""Which embedder a knowledge base uses, and with which key."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

from ragkb.embeddings import BUILTIN_MODEL, BUILTIN_PREFIX, normalise_endpoint, open_embedder
from ragkb.embeddings.embedder import Embedder
from ragkb.errors import MissingEndpoint, MissingModel
from ragkb.home import Home
from ragkb.home.keys import key_of_base
from ragkb.secret import Secret
from ragkb.settings import Settings

OpenEmbedder = Callable[..., Embedder]


@dataclass(frozen=True)
class ModelChoice:
    """A model and where it is served; `endpoint` is None for built-in ones."""

    model: str
    endpoint: str | None

    @property
    def is_builtin(self) -> bool:
        """Whether the model comes with the program."""
        return self.model.startswith(BUILTIN_PREFIX)


class Embedders:
    """Opens the embedders of knowledge bases and keeps them for the next use."""

    def __init__(
        self, settings: Settings, home: Home, open_one: OpenEmbedder = open_embedder
    ) -> None:
        self._settings = settings
        self._home = home
        self._open_one = open_one
        self._opening = Lock()
        self._opened: dict[tuple[ModelChoice, Secret | None], Embedder] = {}

    def choose(self, model: str | None, endpoint: str | None) -> ModelChoice:
        """Fill in from the settings what was not given; the built-in model where nothing was.

        A model given without an endpoint is looked for at the settings' endpoint. MissingEndpoint
        and MissingModel tell which half of a remote model is not known; InvalidEndpoint.
        """
        chosen = model or self._settings.embedding_model or BUILTIN_MODEL
        if chosen.startswith(BUILTIN_PREFIX):
            if endpoint:
                raise MissingModel(endpoint)
            return ModelChoice(chosen, None)
        address = endpoint or self._settings.embedding_endpoint
        if not address:
            raise MissingEndpoint(chosen)
        normalise_endpoint(address)
        return ModelChoice(chosen, address)

    def embedder(self, kb_id: str, choice: ModelChoice) -> Embedder:
        """The embedder of a base."""
        return self.with_key(choice, self._key(kb_id, choice))

    def with_key(self, choice: ModelChoice, key: Secret | None) -> Embedder:
        """The embedder of a model with a given key."""
        with self._opening:
            if (choice, key) not in self._opened:
                self._opened[choice, key] = self._open_one(
                    choice.model,
                    endpoint=choice.endpoint,
                    api_key=key,
                    batch_size=self._settings.embedding_batch_size,
                )
            return self._opened[choice, key]

    def close(self) -> None:
        """Close all embedders."""
        for embedder in self._opened.values():
            embedder.close()
        self._opened.clear()

    def _key(self, kb_id: str, choice: ModelChoice) -> Secret | None:
        """The base's own key for its endpoint; the settings' key goes to their endpoint only."""
        if choice.endpoint is None:
            return None
        own = key_of_base(self._home, kb_id, choice.endpoint, os.environ)
        if own is not None or not self._settings.embedding_endpoint:
            return own
        shared = normalise_endpoint(self._settings.embedding_endpoint)
        same = shared == normalise_endpoint(choice.endpoint)
        return self._settings.embedding_api_key if same else None
