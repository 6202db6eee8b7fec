"""Validators of entries: valid states pass, and each broken property is found (RULES.md 1, 3)."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from pochboard.ledger import book
from pochboard.ledger.entry import Posting, violated
from pochboard.rules.state import State
from tests.core.play import Night, melding

CONSERVED, OVERDRAWN, ROLES = (
    "chips are conserved", "no account is overdrawn", "roles are filled",
)  # fmt: skip


def betting(bet_pool: str = "poch") -> State:
    """Ben has knocked with all of his 2 chips; Clara is to act."""
    night = melding(options={"bet_pool": bet_pool})
    night.have({2: 2})
    night.fill(**{bet_pool: 0})
    night.do("next")
    night.do("stake", seat=2, chips=2)
    return night.book.state


@pytest.mark.parametrize("bet_pool", ["poch", "pinke"])
def test_a_legal_state_violates_nothing(bet_pool: str) -> None:
    state = betting(bet_pool)
    # The limits: an empty stack, and a bet pool that holds only the stakes.
    assert state.stack_of(2) == 0
    assert state.pool(bet_pool) == sum(state.committed)
    assert violated(state, (("seat:2", -2), (f"pool:{bet_pool}", 2))) == []
    assert violated(state, ()) == []


@pytest.mark.parametrize(
    "postings",
    [
        (("bank", 1),),
        (("seat:2", -2), ("pool:poch", 1)),
    ],
)
def test_postings_sum_to_zero(postings: tuple[Posting, ...]) -> None:
    assert violated(betting(), postings) == [CONSERVED]


@pytest.mark.parametrize(
    ("values", "violations"),
    [
        ({"dealer": None}, [ROLES]),
        ({"live": (2, 3)}, [ROLES]),
        ({"to_act": None}, [ROLES]),
        ({"phase": "showdown"}, [ROLES]),
        ({"phase": "showdown", "to_act": None}, []),
        ({"phase": "closed", "to_act": None, "dealer": None}, []),
    ],
)
def test_roles_are_filled(values: dict[str, Any], violations: list[str]) -> None:
    assert violated(replace(betting(), **values), ()) == violations


def test_an_entry_that_would_violate_a_property_is_not_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    night = Night()
    broken = replace(night.book.state, dealer=None)
    monkeypatch.setattr(book, "play", lambda *_: broken)
    with pytest.raises(AssertionError, match=f"violates: {ROLES}$"):
        night.do("deal")
    assert len(night.book.entries) == 1
