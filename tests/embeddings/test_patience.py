"""Reading Retry-After."""

import pytest

from ragkb.embeddings.patience import seconds_of

NOON = "Mon, 30 Nov 2026 12:00:00 GMT"
LATER = "Mon, 30 Nov 2026 12:00:07 GMT"


@pytest.mark.parametrize(
    ("retry_after", "date", "seconds"),
    [
        ("3", NOON, 3),
        ("0.5", "", 0.5),
        ("-1", "", 0),
        ("nan", "", 0),
        (LATER, NOON, 7),
        (NOON, LATER, 0),
        (LATER, "", 100),
        (LATER, "yesterday", 100),
        ("soon", NOON, 0),
        ("", "", 0),
    ],
)
def test_seconds_and_dates_are_understood(retry_after: str, date: str, seconds: float) -> None:
    noon_epoch = 1_796_040_000  # date -u -d '2026-11-30 12:00:00' +%s
    assert seconds_of(retry_after, date, now=lambda: noon_epoch + 7 - 100) == seconds
