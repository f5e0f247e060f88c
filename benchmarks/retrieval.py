"""Retrieval quality on test sets in BEIR layout, through the real import and search path.

Usage: python benchmarks/retrieval.py DIR [DIR ...] [--json]

DIR holds corpus.jsonl, queries.jsonl and qrels.tsv. Each text becomes a file, each file is imported
into a base of the built-in model, each query is searched three times: by keyword alone, by vector
alone, by both with the default weights. A line for each set: nDCG@10 of the three, recall@5 and
MRR@10 of the hybrid search, and milliseconds for a hybrid query, its embedding included.
"""

import json
import math
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from ragkb.app import App, open_app
from ragkb.settings import Settings

TOP_K = 10
CHUNK_SIZE = 512
# the weights of keyword, vector and Jaccard
CHANNELS = {"keyword": (1.0, 0.0, 0.0), "vector": (0.0, 1.0, 0.0), "hybrid": (0.3, 0.7, 0.1)}
# nDCG@10 that the design promises: of the keyword channel, and of the hybrid search.
FLOORS = {
    "cmrc": (0.975, 0.980),
    "xquadr_zh": (0.815, 0.838),
    "xquadr_en": (0.835, 0.860),
    "scifact": (0.68, 0.69),
    "xquadr_zh2en": (0.0, 0.67),
    "xquadr_en2zh": (0.0, 0.64),
}


@dataclass(frozen=True)
class Figures:
    """What was measured on one set."""

    set: str
    documents: int
    queries: int
    keyword: float
    vector: float
    hybrid: float
    recall_at_5: float
    mrr_at_10: float
    ms_per_query: float


def main() -> int:
    """Print a line for each set; 1 when a floor is missed."""
    folders = [Path(each) for each in sys.argv[1:] if not each.startswith("--")]
    figures = [measure(folder) for folder in folders]
    if "--json" in sys.argv:
        print(json.dumps([asdict(each) for each in figures], ensure_ascii=False))
    else:
        print(
            f"{'set':14} {'docs':>5} {'keyword':>8} {'vector':>7} {'hybrid':>7} "
            f"{'R@5':>6} {'MRR@10':>7} {'ms':>6}  floors"
        )
        for each in figures:
            print(line(each))
    return int(any(misses_a_floor(each) for each in figures))


def line(figures: Figures) -> str:
    """A set's figures beside its floors."""
    floors = FLOORS.get(figures.set)
    promised = f"{floors[0]:.3f} / {floors[1]:.3f}" if floors else "none"
    missed = "  BELOW" if misses_a_floor(figures) else ""
    return (
        f"{figures.set:14} {figures.documents:5} {figures.keyword:8.4f} {figures.vector:7.4f} "
        f"{figures.hybrid:7.4f} {figures.recall_at_5:6.3f} {figures.mrr_at_10:7.4f} "
        f"{figures.ms_per_query:6.1f}  {promised}{missed}"
    )


def misses_a_floor(figures: Figures) -> bool:
    """Whether the keyword or the hybrid search is worse than promised."""
    keyword, hybrid = FLOORS.get(figures.set, (0.0, 0.0))
    return figures.keyword < keyword or figures.hybrid < hybrid


def measure(folder: Path) -> Figures:
    """Import a set and search it."""
    corpus, relevant = read_lines(folder / "corpus.jsonl"), read_relevance(folder / "qrels.tsv")
    queries = {each["_id"]: each["text"] for each in read_lines(folder / "queries.jsonl")}
    asked = {query_id: queries[query_id] for query_id in relevant if query_id in queries}
    with tempfile.TemporaryDirectory() as work:
        settings = Settings(home=Path(work) / "home")
        with open_app(settings, lambda _copy: None) as app:
            ids = import_corpus(app, corpus, Path(work) / "files")
        found = {
            channel: search_all(weighted(settings, *weights), asked, ids)
            for channel, weights in CHANNELS.items()
        }
    gains = {
        name: statistics.mean(ndcg(answers[0][query_id], relevant[query_id]) for query_id in asked)
        for name, answers in found.items()
    }
    ranked, seconds = found["hybrid"]
    return Figures(
        set=folder.name,
        documents=len(corpus),
        queries=len(asked),
        recall_at_5=statistics.mean(recall(ranked[q][:5], relevant[q]) for q in asked),
        mrr_at_10=statistics.mean(reciprocal_rank(ranked[q], relevant[q]) for q in asked),
        ms_per_query=1000 * seconds / len(asked),
        **gains,
    )


def import_corpus(app: App, corpus: Sequence[Mapping[str, Any]], folder: Path) -> dict[str, str]:
    """Write each text into a file named by its number and import them; document name to id."""
    folder.mkdir()
    for number, each in enumerate(corpus):
        text = f"{each.get('title', '')}\n{each['text']}".strip()
        (folder / f"{number}.txt").write_text(text, encoding="utf-8")
    paths = [str(folder / f"{number}.txt") for number in range(len(corpus))]
    app.bases.create("set", CHUNK_SIZE)
    report = app.importing.import_files(app.bases.find("set"), paths, lambda _: None)
    assert len(report.success_files) == len(corpus), report.failed_files[:3]
    return {f"{number}.txt": each["_id"] for number, each in enumerate(corpus)}


def weighted(settings: Settings, keyword: float, vector: float, jaccard: float) -> Settings:
    """The settings with other weights."""
    return replace(settings, keyword_weight=keyword, vector_weight=vector, jaccard_weight=jaccard)


def search_all(
    settings: Settings, queries: Mapping[str, str], ids: Mapping[str, str]
) -> tuple[dict[str, list[str]], float]:
    """The ids of the documents found for each query, best first, and the seconds that took."""
    with open_app(settings, lambda _copy: None) as app:
        base = app.bases.find("set")
        app.searching.search(base, "warm", TOP_K)
        begin = time.perf_counter()
        found = {
            query_id: distinct(
                ids[hit.doc_name] for hit in app.searching.search(base, query, 2 * TOP_K).hits
            )
            for query_id, query in queries.items()
        }
        return found, time.perf_counter() - begin


def distinct(names: Iterable[str]) -> list[str]:
    """The first ten different documents."""
    return list(dict.fromkeys(names))[:TOP_K]


def ndcg(found: Sequence[str], relevant: Mapping[str, int]) -> float:
    """Normalised discounted cumulative gain at ten."""
    gained = sum(relevant.get(each, 0) / math.log2(place + 2) for place, each in enumerate(found))
    best = sorted(relevant.values(), reverse=True)[:TOP_K]
    return gained / sum(gain / math.log2(place + 2) for place, gain in enumerate(best))


def recall(found: Sequence[str], relevant: Mapping[str, int]) -> float:
    """The share of the relevant documents that was found."""
    return len(set(found) & set(relevant)) / len(relevant)


def reciprocal_rank(found: Sequence[str], relevant: Mapping[str, int]) -> float:
    """One over the place of the first relevant document, 0 when there is none."""
    places = (place for place, each in enumerate(found, start=1) if each in relevant)
    return 1 / next(places, math.inf)


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSONL file."""
    with path.open(encoding="utf-8") as file:
        return [json.loads(row) for row in file if row.strip()]


def read_relevance(path: Path) -> dict[str, dict[str, int]]:
    """Query id to the relevant documents and their grades."""
    relevant: dict[str, dict[str, int]] = {}
    for row in path.read_text(encoding="utf-8").splitlines()[1:]:
        query_id, doc_id, grade = row.split("\t")
        if int(grade) > 0:
            relevant.setdefault(query_id, {})[doc_id] = int(grade)
    return relevant


if __name__ == "__main__":
    sys.exit(main())
