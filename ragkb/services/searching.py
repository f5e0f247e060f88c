"""Searching a base: candidates from both channels, ranked together."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ragkb.errors import EmbeddingFailed, InvalidInput, RagError, WrongDimension
from ragkb.messages import Note
from ragkb.repositories.chunks import FoundChunk
from ragkb.repositories.search_index import KeywordHits
from ragkb.repositories.store import Store, UnitOfWork
from ragkb.services import validation
from ragkb.services.embedders import Embedders
from ragkb.services.knowledge_bases import BaseInfo, model_of
from ragkb.services.places import Place, place_at
from ragkb.services.ranking import Ranked, Weights, rank
from ragkb.services.vectors import Vector, cosine
from ragkb.text.terms import index_terms, jaccard, query_terms
from ragkb.text.windows import windows

CANDIDATES = 100  # from each channel, and twice top_k when that is more


@dataclass(frozen=True)
class Hit:
    """A chunk that answers a query.

    `score` is relative to this query; `keyword_score` (BM25 over the query's upper bound, 0 to 1)
    and `vector_score` (cosine; None without a vector) are absolute: whether anything relevant was
    found is told by those. `content` is `document[start:end]`, `passage` its nearest window, and
    `page` and `heading` tell where the passage stands.
    """

    id: int
    doc_id: str
    content: str
    tokens: int
    chunk_index: int
    doc_name: str
    score: float
    file_path: str | None
    page: int | None
    heading: str
    start: int | None
    end: int | None
    passage: str
    keyword_score: float
    vector_score: float | None


@dataclass(frozen=True)
class Channel:
    """Whether keywords or vectors answered, and why not."""

    name: str
    answered: bool
    problem: RagError | None = None


@dataclass(frozen=True)
class SearchResult:
    """The best chunks for a query, best first."""

    kb_name: str
    hits: tuple[Hit, ...]
    channels: tuple[Channel, ...]
    notes: tuple[Note, ...]


class Searching:
    """Answers queries."""

    def __init__(self, store: Store, embedders: Embedders, weights: Weights) -> None:
        self._store = store
        self._embedders = embedders
        self._weights = weights

    def search(self, base: BaseInfo, query: str, top_k: object) -> SearchResult:
        """The `top_k` best chunks of a base; never an error because one channel cannot answer."""
        text = validation.query(query)
        wanted = validation.top_k(top_k)
        most = min(wanted, validation.MOST_TOP_K)
        vector, problem = self._query_vector(base, text)
        with self._store.read() as work:
            search = _Search(work, base, text, vector, max(CANDIDATES, 2 * most))
            hits = search.hits(self._weights, most)
            notes = self._notes(work, base, wanted)
        vectors = Channel("vector", vector is not None, problem)
        return SearchResult(base.name, hits, (Channel("keyword", True), vectors), notes)

    def neighbors(self, base: BaseInfo, hit: Hit, count: object) -> list[tuple[int, str]]:
        """Index and content of up to `count` (0 to 3) chunks on each side of a hit."""
        wanted = validation.neighbors(count)
        with self._store.read() as work:
            return work.chunks(base.id).around(hit.doc_id, hit.chunk_index, wanted)

    def _query_vector(
        self, base: BaseInfo, query: str
    ) -> tuple[Vector | None, EmbeddingFailed | InvalidInput | None]:
        """The query's vector, or why there is none; neither when the base holds no vectors."""
        if base.embedding_dim is None:
            return None, None
        try:
            choice = model_of(base, self._embedders)
            vector = self._embedders.embedder(base.id, choice).embed_query(query)
            return checked(vector, choice.model, base.embedding_dim), None
        except (EmbeddingFailed, InvalidInput) as error:
            return None, error

    def _notes(self, work: UnitOfWork, base: BaseInfo, wanted: int) -> tuple[Note, ...]:
        notes: list[Note] = []
        if wanted > validation.MOST_TOP_K:
            notes.append(Note("note.top_k_clamped", {"most": validation.MOST_TOP_K}))
        documents = work.documents(base.id)
        if not documents.count():
            notes.append(Note("note.empty_base", {"kb_name": base.name}))
        elif documents.unfinished():
            notes += self._note_of_missing(work, base)
        return tuple(notes)

    def _note_of_missing(self, work: UnitOfWork, base: BaseInfo) -> list[Note]:
        model = base.embedding_model or model_of(base, self._embedders).model
        missing = work.embeddings(base.id, model).count_missing()
        total = work.bases.count_chunks(base.id)
        return [Note("note.missing_vectors", {"missing": missing, "total": total})]


@dataclass(frozen=True)
class _Search:
    work: UnitOfWork
    base: BaseInfo
    query: str
    vector: Vector | None
    limit: int

    def hits(self, weights: Weights, top_k: int) -> tuple[Hit, ...]:
        found = self.work.index.by_terms(self.base.id, query_terms(self.query), self.limit)
        near: list[int] = []
        if self.vector is not None:
            near = self.work.index.by_vector(self.base.id, self.vector.tobytes(), self.limit)
        candidates = list({**found.scores, **dict.fromkeys(near)})
        chunks = self.work.chunks(self.base.id).found(candidates)
        cosines, windows_ = self._cosines(candidates)
        ranked = rank(
            [each for each in candidates if each in chunks],
            relative(found),
            cosines,
            self._alike(chunks),
            weights,
        )
        best = without_copies(ranked, chunks, top_k)
        return tuple(self._hit(each, chunks[each.chunk_id], windows_) for each in best)

    def _hit(self, ranked: Ranked, chunk: FoundChunk, best: Mapping[int, int]) -> Hit:
        start, end = self._passage(chunk, best)
        place = Place(chunk.page, chunk.heading)
        if chunk.start is not None:
            documents = self.work.documents(self.base.id)
            place = place_at(
                chunk.start + start,
                chunk.start,
                place,
                documents.layout(chunk.doc_id),
                lambda: documents.content(chunk.doc_id),
            )
        return hit(ranked, chunk, chunk.content[start:end].strip(), place)

    def _cosines(self, candidates: Sequence[int]) -> tuple[dict[int, float], dict[int, int]]:
        """The cosine of each candidate that has vectors, and its nearest window's number."""
        if self.vector is None or not self.base.embedding_model:
            return {}, {}
        rows = self.work.embeddings(self.base.id, self.base.embedding_model).of(candidates)
        near = {each: cosine(self.vector, vectors) for each, vectors in rows.items()}
        best = {each: number for each, (_, number) in near.items() if number is not None}
        return {each: value for each, (value, _) in near.items()}, best

    def _alike(self, chunks: Mapping[int, FoundChunk]) -> dict[int, float]:
        mine = pairs_and_words(self.query)
        return {each: jaccard(mine, pairs_and_words(c.content)) for each, c in chunks.items()}

    def _passage(self, chunk: FoundChunk, best: Mapping[int, int]) -> tuple[int, int]:
        """The window of the chunk that is nearest to the query, by vector or else by terms."""
        spans = windows(chunk.content) or [(0, len(chunk.content))]
        number = best.get(chunk.id)
        if number is not None and number < len(spans):
            return spans[number]
        mine = pairs_and_words(self.query)
        return max(
            spans, key=lambda span: jaccard(mine, pairs_and_words(chunk.content[slice(*span)]))
        )


def pairs_and_words(text: str) -> set[str]:
    """The terms of a text without its single characters, which say little about likeness."""
    return {term for term in index_terms(text) if len(term) > 1}


def checked(vector: Vector, model: str, dimension: int) -> Vector:
    """The vector, if it has the base's dimension; else WrongDimension."""
    if len(vector) != dimension:
        raise WrongDimension(model, dimension, len(vector))
    return vector.astype(np.float32)


def relative(found: KeywordHits) -> dict[int, float]:
    """BM25 as a share of what the query could reach."""
    bound = found.upper_bound or 1.0
    return {each: min(1.0, score / bound) for each, score in found.scores.items()}


def without_copies(
    ranked: Sequence[Ranked], chunks: Mapping[int, FoundChunk], top_k: int
) -> list[Ranked]:
    """The first `top_k`, leaving out chunks whose text was there already (white space aside)."""
    seen: set[str] = set()
    kept: list[Ranked] = []
    for each in ranked:
        text = "".join(unicodedata.normalize("NFKC", chunks[each.chunk_id].content).split())
        if text not in seen:
            seen.add(text)
            kept.append(each)
        if len(kept) == top_k:
            break
    return kept


def hit(ranked: Ranked, chunk: FoundChunk, passage: str, place: Place) -> Hit:
    """A ranked chunk as it is shown."""
    return Hit(
        id=chunk.id,
        doc_id=chunk.doc_id,
        content=chunk.content,
        tokens=chunk.tokens,
        chunk_index=chunk.chunk_index,
        doc_name=chunk.doc_name,
        score=ranked.score,
        file_path=chunk.file_path,
        page=place.page,
        heading=place.heading,
        start=chunk.start,
        end=chunk.end,
        passage=passage,
        keyword_score=ranked.keyword,
        vector_score=ranked.cosine,
    )
