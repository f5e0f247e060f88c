"""The composition root: settings in, services out. The edges know nothing below this."""

from collections.abc import Generator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from ragkb.database import Database
from ragkb.home import Home
from ragkb.migrations import Announce, prepare
from ragkb.repositories.sqlite_search import rebuild_stale
from ragkb.repositories.store import Store
from ragkb.services.access import Admit, anything
from ragkb.services.embedders import Embedders, OpenEmbedder
from ragkb.services.knowledge_bases import KnowledgeBases
from ragkb.settings import Settings

if TYPE_CHECKING:
    from ragkb.readers import Readers
    from ragkb.services.adopting import Adopting
    from ragkb.services.doctor import Doctor
    from ragkb.services.documents import Documents
    from ragkb.services.embedding import Embedding
    from ragkb.services.folders import Folders
    from ragkb.services.importing import Importing
    from ragkb.services.model_config import ModelConfig
    from ragkb.services.reembedding import Reembedding
    from ragkb.services.searching import Searching
    from ragkb.services.transfer import Transfer
    from ragkb.services.upgrading import DatabaseUpgrade


class App:
    """The services of one home; each is made, and its libraries loaded, when it is first used."""

    def __init__(
        self,
        settings: Settings,
        on_upgrade: Announce,
        open_embedder: OpenEmbedder,
        admit: Admit = anything,
    ) -> None:
        self.settings = settings
        self._admit = admit
        self.home = Home(settings.home)
        self._on_upgrade = on_upgrade
        self._database = Database(self.home.database, prepare(self.home, rebuild_stale, on_upgrade))
        self.store = Store(self._database)
        self._embedders = Embedders(settings, self.home, open_embedder)

    @cached_property
    def bases(self) -> KnowledgeBases:
        """Create, list, select and delete knowledge bases."""
        return KnowledgeBases(self.store, self.home, self._embedders)

    @cached_property
    def model_config(self) -> "ModelConfig":
        """Change how a base reaches its embedding model."""
        from ragkb.services.model_config import ModelConfig

        return ModelConfig(self.store, self.home, self._embedders)

    @cached_property
    def reembedding(self) -> "Reembedding":
        """Give a base another model."""
        from ragkb.services.reembedding import Reembedding

        return Reembedding(self.store, self.home, self._embedders)

    @cached_property
    def embedding(self) -> "Embedding":
        """Complete missing vectors."""
        from ragkb.services.embedding import Embedding

        return Embedding(self.store, self._embedders)

    @cached_property
    def adopting(self) -> "Adopting":
        """Take over vectors of old files."""
        from ragkb.services.adopting import Adopting

        return Adopting(self.store, self._embedders)

    @cached_property
    def importing(self) -> "Importing":
        """Import files."""
        from ragkb.services.importing import Importing

        limit = self.settings.max_file_mb
        return Importing(self.store, self._readers, self.embedding, limit, self._admit)

    @cached_property
    def folders(self) -> "Folders":
        """Import folders."""
        from ragkb.services.folders import Folders

        return Folders(self.store, self.importing, self.documents, self._admit)

    @cached_property
    def documents(self) -> "Documents":
        """List, show, delete and re-split documents."""
        from ragkb.services.documents import Documents

        return Documents(self.store, self._embedders, self.embedding)

    @cached_property
    def searching(self) -> "Searching":
        """Search."""
        from ragkb.services.ranking import Weights
        from ragkb.services.searching import Searching

        settings = self.settings
        weights = Weights(settings.keyword_weight, settings.vector_weight, settings.jaccard_weight)
        return Searching(self.store, self._embedders, weights)

    @cached_property
    def database_upgrade(self) -> "DatabaseUpgrade":
        """Upgrade a database file that is named."""
        from ragkb.services.upgrading import DatabaseUpgrade

        return DatabaseUpgrade(self._on_upgrade)

    @cached_property
    def doctor(self) -> "Doctor":
        """Check and repair."""
        from ragkb.services.doctor import Doctor

        return Doctor(self.store, self.home)

    @cached_property
    def transfer(self) -> "Transfer":
        """Export, verify and merge whole databases."""
        from ragkb.services.transfer import Transfer

        return Transfer(self.store, self.home)

    @cached_property
    def _readers(self) -> "Readers":
        from ragkb.readers import Readers

        return Readers()

    def close(self) -> None:
        """Stop child processes, close connections."""
        if "_readers" in self.__dict__:
            self._readers.close()
        self._embedders.close()
        self._database.close()


@contextmanager
def open_app(
    settings: Settings,
    on_upgrade: Announce,
    open_embedder: OpenEmbedder | None = None,
    admit: Admit = anything,
) -> Generator[App]:
    """The services of a home, closed at the end.

    Nothing is read or made before the first call. `on_upgrade` is told of the steps of an
    upgrade and of its safety copy; `open_embedder` stands in for `ragkb.embeddings.open_embedder`;
    `admit` refuses paths that may not be read.
    """
    from ragkb.embeddings import open_embedder as default

    app = App(settings, on_upgrade, open_embedder or default, admit)
    try:
        yield app
    finally:
        app.close()
