"""The end of a night in sentences."""

from __future__ import annotations

from pochboard.history.night_statistics import left_on_board, night_statistics
from pochboard.messages.nights import night_records
from pochboard.text.translator import ENGLISH
from tests.core.play import Night


def records(night: Night) -> tuple[str, ...]:
    entries, states = night.book.entries, night.book.states
    left = left_on_board(entries, states)
    return night_records(night_statistics(1, entries, states), left, ENGLISH)


def test_the_records_of_a_night() -> None:
    night = Night(players=3, dealer=3)
    for deal in range(2):
        night.do("deal")
        for pool in ("ace", "king", "ten")[: 1 + 2 * deal]:
            night.do("claim", seat=1, pool=pool)
        night.do("next")
        knocker = night["to_act"]
        night.do("stake", seat=knocker, chips=2)
        night.nobody_bets()
        night.settle(winner=2)
    night.do("end")
    assert records(night) == (
        "Left on the board: Queen 6, Jack 6, Marriage 6, Sequence 6.",
        "Largest Poch: Anna and Ben, 3 chips.",
        "Most pools with cards: Anna, 4 pools.",
        "Most knocks: Anna and Ben, 1 knock.",
        "Went out first most often: Ben, in 2 deals.",
        "Luckiest with the cards: Anna. Pools won: 4, expected: 3.2.",
    )
