import numpy as np

from ragkb.readers.recognising import pieces


def test_a_page_is_recognised_whole() -> None:
    page = np.zeros((1400, 1000, 3), dtype=np.uint8)
    assert [(top, piece.shape[0]) for top, piece in pieces(page)] == [(0, 1400)]


def test_a_long_screenshot_is_cut_between_lines() -> None:
    picture = np.full((1000, 100, 3), 255, dtype=np.uint8)
    picture[:, 50] = 0  # something on every row ...
    blank = [190, 350, 530, 700, 880]
    picture[blank] = 255  # ... but these
    cut = list(pieces(picture))
    assert [top for top, _ in cut] == [0, 191, 351, 531, 701, 881]
    assert np.array_equal(np.concatenate([piece for _, piece in cut]), picture)
