"""The order of candidates, worked by hand."""

import pytest

from ragkb.services.ranking import HEAD, Weights, rank

WITHOUT_JACCARD = Weights(jaccard=0.0)


def test_keywords_and_vectors_are_weighed_three_to_seven() -> None:
    # cosines .9 and .1 have z = +1 and -1, so V is .03 and -.03: keys .3*.5-.021 and .021
    ranked = rank([1, 2], {1: 0.5}, {1: 0.1, 2: 0.9}, {}, WITHOUT_JACCARD)
    assert [each.chunk_id for each in ranked] == [1, 2]
    # with K = .1 the keys are .03-.021 = .009 and .021
    ranked = rank([1, 2], {1: 0.1}, {1: 0.1, 2: 0.9}, {}, WITHOUT_JACCARD)
    assert [each.chunk_id for each in ranked] == [2, 1]


def test_a_chunk_without_a_vector_counts_as_average_not_as_worst() -> None:
    ranked = rank([1, 2, 3], {}, {1: 0.9, 3: 0.1}, {}, WITHOUT_JACCARD)
    assert [each.chunk_id for each in ranked] == [1, 2, 3]
    assert ranked[1].cosine is None


def test_equal_cosines_leave_the_order_to_the_keywords() -> None:
    ranked = rank([1, 2], {2: 0.4}, {1: 0.7, 2: 0.7}, {}, WITHOUT_JACCARD)
    assert [each.chunk_id for each in ranked] == [2, 1]


def test_ties_are_broken_by_id() -> None:
    ranked = rank([9, 3, 7], {}, {}, {}, WITHOUT_JACCARD)
    assert [each.chunk_id for each in ranked] == [3, 7, 9]


def test_jaccard_moves_neighbours_in_the_head_only_a_little() -> None:
    keyword = {1: 1.0, 2: 0.96, 3: 0.0}
    ranked = rank([1, 2, 3], keyword, {}, {2: 1.0}, Weights(jaccard=0.1))
    # stretched keys 1, .96, 0: .9 against .9*.96 + .1
    assert [each.chunk_id for each in ranked] == [2, 1, 3]
    ranked = rank([1, 2, 3], keyword | {2: 0.5}, {}, {2: 1.0}, Weights(jaccard=0.1))
    assert [each.chunk_id for each in ranked] == [1, 2, 3]


def test_jaccard_never_lifts_what_lies_below_the_head() -> None:
    keyword = {number: 1 - number / 100 for number in range(HEAD + 5)}
    last = HEAD + 4
    ranked = rank(list(keyword), keyword, {}, {last: 1.0}, Weights(jaccard=0.9))
    assert ranked[-1].chunk_id == last


@pytest.mark.parametrize("count", [1, 2, HEAD, HEAD + 1, 200])
def test_scores_fall_from_one_and_stay_between_0_and_1(count: int) -> None:
    keyword = {number: 1 / (1 + number) for number in range(count)}
    cosine = {number: (number * 7 % 11) / 11 for number in range(count)}
    scores = [each.score for each in rank(list(keyword), keyword, cosine, {}, Weights())]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] <= 1
    assert scores[-1] > 0


def test_nothing_is_ranked_from_nothing() -> None:
    assert rank([], {}, {}, {}, Weights()) == []
