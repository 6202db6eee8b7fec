"""Rulesets are data (docs/RULES.md 2): what a file and an option may say."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import msgspec
import pytest

from pochboard.rules.ruleset import PARAMETERS
from pochboard.rules.ruleset_files import (
    BadParameterError,
    complete,
    override,
    read_ruleset,
    shipped_rulesets,
)
from pochboard.rules.seating import resolve_among
from pochboard.text.decoding import decode_toml
from tests.core.play import MELD, NINE, Night

# Ranges: for each parameter, values just inside and values outside.

INSIDE: Final[dict[str, list[Any]]] = {
    "source": ["", "a house"],
    "players": [[2, 2], [3, 3], [2, 8], [8, 8]],
    "deck": [32, 36, 40, 52, "auto"],
    "hand": ["all-but-one", "all", 1, 5],
    "packets": [[1], [10], [3, 2], [1, 1, 1]],
    "trump": ["turned"],
    "bet_pool_takes_poch": [True, False],
    "bet_needs_set": [True, False],
    "tie_break": ["trump", "side-cards", "suits", "split"],
    "short_seats": ["refuse", "retire"],
    "stack": [1, 10_000],
    "ante_from": ["seats", "bank", "banker"],
    "ante": [1, 100],
    "sequence": ["trump-789", "best-run-trump-first", "best-run-height-first", "longest-run"],
    "bet_pool": ["poch", "pinke"],
    "high_card": [True, False],
    "prove_set": [True, False],
    "all_in": [True, False],
    "raises": ["free", "none", "capped"],
    "bluff_penalty": [0, 10],
    "turned_card": ["nobody", "dealer"],
    "leader": ["poch-winner", "forehand"],
    "run_ends": ["nobody-can", "next-cannot"],
    "shedding": ["sequence", "rising", "tricks", "domino", "thirty-one"],
    "centre_to_winner": [True, False],
    "run_bonus": [0, 100],
    "out_when_broke": [True, False],
    "deals": ["open", "round", "until-short", 1, 1000],
    "last_deal_to": ["none", "poch", "pinke"],
    "leftover": ["bank", "split"],
    "first_dealer": ["chosen", "lowest-card", "first-ace"],
    "won_by": ["most-won", "most-chips", "last-with-chips"],
    "direction": ["clockwise", "anticlockwise"],
}
NUMBERS: Final[tuple[Any, ...]] = (None, True, "1", 1.0, [1], {}, -1, 10**30)
OUTSIDE: Final[dict[str, list[Any]]] = {
    "source": [None, 1, [], True],
    "players": [
        [1, 3], [3, 9], [4, 3], [3], [3, 4, 5], [], [3, "4"], [3, True], [3.0, 4], 3, "3-6", None,
        {"3": 6},
    ],
    "deck": [*NUMBERS, 31, 35, 41, 53, "32", "Auto", ""],
    "hand": [*NUMBERS, 0, 11, "everything"],
    "packets": [None, True, "1", 1, 1.0, {}, [], [0], [11], ["1"], [1.0], [True], [[1]]],
    "trump": [*NUMBERS, "H", "Hearts", "none", "clubs"],
    "last_deal_to_poch": [None, 0, 1, "true", "poch", []],
    "stack": [*NUMBERS, 0, 10_001],
    "pools": ["ace", None, 1, {}, [1], [None], ["Ace"], ["joker"], [["ace"]]],
    "ante_pools": ["ace", None, 1, {}, [1], [None], ["Ace"], ["joker"], [["ace"]]],
    "ante": [*NUMBERS, 0, 101],
    "bluff_penalty": [*NUMBERS, 11],
    "run_bonus": [*NUMBERS, 101],
    "deals": [*NUMBERS, 0, 1001, "Open", "10"],
    **{
        key: [None, 1, True, "", "nobody ", "Free", [values[0]]]
        for key, values in INSIDE.items()
        if all(isinstance(value, str) for value in values) and key != "source"
    },
    **{
        key: [None, 0, 1, "true", [], 1.0]
        for key, values in INSIDE.items()
        if values == [True, False]
    },
}  # fmt: skip


TO_BE_WON: Final[dict[str, dict[str, Any]]] = {
    "hand": {"ante_pools": ["ace"]},
    "centre_to_winner": {"bet_pool": "pinke"},
}
"""What else lets all pools be won."""


@pytest.mark.parametrize(
    ("key", "value"), [(key, value) for key, values in INSIDE.items() for value in values]
)
def test_values_within_the_range(key: str, value: Any) -> None:
    others = TO_BE_WON.get(key, {})
    changed = override(shipped_rulesets()["modern"], {**others, key: value})
    kept = shipped_rulesets()["modern"].parameters()
    assert changed.parameters() == {**kept, **others, key: value}


def error_of(key: str, value: Any) -> BadParameterError | None:
    try:
        override(shipped_rulesets()["modern"], {key: value})
    except BadParameterError as error:
        return error
    return None


@pytest.mark.parametrize("key", OUTSIDE)
def test_values_out_of_range_are_refused_by_name(key: str) -> None:
    night = Night(None)
    for value in OUTSIDE[key]:
        refused = error_of(key, value)
        assert refused is not None, f"{value!r} is accepted"
        assert refused.key == key, value
        assert key in str(refused), value
        assert refused.reason, value
        start = {"ruleset": "modern", "players": ["A", "B", "C"], "options": {key: value}}
        assert night.refused("start", **start) == "bad-ruleset", value


def test_a_ruleset_gets_the_defaults_of_what_it_leaves_out() -> None:
    given = shipped_rulesets()["modern"].parameters()
    for key in ("packets", "trump", "bet_pool_takes_poch", "bet_needs_set", "tie_break"):
        del given[key]
    del given["short_seats"]
    assert complete("modern", given) == shipped_rulesets()["modern"]


# Combinations that cannot be played.

UNPLAYABLE: Final[list[tuple[str, str, dict[str, Any]]]] = [
    ("pools", "modern", {"pools": []}),
    ("pools", "modern", {"pools": [*NINE, "pinke"]}),
    ("pools", "modern", {"pools": ["king", "ace", *NINE[2:]]}),
    ("ante_pools", "alvensleben-1853", {"ante_pools": [*MELD, "pinke"]}),
    ("bet_pool", "alvensleben-1853", {"bet_pool": "pinke"}),
    ("centre_to_winner", "thirty-one", {"centre_to_winner": True}),
    (
        "last_deal_to",
        "modern",
        {
            "pools": [*MELD, "pinke"],
            "ante_pools": ["ace"],
            "bet_pool": "pinke",
            "last_deal_to": "poch",
        },
    ),
    # With a fixed suit no card is turned up, so none is kept back or given to the dealer.
    ("trump", "modern", {"trump": "hearts"}),
    ("turned_card", "banker", {"trump": "spades", "turned_card": "dealer"}),
    # Four hands of 9 leave no card of 36 to turn up.
    ("hand", "modern", {"deck": 36, "hand": 9, "players": [2, 4]}),
    ("hand", "thirty-one", {"hand": 6}),
    # 8 x 6 + 1 = 49, 8 x 7 + 1 = 57.
    ("hand", "alvensleben-1853", {"hand": 7}),
    ("hand", "banker", {"hand": 9}),
    ("hand", "banker", {"hand": 10, "players": [2, 4]}),
]


@pytest.mark.parametrize(("key", "name", "chosen"), UNPLAYABLE)
def test_what_cannot_be_played_is_refused_by_name(
    key: str, name: str, chosen: dict[str, Any]
) -> None:
    with pytest.raises(BadParameterError) as refused:
        override(shipped_rulesets()[name], chosen)
    assert refused.value.key == key
    start = {"ruleset": name, "players": ["A", "B", "C"], "options": chosen}
    assert Night(None).refused("start", **start) == "bad-ruleset"


@pytest.mark.parametrize(
    ("name", "chosen"),
    [
        ("thirty-one", {"players": [3, 7], "hand": 4}),
        ("thirty-one", {"players": [2, 3], "hand": 10}),  # 31 of 32
        ("alvensleben-1853", {"hand": 6}),
        ("alvensleben-1853", {"players": [2, 5], "hand": 10}),  # 51 of 52
        ("banker", {"hand": 7}),  # 29 of 32, 43 of 52
        ("modern", {"hand": 7, "players": [5, 5]}),
        ("modern", {"deck": 32, "players": [2, 8]}),
    ],
)
def test_what_can_be_played(name: str, chosen: dict[str, Any]) -> None:
    night = Night(name, chosen.get("players", [3, 6])[1], options=chosen)
    night.whole_deal()
    assert night["deal"] == 1


def alternatives(words: Iterable[str]) -> str:
    *others, last = (f'"{word}"' for word in words)
    return f"{', '.join(others)} or {last}"


@pytest.mark.parametrize(
    ("name", "chosen", "sentence"),
    [
        (
            "modern",
            {"jokers": 2},
            (
                '"jokers" is not a parameter. The parameters are source, players, deck, hand,'
                f" packets, {', '.join(PARAMETERS[5:])}."
            ),
        ),
        (
            "modern",
            {"raises": "some"},
            '"raises" must be "capped", "free" or "none", not "some".',
        ),
        ("modern", {"source": {"x": 1}}, '"source" must be text, not {"x":1}.'),
        ("modern", {"pools": []}, '"pools" must name at least one pool.'),
        (
            "modern",
            {"last_deal_to_poch": True, "last_deal_to": "none"},
            '"last_deal_to_poch" and "last_deal_to" mean the same. Give only one of them.',
        ),
    ],
)
def test_the_error_says_what_is_wrong_with_an_option(
    name: str, chosen: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(BadParameterError) as refused:
        override(shipped_rulesets()[name], chosen)
    assert str(refused.value) == sentence


# House files.


def toml(values: dict[str, Any]) -> str:
    return "".join(
        f"{key} = {msgspec.json.encode(value).decode()}\n" for key, value in values.items()
    )


def test_a_house_file_with_a_base() -> None:
    text = toml({"name": " sunday ", "base": "philos", "ante": 2, "deals": 7})
    rules = read_ruleset(decode_toml(text), shipped_rulesets())
    assert rules.name == "sunday"
    assert rules.parameters() == {
        **shipped_rulesets()["philos"].parameters(), "ante": 2, "deals": 7,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("name", 'base = "modern"'),
        ("name", 'name = " "\nbase = "modern"'),
        ("base", 'name = "x"\nbase = "canasta"'),
        ("base", 'name = "x"\nbase = ["modern"]'),
        ("colour", 'name = "x"\nbase = "modern"\ncolour = "red"'),
        ("ante", 'name = "x"\nbase = "modern"\nante = 1.0'),
        ("ante", 'name = "x"\nbase = "modern"\nante = 2026-11-21'),
        ("ante", 'name = "x"\nbase = "modern"\n[ante]\nseats = 1'),
        ("players", 'name = "x"\nbase = "modern"\nplayers = [2026-11-21, 6]'),
    ],
)
def test_a_bad_house_file_is_refused_with_key_and_reason(key: str, text: str) -> None:
    with pytest.raises(BadParameterError) as refused:
        read_ruleset(decode_toml(text), shipped_rulesets())
    assert refused.value.key == key
    assert refused.value.reason


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('base = "modern"', '"name" must be given, as in name = "sunday".'),
        (
            'name = "x"\nbase = "canasta"',
            f'"base" must be {alternatives(list(shipped_rulesets()))}, not "canasta".',
        ),
        (
            'name = "x"\nante = 1',
            '"source" is missing. Give every parameter, or name a "base" to start from.',
        ),
    ],
)
def test_the_error_says_what_is_wrong_with_a_house_file(text: str, sentence: str) -> None:
    with pytest.raises(BadParameterError) as refused:
        read_ruleset(decode_toml(text), shipped_rulesets())
    assert str(refused.value) == sentence


# A night keeps the ruleset that it began with.


def test_the_ruleset_is_frozen_into_the_night() -> None:
    known = dict(shipped_rulesets())
    night = Night(None)
    night.book.resolve = resolve_among(known)
    night.start("modern", 3, options={"ante": 2})
    known["modern"] = override(known["modern"], {"ante": 5})
    night.do("deal")
    assert night.stacks == [50 - 18] * 3
    assert shipped_rulesets()["modern"].ante == 1
    night.do("void")
    night.do("end")
    night.start("modern", 3)
    night.do("deal")
    assert night.stacks == [50 - 45] * 3
