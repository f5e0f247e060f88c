"""What a value of a column must look like, beyond its type."""

from pathlib import Path
from typing import Any, cast

from ragkb.database import sqlite_driver


def holds_keys(path: Path) -> bool:
    """Whether a file of the predecessor holds API keys; False for what cannot be read."""
    driver = sqlite_driver()
    try:
        connection = driver.connect(f"{path.absolute().as_uri()}?immutable=1", uri=True)
    except driver.Error:
        return False
    try:
        query = "SELECT count(*) FROM knowledge_bases WHERE embedding_api_key <> ''"
        (count,) = connection.execute(query).fetchone()
    except driver.Error:
        return False
    finally:
        connection.close()
    return count > 0


def is_layout(layout: dict[str, Any]) -> bool:
    """Whether a stored layout has pages and headings as they are written: whole numbers."""
    pages, headings = layout.get("pages", []), layout.get("headings", [])
    if not isinstance(pages, list) or not isinstance(headings, list):
        return False
    rows = cast("list[object]", headings)
    return _all_whole(cast("list[object]", pages)) and all(
        isinstance(row, list)
        and len(cast("list[object]", row)) == 3
        and _all_whole(cast("list[object]", row))
        for row in rows
    )


def is_vector(dimension: int, vectors: bytes) -> bool:
    """Whether a BLOB is a float32 vector of that dimension, with int8 windows of the same."""
    import numpy as np

    if dimension < 1 or len(vectors) < 4 * dimension or (len(vectors) - 4 * dimension) % dimension:
        return False
    return bool(np.isfinite(np.frombuffer(vectors, "<f4", dimension)).all())


def _all_whole(values: list[object]) -> bool:
    return all(type(value) is int for value in values)
