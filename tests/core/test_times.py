"""When a night began and how long it lasted, whatever the clock did meanwhile."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pochboard.ledger.entry import Entry
from pochboard.ledger.replay import (
    MOST_PAUSE_MS,
    NEWEST_MS,
    OLDEST_MS,
    begun_at,
    duration_ms,
)
from pochboard.rules.commands import Deal

MINUTE = 60_000
HOUR = 60 * MINUTE
YEARS = 50 * 365 * 24 * HOUR
EVENING = 1_800_000_000_000


def entries(*times: int) -> list[Entry]:
    return [Entry(number, at, Deal(), ()) for number, at in enumerate(times, 1)]


def at_minutes(*minutes: int) -> list[Entry]:
    return entries(*(EVENING + minute * MINUTE for minute in minutes))


@pytest.mark.parametrize(
    ("night", "minutes"),
    [
        (at_minutes(), 0),
        (at_minutes(0), 0),
        (at_minutes(0, 10, 95), 95),
        (at_minutes(0, 240), 240),
        # Longer than anybody thinks about a card: a pause until the next day, or another clock.
        (at_minutes(0, 10, 251, 261), 20),
        (at_minutes(0, 10, -50, -40), 20),
        # The network set the clock.
        (entries(0, 5 * MINUTE, EVENING, EVENING + 5 * MINUTE), 10),
        (entries(EVENING, EVENING + MINUTE, EVENING - YEARS, EVENING - YEARS + MINUTE), 2),
    ],
)
def test_a_night_lasts_as_long_as_its_plausible_pauses(night: list[Entry], minutes: int) -> None:
    assert duration_ms(night) == minutes * MINUTE


TIMES = st.lists(st.integers(-YEARS, YEARS), max_size=9)


@given(TIMES, st.integers(0, 9), st.integers(-YEARS, YEARS))
def test_a_clock_that_is_set_once_hides_one_pause_at_most(
    times: list[int], at: int, jump: int
) -> None:
    times = sorted(times)
    set_once = times[:at] + [time + jump for time in times[at:]]
    before, after = duration_ms(entries(*times)), duration_ms(entries(*set_once))
    assert abs(after - before) <= MOST_PAUSE_MS
    assert 0 <= after <= MOST_PAUSE_MS * max(0, len(times) - 1)


@given(TIMES.filter(bool), st.integers(OLDEST_MS, NEWEST_MS))
def test_a_corrected_night_begins_then_goes_forward_and_lasts_as_long(
    times: list[int], began_ms: int
) -> None:
    night = entries(*times)
    moved = begun_at(night, began_ms)
    assert [entry.number for entry in moved] == [entry.number for entry in night]
    shown = [entry.time_ms for entry in moved]
    assert shown == sorted(shown)
    assert shown[0] == began_ms
    assert shown[-1] - shown[0] == duration_ms(moved) == duration_ms(night)
    assert list(begun_at(moved, began_ms)) == list(moved)
    assert moved[-1:] == [moved[-1]]
