"""Remarks about nights and people: what holds after all of them."""

from __future__ import annotations

import pytest

from pochboard.ledger import remarks
from pochboard.ledger.remarks import (
    NightArchived,
    NightDate,
    NightDeleted,
    NightName,
    NightOfBots,
    Remark,
    Remarks,
    SamePerson,
    collect,
)
from pochboard.text.unicode_names import sight


def test_a_later_remark_takes_an_earlier_one_back() -> None:
    first: list[Remark] = [
        NightName(1, "Christmas"),
        NightDate(2, 1_700_000_000_000),
        NightArchived(1, True),
        NightDeleted(2, True),
        NightOfBots(3, True),
        SamePerson("Anja", "Anna"),
    ]
    remarks = collect(first)
    assert remarks == Remarks(
        {1: "Christmas"}, frozenset({1}), frozenset({2}), {"Anja": "Anna"}, frozenset({3}),
        {2: 1_700_000_000_000},
    )  # fmt: skip
    assert [remarks.counts(night) for night in (1, 2, 3)] == [True, False, False]
    back: list[Remark] = [
        NightName(1, ""),
        NightDate(2, None),
        NightArchived(1, False),
        NightDeleted(2, False),
        NightOfBots(3, False),
        SamePerson("Anja", "Anja"),
    ]
    assert collect([*first, *back]) == Remarks()


def test_thousands_of_names_of_one_person_take_no_time_that_grows_with_their_square(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared = 0

    def counted(text: str) -> str:
        nonlocal compared
        compared += 1
        return sight(text)

    monkeypatch.setattr(remarks, "sight", counted)
    many = 4000
    chain = [SamePerson(f"N{number}", f"N{number + 1}") for number in range(many)]
    star = [SamePerson(f"M{number}", "N0") for number in range(many)]
    aliases = collect([*star, *chain]).aliases
    assert set(aliases.values()) == {f"N{many}"}
    assert len(aliases) == 2 * many
    assert compared < 10 * len(aliases)
