"""The tables as SQLAlchemy models, one file each."""

from ragkb.models.base import Model, now
from ragkb.models.chunk import Chunk
from ragkb.models.document import Document
from ragkb.models.embedding import UNKNOWN_MODEL, Embedding, EmbeddingLease
from ragkb.models.knowledge_base import KnowledgeBase

__all__ = [
    "UNKNOWN_MODEL",
    "Chunk",
    "Document",
    "Embedding",
    "EmbeddingLease",
    "KnowledgeBase",
    "Model",
    "now",
]
