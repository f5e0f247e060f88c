"""The tables as SQLAlchemy models, one file each."""

from ragkb.models.base import DamagedValue, Model, now, with_keys
from ragkb.models.chunk import Chunk
from ragkb.models.document import Document
from ragkb.models.embedding import UNKNOWN_MODEL, Embedding, EmbeddingLease
from ragkb.models.knowledge_base import KnowledgeBase
from ragkb.models.model_change import BUILDING, SWITCHED, ModelChange

__all__ = [
    "BUILDING",
    "SWITCHED",
    "UNKNOWN_MODEL",
    "Chunk",
    "DamagedValue",
    "Document",
    "Embedding",
    "EmbeddingLease",
    "KnowledgeBase",
    "Model",
    "ModelChange",
    "now",
    "with_keys",
]
