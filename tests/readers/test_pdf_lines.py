import os

from hypothesis import given, settings
from hypothesis import strategies as st

from ragkb.readers.pdf_lines import join_hyphens, join_lines, page_text, width

EXAMPLES = 2000 if os.environ.get("RAGKB_SOAK") else 150


def test_chinese_lines_are_joined_without_a_space() -> None:
    lines = ["将关键词检索得分与向量相似度得分按照三比七的权", "重进行合并。"]
    assert join_lines(lines) == "".join(lines)


def test_latin_lines_are_joined_with_one() -> None:
    lines = ["The retrieval implementation supports several", "documents in one call."]
    assert (
        join_lines(lines) == "The retrieval implementation supports several documents in one call."
    )


def test_titles_items_sentences_and_rows_stay_lines() -> None:
    full = "机房温度应保持在二十二至二十四摄氏度之间并且每日记录两次"
    assert join_lines(["第一章 总则", full]).count("\n") == 1  # a short line above a full one
    assert join_lines([full + "。", full]).count("\n") == 1  # a sentence ends
    assert join_lines([full, "第二条 未经授权人员不得进入核心机房"]).count("\n") == 1
    assert join_lines([full, "（一）未经授权人员不得进入核心机房"]).count("\n") == 1
    assert join_lines([full, "3. 未经授权人员不得进入核心机房"]).count("\n") == 1
    row = "激光打印机 三楼机房 完好可用 二〇二四年购置 行政部"
    assert join_lines([row, row]).count("\n") == 1
    assert join_lines(["第一章 总则................................ 1", full]).count("\n") == 1


def test_hyphens_of_divided_words_go_and_others_stay() -> None:
    assert join_hyphens("docu\x02ments") == "documents"
    assert join_hyphens("implemen\ufffe\r\ntation works") == "implementation works"
    assert join_hyphens("state-of\ufffethe-art") == "state-of-the-art"
    assert join_hyphens("COVID\x0219") == "COVID-19"
    assert join_hyphens("Jean\x02Paul") == "Jean-Paul"


def test_ligatures_and_radicals_become_letters_and_characters() -> None:
    assert page_text("eﬃcient ﬁle ⼤⼩") == "efficient file 大小"


def test_a_title_set_with_spaces_is_one_word_and_a_row_of_words_is_not() -> None:
    assert page_text("开 票 通 知 单\r\n甲 乙") == "开票通知单\n甲 乙"
    assert page_text("编号 名 称 数量") == "编号 名 称 数量"


def test_width_counts_east_asian_characters_twice() -> None:
    assert width("ab") == 2
    assert width("中a") == 3


@settings(derandomize=True, deadline=None, max_examples=EXAMPLES)
@given(st.lists(st.text(alphabet="中文字。，ab1 .-", min_size=1, max_size=60), max_size=30))
def test_joining_loses_no_visible_character(lines: list[str]) -> None:
    joined = join_lines(lines)
    assert "".join(joined.split()) == "".join("".join(lines).split())
