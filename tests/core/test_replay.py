"""Replaying a stored night: it must lead to the same entries, or it is refused by number."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from pochboard.errors import LedgerError
from pochboard.ledger.replay import StoredNight, replay
from pochboard.rules.commands import Settle, Start
from tests.core.play import Night

RULES = Night().book.state.rules


def stored() -> StoredNight:
    """Night 7: a deal, taken back and applied again."""
    night = Night()
    night.do("deal", id="a")
    night.do("undo")
    night.do("redo")
    return StoredNight(7, RULES, {}, False, night.book.entries)


def changed(at: int, **values: Any) -> StoredNight:
    """The same night with one entry that is not as it was booked."""
    night = stored()
    entries = list(night.entries)
    entries[at - 1] = replace(entries[at - 1], **values)
    return replace(night, entries=entries)


def test_a_replayed_night_is_the_night_that_was_stored() -> None:
    night = stored()
    book = replay(night)
    assert book.entries == night.entries
    assert book.state.phase == "meld"


ANTES = "pool:ace +3, pool:king +3, pool:queen +3, pool:jack +3, pool:ten +3, \
pool:marriage +3, pool:sequence +3, pool:poch +3, pool:pinke +3, seat:1 -9, seat:2 -9, seat:3 -9"


@pytest.mark.parametrize(
    ("night", "sentence"),
    [
        (
            changed(2, postings=(("bank", -1), ("seat:1", 1))),
            (
                "Night 7, entry 2 does not add up: stored are the postings bank -1, seat:1 +1,"
                f" the rules come to {ANTES}."
            ),
        ),
        (
            changed(2, postings=()),
            (
                "Night 7, entry 2 does not add up: stored are the postings none,"
                f" the rules come to {ANTES}."
            ),
        ),
        (
            changed(3, ref=1),
            "Night 7, entry 3 refers to entry 1, where the rules come to 2.",
        ),
        (
            changed(4, number=5),
            "Night 7, entry 5 stands where entry 4 belongs.",
        ),
        (
            changed(2, command=Settle({})),
            "Night 7, entry 2 does not follow: it is refused with wrong-phase.",
        ),
        (
            changed(2, command=Start(ruleset="modern", players=())),
            "Night 7, entry 2 does not follow: it is refused with wrong-phase.",
        ),
        (
            changed(3, id="a"),
            "Night 7, entry 3 does not follow: its id was used before.",
        ),
        (
            replace(stored(), entries=[]),
            "Night 7 has no entry, not even its start.",
        ),
        (
            replace(stored(), ruleset=replace(RULES, pools=("ace",))),
            (
                'Night 7 has a ruleset that cannot be played: "ante_pools" needs the pool king,'
                " which is not among the pools."
            ),
        ),
    ],
)
def test_a_night_that_cannot_be_replayed_is_refused_by_number(
    night: StoredNight, sentence: str
) -> None:
    with pytest.raises(LedgerError) as refused:
        replay(night)
    assert str(refused.value) == sentence
