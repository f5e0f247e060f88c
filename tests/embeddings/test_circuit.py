"""Leaving an endpoint alone that keeps failing."""

import pytest

from ragkb.embeddings.circuit import Circuit
from ragkb.errors import BadAnswer, EndpointBusy, EndpointUnreachable


def test_three_bad_answers_in_a_row_open_it() -> None:
    circuit = Circuit(rest=1000)
    bad = BadAnswer("http://h", "not JSON")
    circuit.failed(bad)
    circuit.failed(bad)
    circuit.check()
    circuit.succeeded()
    circuit.failed(bad)
    circuit.failed(bad)
    circuit.check()
    circuit.failed(bad)
    with pytest.raises(BadAnswer, match="not JSON"):
        circuit.check()


def test_a_batch_that_used_up_its_retries_opens_it() -> None:
    circuit = Circuit(rest=1000)
    circuit.failed(EndpointBusy("http://h", 429, 60))
    with pytest.raises(EndpointBusy):
        circuit.check()


def test_after_the_rest_one_may_try_and_its_success_closes_it() -> None:
    circuit = Circuit(rest=0)
    circuit.failed(EndpointUnreachable("http://h", "refused"))
    circuit.check()
    circuit.succeeded()
    circuit.check()
