"""A bilingual RAG knowledge base in one SQLite file."""

__version__ = "0.1.0"
