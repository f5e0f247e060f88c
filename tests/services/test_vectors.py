"""A chunk's vectors survive packing, and its nearest window is known."""

import numpy as np
import pytest

from ragkb.services.vectors import cosine, pack

EAST = np.array([1, 0, 0, 0], dtype=np.float32)
NORTH = np.array([0, 1, 0, 0], dtype=np.float32)


def test_a_chunk_without_windows_has_the_cosine_of_its_vector() -> None:
    packed = pack(EAST, [])
    assert len(packed) == 16
    assert cosine(EAST, packed) == (1.0, None)


def test_with_windows_half_the_cosine_is_that_of_the_best_window() -> None:
    packed = pack(EAST, [NORTH, EAST])
    assert len(packed) == 16 + 2 * 4
    assert cosine(NORTH, packed) == (pytest.approx(0.5), 0)
    assert cosine(EAST, packed) == (pytest.approx(1.0), 1)


def test_packing_is_little_endian() -> None:
    assert pack(EAST, [])[:4] == b"\x00\x00\x80\x3f"


def test_windows_lose_less_than_a_hundredth_by_their_bytes() -> None:
    random = np.random.default_rng(5)
    window = random.normal(size=512).astype(np.float32)
    window /= np.linalg.norm(window)
    value, _ = cosine(window, pack(window, [window]))
    assert value == pytest.approx(1.0, abs=0.01)
