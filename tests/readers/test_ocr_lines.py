from ragkb.readers.ocr_lines import Box, text_of


def box(left: float, top: float, right: float, text: str, height: float = 20) -> Box:
    return Box(left, top, right, top + height, text)


def test_lines_come_from_the_top_and_their_pieces_from_the_left() -> None:
    boxes = [
        box(300, 52, 400, "12.50"),
        box(10, 100, 90, "Total"),
        box(10, 48, 120, "Paper"),
        box(300, 101, 400, "99.00"),
    ]
    assert text_of(boxes) == "Paper 12.50\nTotal 99.00"


def test_wrapped_chinese_lines_are_joined_without_a_blank() -> None:
    boxes = [
        box(10, 10, 510, "本系统采用混合检索策略，将关键词检索得分与向"),
        box(10, 40, 510, "量相似度得分按照三比七的权重进行加权合并，并在"),
        box(10, 70, 210, "去重之后重新排序。"),
    ]
    assert text_of(boxes) == "".join(each.text for each in boxes)


def test_chinese_pieces_that_touch_are_one_word() -> None:
    assert text_of([box(10, 10, 90, "知识"), box(93, 10, 170, "库")]) == "知识库"
    assert text_of([box(10, 10, 90, "姓名"), box(150, 10, 230, "张三")]) == "姓名 张三"
    assert text_of([box(10, 10, 90, "Page"), box(93, 10, 170, "two")]) == "Page two"


def test_a_word_that_was_divided_at_a_lines_end_is_whole_again() -> None:
    boxes = [
        box(10, 10, 510, "The committee discussed the new docu-"),
        box(10, 40, 510, "ments and agreed on them."),
    ]
    assert text_of(boxes) == "The committee discussed the new documents and agreed on them."


def test_columns_of_running_text_are_read_one_after_the_other() -> None:
    left = [box(10, 60 + 30 * n, 300, f"Left line {n}.") for n in range(4)]
    right = [box(330, 60 + 30 * n, 620, f"Right line {n}.") for n in range(4)]
    title, end = box(100, 10, 520, "A title over both"), box(100, 200, 520, "And a last line.")
    shuffled = [*right, end, *left[::-1], title]
    assert text_of(shuffled).splitlines() == [each.text for each in (title, *left, *right, end)]


def test_the_cells_of_a_table_are_no_columns() -> None:
    names = [box(10, 30 * n, 80, f"Item{n}") for n in range(5)]
    prices = [box(400, 30 * n, 450, f"{n}.00") for n in range(5)]
    assert text_of([*names, *prices]).splitlines() == [f"Item{n} {n}.00" for n in range(5)]


def test_a_page_without_boxes_has_no_text() -> None:
    assert text_of([]) == ""
