"""Bounds of names and numbers."""

import pytest

from ragkb.errors import BlankName, BlankQuery, NameTooLong, NotANumber, OutOfRange
from ragkb.services import validation


def test_names_are_trimmed_and_composed() -> None:
    assert validation.base_name("  cafe\u0301\u3000") == "café"


@pytest.mark.parametrize("name", ["", "   ", "\u3000\n", "\u200b", "\x00"])
def test_a_blank_name_is_refused(name: str) -> None:
    with pytest.raises(BlankName):
        validation.base_name(name)


def test_names_have_a_longest() -> None:
    assert validation.base_name("库" * 200) == "库" * 200
    with pytest.raises(NameTooLong):
        validation.base_name("库" * 201)
    assert len(validation.document_name("x" * 512)) == 512
    with pytest.raises(NameTooLong):
        validation.document_name("x" * 513)


@pytest.mark.parametrize(("value", "size"), [(1, 1), ("512", 512), (32768, 32768), (" 7 ", 7)])
def test_a_chunk_size_is_a_whole_number(value: object, size: int) -> None:
    assert validation.chunk_size(value) == size


@pytest.mark.parametrize("value", [0, -1, 32769, "0"])
def test_a_chunk_size_out_of_bounds_is_refused(value: object) -> None:
    with pytest.raises(OutOfRange):
        validation.chunk_size(value)


@pytest.mark.parametrize("value", ["x", "", "512.5", 512.5, True, None, [512]])
def test_a_chunk_size_that_is_no_whole_number_is_refused(value: object) -> None:
    with pytest.raises(NotANumber):
        validation.chunk_size(value)


def test_top_k_has_no_upper_refusal() -> None:
    assert validation.top_k(100_000) == 100_000
    with pytest.raises(OutOfRange):
        validation.top_k(0)


@pytest.mark.parametrize("query", ["", " \u3000\n", "\u200b\u200b"])
def test_a_blank_query_is_refused(query: str) -> None:
    with pytest.raises(BlankQuery):
        validation.query(query)
