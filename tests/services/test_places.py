"""A passage is cited where it stands."""

from ragkb.services.places import Place, place_at

TEXT = "封面\n第一章 总则\n内容甲\n第二章 附则\n内容乙\n"
LAYOUT = {"pages": [0, 11], "headings": [[3, 9, 1], [14, 20, 1]]}


def never() -> str:
    raise AssertionError("the text is not needed here")


def test_a_passage_on_a_later_page_than_its_chunk_has_its_own_page() -> None:
    assert place_at(12, 0, Place(1, "x"), {"pages": [0, 11]}, never) == Place(2, "x")
    assert place_at(10, 0, Place(1, "x"), {"pages": [0, 11]}, never) == Place(1, "x")


def test_a_passage_below_a_heading_inside_its_chunk_has_that_heading() -> None:
    start = Place(1, "第一章 总则")
    assert place_at(21, 3, start, LAYOUT, lambda: TEXT) == Place(2, "第二章 附则")
    assert place_at(10, 3, start, LAYOUT, never) == Place(1, "第一章 总则")


def test_without_a_layout_the_place_is_that_of_the_chunk() -> None:
    assert place_at(7, 0, Place(None, ""), {}, never) == Place(None, "")
