"""The sample documents of `rag-server demo`: a small company's papers in Chinese and English.

They are built from the texts in `samples/sources` of the source tree by `samples/make_samples.py`.
"""

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

FORMATS = (".doc", ".docx", ".pdf", ".txt")


@dataclass(frozen=True)
class DemoQuery:
    """A search of the demo, the message key of its kind, and the file that must come first."""

    query: str
    kind: str
    expected_file: str


DEMO_QUERIES = (
    DemoQuery("向量", "demo.two_characters", "向量检索实践.txt"),
    DemoQuery("去上海出差，酒店每晚最多报销多少钱？", "demo.chinese_question", "差旅报销制度.pdf"),
    DemoQuery(
        "What should I do when the controller shows E-4042?",
        "demo.english_question",
        "product-manual-ZX81.pdf",
    ),
    # None of its words occurs in an English sample, so that only the meaning leads to the answer.
    DemoQuery(
        "How is annual leave calculated for employees?",
        "demo.across_languages",
        "员工手册.docx",
    ),
)


def sample_files() -> list[Path]:
    """Return the paths of the sample documents, sorted by name."""
    folder = Path(str(files(__name__)))
    return sorted(path for path in folder.iterdir() if path.suffix in FORMATS)
