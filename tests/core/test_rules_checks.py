"""The checks of docs/RULES.md 3 in their order: several apply at once, and the first must win."""

from __future__ import annotations

from typing import Any, Final

import pytest

from pochboard.ledger.book import Step
from pochboard.rules.accounts import MELD_POOLS
from pochboard.rules.melding import claimable
from tests.core.play import ALL_COMMANDS, NINE, Night, command, melding

NO_PINKE: Final[dict[str, Any]] = {
    "pools": list(NINE[:8]),
    "ante_pools": list(NINE[:7]),
    "centre_to_winner": False,
    "ante_from": "bank",
    "out_when_broke": True,
}
PHASES: Final = ("none", "idle", "meld", "pochen", "showdown", "shed", "shed-out", "closed")


def at(phase: str, **chosen: Any) -> Night:
    """A night without pinke: seats 1 and 2 live, 3 out, 4 left; seat 1 is forehand, 2 deals."""
    if phase == "none":
        return Night(None)
    night = melding("modern", 4, stack=10, options={**NO_PINKE, **chosen})
    night.have({3: 0})
    night.do("next")
    night.nobody_bets()
    night.settle(1)
    night.do("leave", seat=4)
    assert (night["live"], night["dealer"], night["places"]) == (
        [1, 2],
        2,
        {"1": 1, "2": 2, "3": 3},
    )
    if phase == "closed":
        night.do("end")
    if phase in ("idle", "closed"):
        return night
    night.do("deal")
    if phase == "meld":
        return night
    night.do("next")
    if phase == "showdown":
        night.do("stake", seat=1, chips=1)
        night.do("stake", seat=2, chips=1)
    if phase.startswith("shed"):
        night.do("pass", seat=1)
        night.do("pass", seat=2)
    if phase == "shed-out":
        night.do("out", seat=1)
    return night


# A well-formed example of every command, each accepted in its phase.
GOOD: Final[dict[str, dict[str, Any]]] = {
    "start": {"ruleset": "modern", "players": ["A", "B", "C"]},
    "deal": {},
    "turn": {"card": "9H"},
    "claim": {"seat": 1, "pool": "ace"},
    "next": {},
    "stake": {"seat": 1, "chips": 1},
    "pass": {"seat": 1},
    "showdown": {"ranking": [1]},
    "go": {"seat": 1},
    "out": {"seat": 1},
    "settle": {"cards": {"2": 1}},
    "void": {},
    "rebuy": {"seat": 3, "chips": 5},
    "join": {"name": "Zoe"},
    "leave": {"seat": 3},
    "sit_out": {"seat": 1},
    "sit_in": {"seat": 1},
    "rename": {"seat": 3, "name": "Carla"},
    "dealer": {"seat": 1},
    "banker": {"seat": 1},
    "adjust": {"from": "seat:1", "to": "bank", "chips": 1, "reason": "recount"},
    "undo": {},
    "redo": {},
    "end": {},
}
LEGAL_IN: Final[dict[str, set[str]]] = {
    "start": {"none", "closed"},
    "deal": {"idle"},
    "turn": {"meld", "pochen", "showdown", "shed", "shed-out"},
    "claim": {"meld"},
    "next": {"meld"},
    "stake": {"pochen"},
    "pass": {"pochen"},
    "showdown": {"showdown"},
    "go": {"shed", "shed-out"},
    "out": {"shed", "shed-out"},
    "settle": {"shed", "shed-out"},
    "void": {"meld", "pochen", "showdown", "shed", "shed-out"},
    "rebuy": {"idle"},
    "join": {"idle"},
    "leave": {"idle"},
    "sit_out": {"idle"},
    "sit_in": {"idle"},
    "rename": {"idle", "meld", "pochen", "showdown", "shed", "shed-out"},
    "dealer": {"idle"},
    "banker": set(),  # these rules have none
    "adjust": {"idle", "meld", "shed", "shed-out"},
    "undo": set(PHASES) - {"none"},
    "redo": set(PHASES) - {"none"},
    "end": {"idle"},
}
AFTER_THE_END: Final = ("start", "undo", "redo")


def wrong_phase(name: str, phase: str) -> str:
    """The code for a well-formed command in a phase in which it is not possible."""
    if phase == "closed" and name not in AFTER_THE_END:
        return "night-over"
    return "wrong-phase"


WRONG: Final = [
    (name, phase) for name in ALL_COMMANDS for phase in PHASES if phase not in LEGAL_IN[name]
]


def test_each_command_has_its_phases() -> None:
    refusals = {(name, phase): at(phase).refused(name, **GOOD[name]) for name, phase in WRONG}
    assert refusals == {(name, phase): wrong_phase(name, phase) for name, phase in WRONG}


@pytest.mark.parametrize("name", ALL_COMMANDS)
def test_the_examples_are_accepted_in_their_phase(name: str) -> None:
    phase = {"settle": "shed-out", "redo": "idle"}.get(name, min(LEGAL_IN[name], default="idle"))
    options = {"ante_from": "banker"} if name == "banker" else {"run_bonus": 1}
    night = at(phase, **options)
    if name == "redo":
        night.do("undo")
    if name in ("sit_out", "sit_in"):
        night.do("join", name="Zoe")
    if name == "sit_in":
        night.do("sit_out", seat=1)
    night.do(name, **GOOD[name])


# Form: not an object, or not a known command.


WHOLE: Final[tuple[Any, ...]] = (None, True, False, 0, -1, 1.0, 1.5, "1", [1], {}, -(10**30))
TEXT: Final[tuple[Any, ...]] = (None, True, 1, 1.0, [], ["x"], {})
LISTS: Final[tuple[Any, ...]] = (None, True, 1, "x", {})
FORMS: Final[dict[str, dict[str, tuple[Any, ...]]]] = {
    "start": {
        "ruleset": TEXT,
        "players": (*LISTS, [1], ["A", None, "C"], ["A", "B", ["C"]]),
        "options": (None, True, 1, "x", []),
        "dealer": WHOLE,
        "stack": WHOLE,
        "places": (*LISTS, [1, 2, 0], [1, 2, "3"], [1, 2, True], [1, 2, 3.0], [1, 2, None]),
    },
    "turn": {
        "card": (
            *TEXT, "", "A", "HA", "ah", "aH", "Ah", "10H", "1H", "AHH", " AH", "AH ", "AH\n", "A\n",
            "A♥", "0H",
        ),
    },
    "claim": {"seat": WHOLE, "pool": TEXT},
    "stake": {"seat": WHOLE, "chips": WHOLE},
    "pass": {"seat": WHOLE},
    "showdown": {"ranking": LISTS},
    "go": {"seat": WHOLE},
    "out": {"seat": WHOLE},
    "settle": {
        "cards": (
            None, True, 1, "x", [], {"1": None}, {"1": True}, {"1": 1.0}, {"1": "1"}, {"1": -1},
            {"1": [1]}, {"": 1}, {"0": 1}, {"00": 1}, {"01": 1}, {"-1": 1}, {"+1": 1}, {"1.0": 1},
            {" 1": 1}, {"1 ": 1}, {"1\n": 1}, {"x": 1}, {"seat:1": 1}, {"١": 1}, {"²": 1},
            {"1_0": 1}, {"0x1": 1}, {"1e0": 1},
        ),
    },
    "rebuy": {"seat": WHOLE, "chips": WHOLE},
    "join": {"name": TEXT, "place": WHOLE},
    "leave": {"seat": WHOLE},
    "sit_out": {"seat": WHOLE},
    "sit_in": {"seat": WHOLE},
    "rename": {"seat": WHOLE, "name": TEXT},
    "dealer": {"seat": WHOLE},
    "banker": {"seat": WHOLE},
    "adjust": {
        "from": (
            *TEXT, "", "Bank", "bank ", " bank", "bank\n", "bank:1", "pool", "pool:", "Pool:ace",
            "pools:ace", "ace", "seat", "seat:", "seat:0", "seat:01", "seat:-1", "seat:+1",
            "seat: 1", "seat:1 ", "seat:1\n", "seat:1.0", "seat:x", "seat:١", "place:1",
        ),
        "to": ("seat:1\n", "seat:01", "", None, 2, "pool:"),
        "chips": WHOLE,
        "reason": (*TEXT, "", " ", "\t\n", "\u00a0", "\u2003", "\u3000"),
    },
}  # fmt: skip
OPTIONAL: Final = {("start", "options"), ("start", "dealer"), ("start", "stack"),
                   ("start", "places"), ("join", "place")}  # fmt: skip
NO_IDS: Final[tuple[Any, ...]] = (None, 1, True, [])
BAD_FORMS: Final[list[tuple[str, dict[str, Any]]]] = [
    *(
        (name, {**GOOD[name], field: value})
        for name, fields in FORMS.items()
        for field, values in fields.items()
        for value in values
    ),
    *(
        (name, {key: value for key, value in GOOD[name].items() if key != field})
        for name, fields in FORMS.items()
        for field in fields
        if (name, field) not in OPTIONAL
    ),
    *((name, {**good, extra: 1}) for name, good in GOOD.items() for extra in ("", "Do", "who")),
    *((name, {**good, "id": bad}) for name, good in GOOD.items() for bad in NO_IDS),
    ("deal", {"seat": 1}),
    ("pass", {"seat": 1, "chips": 1}),
    ("showdown", {"ranking": [1], "seat": 1}),
    ("claim", {"seat": 1, "pools": "ace"}),
    ("adjust", {"from_": "bank", "to": "seat:1", "chips": 1, "reason": "x"}),
    *(
        ("adjust", {"from": same, "to": same, "chips": 1, "reason": "x"})
        for same in ("bank", "seat:1", "seat:9", "pool:ace", "pool:nix")
    ),
]


@pytest.mark.parametrize("phase", PHASES)
def test_bad_forms_come_before_everything_but_the_nights_end(phase: str) -> None:
    night = at(phase)
    over = phase == "closed"
    in_other_order = {
        f"{name} {fields}": code
        for name, fields in BAD_FORMS
        if (code := night.refused(name, **fields))
        != ("night-over" if over and name not in AFTER_THE_END else "bad-argument")
    }
    assert in_other_order == {}


# Before the first night.


# Unknown seats and pools are checked before the phase.

OPEN: Final = PHASES[1:-1]
HUGE: Final = (5, 10**9, 2**63, 2**64, 10**30)


@pytest.mark.parametrize("phase", OPEN)
def test_unknown_seats_come_before_pools_phase_and_row(phase: str) -> None:
    night = at(phase)
    for name in ("stake", "pass", "go", "out", "rebuy", "leave", "rename", "dealer"):
        for seat in HUGE:
            assert night.refused(name, **{**GOOD[name], "seat": seat}) == "unknown-seat"
    assert night.refused("rename", seat=5, name=" ") == "unknown-seat"
    assert night.refused("claim", seat=5, pool="nix") == "unknown-seat"
    assert night.refused("settle", cards={"1": 99, "5": 1}) == "unknown-seat"
    for digits in (20, 99, 100, 101, 4301, 10_000):
        assert night.refused("settle", cards={"9" * digits: 1}) == "unknown-seat"
    recount = {"chips": 1, "reason": "x"}
    for one, other in (
        ("bank", "seat:5"),
        ("seat:5", "bank"),
        ("pool:nix", "seat:5"),
        ("seat:5", "pool:nix"),
        ("seat:4", "seat:5"),
        ("seat:3", "seat:5"),
        ("bank", f"seat:{'9' * 101}"),
        ("bank", f"seat:{'9' * 5000}"),
    ):
        assert night.refused("adjust", **{"from": one}, to=other, **recount) == "unknown-seat"


@pytest.mark.parametrize("phase", OPEN)
def test_unknown_pools_come_before_the_phase_and_seats_that_are_out(phase: str) -> None:
    night = at(phase)
    for pool in ("poch", "pinke", "nix", "", "Ace", "ace ", "pool:ace", "bank"):
        for seat in (1, 3, 4):
            assert night.refused("claim", seat=seat, pool=pool) == "unknown-pool"
    for one, other in (
        ("bank", "pool:pinke"),
        ("pool:nix", "bank"),
        ("pool:nix", "seat:4"),
        ("seat:3", "pool:Ace"),
        ("pool:ace ", "bank"),
    ):
        tried = {"from": one, "to": other, "chips": 1, "reason": "x"}
        assert night.refused(command("adjust", tried)) == "unknown-pool"


@pytest.mark.parametrize("phase", OPEN)
@pytest.mark.parametrize("seat", [3, 4])
def test_the_phase_comes_before_seats_that_are_out(phase: str, seat: int) -> None:
    night = at(phase)
    for name in ("claim", "stake", "pass", "go", "out", "dealer"):
        code = "seat-out" if phase in LEGAL_IN[name] else "wrong-phase"
        assert night.refused(name, **{**GOOD[name], "seat": seat}) == code
    if phase not in LEGAL_IN["rebuy"]:
        assert night.refused("rebuy", seat=seat, chips=1) == "wrong-phase"
        assert night.refused("leave", seat=seat) == "wrong-phase"
    if phase not in LEGAL_IN["settle"]:
        assert night.refused("settle", cards={str(seat): 1}) == "wrong-phase"
    if phase not in LEGAL_IN["adjust"]:
        tried = {"from": f"seat:{seat}", "to": "bank", "chips": 99, "reason": "x"}
        assert night.refused(command("adjust", tried)) == "wrong-phase"


# The rows of the table, from left to right.


def test_start_in_its_order() -> None:
    night = Night(None)
    bad: dict[str, Any] = {
        "ruleset": "canasta",
        "players": ["A", "A"],
        "places": [9],
        "dealer": 9,
        "stack": 10_001,
    }
    assert night.refused("start", **bad) == "bad-ruleset"
    bad["ruleset"] = "modern"
    assert night.refused("start", **bad, options={"nix": 1}) == "bad-ruleset"
    assert night.refused("start", **bad) == "bad-players"
    bad["players"] = ["A", "B", "C"]
    assert night.refused("start", **bad) == "bad-place"
    bad["places"] = [8, 1, 3]
    assert night.refused("start", **bad) == "bad-argument"
    bad["dealer"] = 3
    assert night.refused("start", **bad) == "bad-argument"
    bad["stack"] = 10_000
    night.do("start", **bad)
    assert (night["dealer"], night.stacks, night["places"]) == (
        3, [10_000] * 3, {"1": 8, "2": 1, "3": 3},
    )  # fmt: skip


@pytest.mark.parametrize(
    "players",
    [
        [], ["A", "B"], list("ABCDEFG"), ["A", "", "C"], ["A", " ", "C"], ["A", "\u00a0", "C"],
        ["A", "\u2003\u3000", "C"], ["A", "\t\r\n", "C"], ["A", "B", "A"], ["A", "B", " A"],
        ["A", "B", "A\u2003"], ["A", "B", "\nB"],
    ],
)  # fmt: skip
def test_players_that_cannot_start(players: list[str]) -> None:
    assert Night(None).refused("start", ruleset="modern", players=players) == "bad-players"


def test_turn_in_its_order() -> None:
    night = melding("modern", 4)
    night.do("turn", card="TH")
    night.do("claim", seat=1, pool="ace")
    assert night.refused("turn", card="6H") == "bad-argument"
    assert night.refused("turn", card="7H") == "already-turned"
    night.do("undo")
    night.do("undo")
    night.do("claim", seat=1, pool="ace")
    assert night.refused("turn", card="6H") == "bad-argument"
    assert night.refused("turn", card="AH") == "too-late"
    night.do("claim", seat=2, pool="marriage")
    assert night.refused("turn", card="QH") == "too-late"
    night.do("turn", card="7H")


def test_claim_in_its_order() -> None:
    night = at("meld")
    night.do("turn", card="KH")
    night.fill(king=0, queen=1, ace=1)
    # Both blocked and empty.
    assert night.refused("claim", seat=1, pool="king") == "blocked-pool"
    night = at("meld")
    night.do("claim", seat=1, pool="marriage")
    # Both empty and in conflict with the marriage.
    assert night.refused("claim", seat=2, pool="king") == "empty-pool"
    night.fill(king=1)
    assert night.refused("claim", seat=2, pool="king") == "conflict"
    night.do("claim", seat=1, pool="king")


@pytest.mark.parametrize("turned", [*(f"{rank}H" for rank in "789TJQKA"), None])
@pytest.mark.parametrize("taken", ["marriage", "king", "queen", "sequence"])
def test_what_may_be_claimed_is_what_the_check_accepts(turned: str | None, taken: str) -> None:
    night = at("meld")
    if turned:
        night.do("turn", card=turned)
    if night.would("claim", seat=1, pool=taken):
        night.do("claim", seat=1, pool=taken)
    night.fill(king=1, queen=1)
    accepted = {
        seat: [pool for pool in MELD_POOLS if night.would("claim", seat=seat, pool=pool)]
        for seat in (1, 2)
    }
    assert {seat: list(claimable(night.book.state, seat)) for seat in accepted} == accepted
    assert set(claimable(night.book.state)) == set(accepted[1]) | set(accepted[2])


def test_settle_in_its_order() -> None:
    night = at("shed")
    # Nobody has gone out yet, and seat 3 does not take part.
    assert night.refused("settle", cards={"3": 99}) == "wrong-phase"
    night = at("shed-out")
    # All but one of 32 cards dealt to two seats: 16 and 15.
    assert night.refused("settle", cards={"1": 99, "3": 99}) == "seat-out"
    assert night.refused("settle", cards={"1": 99, "4": 0}) == "seat-out"
    assert night.refused("settle", cards={"1": 99}) == "bad-argument"
    assert night.refused("settle", cards={"1": 0, "2": 0}) == "bad-argument"
    assert night.refused("settle", cards={}) == "counts-missing"
    assert night.refused("settle", cards={"2": 16}) == "too-many-cards"
    assert night.refused("settle", cards={"2": 10**30}) == "too-many-cards"
    night.do("settle", cards={"2": 15})


def test_join_in_its_order() -> None:
    night = at("idle", players=[2, 4])
    assert night.refused("join", name="Ben", place=9) == "bad-players"
    assert night.refused("join", name=" Ben\u2003", place=9) == "bad-players"
    assert night.refused("join", name="Clara") == "bad-players"
    assert night.refused("join", name="\u00a0") == "bad-players"
    assert night.refused("join", name="Zoe", place=9) == "bad-place"
    assert night.refused("join", name="Zoe", place=3) == "bad-place"
    assert night.refused("join", name="Zoe", place=10**30) == "bad-place"
    night.do("join", name=" David ", place=8)  # the name of a seat that has left
    night.do("join", name="Zoe")
    assert night["places"] == {"1": 1, "2": 2, "3": 3, "5": 8, "6": 4}
    assert night.refused("join", name="Yves", place=9) == "table-full"
    assert night.refused("join", name="Zoe", place=9) == "bad-players"


def test_adjust_in_its_order() -> None:
    night = at("idle")

    def tried(one: str, other: str, chips: int = 99) -> str:
        fields = {"from": one, "to": other, "chips": chips, "reason": "x"}
        return night.refused(command("adjust", fields))

    assert tried("seat:3", "seat:4") == "seat-left"
    assert tried("seat:4", "seat:3") == "seat-left"
    assert tried("seat:4", "bank") == "seat-left"
    assert tried("seat:3", "bank") == "seat-out"
    assert tried("bank", "seat:3") == "seat-out"
    assert tried("pool:ace", "seat:3") == "seat-out"
    assert tried("seat:1", "bank") == "not-enough-chips"
    assert tried("pool:ace", "bank") == "not-enough-chips"
    assert tried("seat:1", "bank", 11) == "not-enough-chips"
    assert tried("seat:1", "bank", 10**30) == "not-enough-chips"
    night.do("adjust", **{"from": "bank"}, to="seat:1", chips=1_000_000, reason="x")


TEXTS: Final = {
    "id": (200, {"do": "dealer", "seat": 1}),
    "name": (100, {"do": "rename", "seat": 1}),
    "reason": (500, {"do": "adjust", **GOOD["adjust"]}),
}
HIDDEN: Final = (
    "\x00\x07\x1b\x7f\x85\u200b\u200e\u202e\u2028\u2066\ufeff\ud800\u00ad\u034f\u115f\u1160\u17b4"
    "\u180e\u2065\u3164\uffa0\ufff0\ufffa\ue000\uf8ff\ufdd0\uffff\U0001bca0\U0001d173\U000e0001"
    "\U000e0041\U000e0fff\U000f0000\U0010fffd"
)


@pytest.mark.parametrize("field", TEXTS)
def test_a_text_has_a_maximum_length_not_counting_white_space_around_it(field: str) -> None:
    most, sent = TEXTS[field]
    night = at("idle")
    assert night.refused({**sent, field: "x" * (most + 1)}) == "bad-argument"
    assert isinstance(night.book.apply({**sent, field: " " + "x" * most + "\n"}), Step)


@pytest.mark.parametrize("field", TEXTS)
def test_a_text_with_an_invisible_character_is_refused(field: str) -> None:
    _, sent = TEXTS[field]
    night = at("idle")
    for hidden in HIDDEN:
        assert night.refused({**sent, field: f"An{hidden}na"}) == "bad-argument"


LOOK_ALIKE: Final = (
    "Ben\ufe0f", "B\u200den", "\u200cBen", "Ben\U000e0100", "Ben\u180b", "\u2800Ben\u2800",
    "Ben\u3000",
)  # fmt: skip


@pytest.mark.parametrize("name", LOOK_ALIKE)
def test_a_name_that_looks_like_another_is_taken(name: str) -> None:
    start = {"do": "start", "ruleset": "modern", "players": ["Anna", "Ben", name]}
    assert at("none").refused(start) == "bad-players"
    assert at("idle").refused("join", name=name) == "bad-players"
    assert at("idle").refused("rename", seat=1, name=name) == "bad-players"


# The id is checked before everything else.


def test_an_id_is_looked_at_first() -> None:
    night = Night(None)
    night.do("start", **GOOD["start"], id="first")
    night.do("deal", id="a")
    night.do("undo", id="b")
    before = list(night.book.entries)
    state = night.all
    for raw in (
        {"id": "a"},
        {"do": "canasta", "id": "a"},
        {"do": "pass", "seat": True, "id": "a"},
        {"do": "start", "id": "a"},
        {"do": "undo", "id": "b"},
        {"id": "first", "x": 1},
    ):
        answer = night.book.apply(raw)
        assert answer == night.repeats("deal", id=raw["id"])
    assert night.book.entries == before
    assert night.all == state
    night.do("end")
    assert night.repeats("deal", id="a").state.phase == "meld"
    assert night.refused("deal", id="c") == "night-over"
    # A start with the id of this night's start repeats that start.
    assert night.repeats("start", **GOOD["start"], id="first").entry.number == 1
    night.do("start", **GOOD["start"], id="second")
    # In another night the ids are free again.
    night.do("deal", id="a")
