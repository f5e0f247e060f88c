"""How many requests may run at once."""

import threading

from ragkb.embeddings.lanes import Lanes


def free(lanes: Lanes) -> int:
    """How many threads get a lane when all want one."""
    inside = threading.Semaphore(0)
    leave = threading.Event()

    def hold() -> None:
        with lanes.lane():
            inside.release()
            leave.wait()

    threads = [threading.Thread(target=hold) for _ in range(8)]
    for thread in threads:
        thread.start()
    count = 0
    while inside.acquire(timeout=0.05):
        count += 1
    leave.set()
    for thread in threads:
        thread.join()
    return count


def test_success_doubles_and_objection_halves() -> None:
    lanes = Lanes(4)
    assert free(lanes) == 1
    lanes.widen()
    assert free(lanes) == 2
    lanes.widen()
    lanes.widen()
    assert free(lanes) == 4
    lanes.narrow()
    assert free(lanes) == 2
    lanes.start_over()
    lanes.narrow()
    assert free(lanes) == 1
