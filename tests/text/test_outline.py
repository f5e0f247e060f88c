from ragkb.document_text import Heading
from ragkb.text.outline import Outline

TEXT = "前言\n第一章 总则\n适用范围\n正文\n第二章\n定义"


def headings(text: str, *lines: tuple[str, int]) -> list[Heading]:
    return [Heading(text.index(line), text.index(line) + len(line), level) for line, level in lines]


def test_the_path_names_the_headings_above() -> None:
    outline = Outline(
        TEXT, headings(TEXT, ("第一章 总则", 1), ("适用范围", 2), ("第二章", 1), ("定义", 3))
    )
    assert outline.path(0) == ""
    assert outline.path(TEXT.index("第一章")) == "第一章 总则"
    assert outline.path(TEXT.index("正文")) == "第一章 总则 > 适用范围"
    assert outline.path(TEXT.index("第二章")) == "第二章"
    assert outline.path(len(TEXT)) == "第二章 > 定义"


def test_headings_may_come_in_any_order_and_over_lines() -> None:
    text = "A\n  long\ttitle\nB"
    outline = Outline(text, [Heading(15, 16, 2), Heading(0, 14, 1)])
    assert outline.path(20) == "A long title > B"


def test_a_long_path_loses_its_outer_headings_first_then_its_end() -> None:
    outer, inner, endless = "外" * 150, "内" * 60, "长" * 300
    text = f"{outer}\n{inner}\n{endless}"
    outline = Outline(text, headings(text, (outer, 1), (inner, 2), (endless, 3)))
    assert outline.path(len(outer) + 1) == inner
    assert outline.path(len(text)) == "长" * 199 + "…"


def test_a_line_that_goes_on_after_its_heading_is_no_heading() -> None:
    text = "1.1 Scope\nNote. It goes on."
    outline = Outline(text, headings(text, ("Scope", 1), ("Note.", 2)))
    assert outline.is_heading(0, 9)
    assert not outline.is_heading(10, len(text))
    assert not Outline(text, []).is_heading(0, 9)
