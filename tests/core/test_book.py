"""The book of a night: after any commands it balances, and nothing is lost (docs/RULES.md 3)."""

from __future__ import annotations

import importlib
import pkgutil
from collections import Counter
from collections.abc import Iterator
from typing import Any

import hypothesis.strategies as st
import msgspec
import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from msgspec.structs import replace

import pochboard
from pochboard.errors import Refusal
from pochboard.ledger import book
from pochboard.ledger.book import Book, Repeat, Step, legal_actions
from pochboard.ledger.entry import Entry, Posting, violated
from pochboard.messages.entries import sentences
from pochboard.rules.commands import (
    command_name,
    parse_command,
)
from pochboard.rules.state import State, public_state
from tests.core.play import ALL_COMMANDS, NINE, USUAL, Night, attempts, melding, resolve, starts


class Nights(RuleBasedStateMachine):
    """A model that keeps whole states in lists, to compare with the book."""

    def __init__(self) -> None:
        super().__init__()
        self.book = Book(resolve())
        self.in_force: list[tuple[str, State]] = []
        """The commands in force, each with the state after it."""
        self.taken_back: list[tuple[str, State]] = []
        self.answers: dict[str, tuple[int, State]] = {}
        """By id: the number of the entry, and the state after it."""
        self.posted: Counter[str] = Counter()

    @property
    def state(self) -> dict[str, Any]:
        return public_state(self.book.state)

    @initialize(start=starts())
    def begin(self, start: dict[str, Any]) -> None:
        self.send(start)

    def send(self, raw: dict[str, Any]) -> bool:
        """Applies a command, checks the book's answer, and returns whether it was accepted."""
        book = self.book
        before, entries = book.state, list(book.entries)
        answer = book.apply(raw)
        if isinstance(answer, Refusal):
            assert book.state is before
            assert book.entries == entries
            return False
        if isinstance(answer, Repeat):
            number, state = self.answers[raw["id"]]
            assert (answer.entry.number, answer.state) == (number, state)
            assert book.state is before
            assert book.entries == entries
            return True
        assert raw.get("id") not in self.answers or raw["do"] == "start"
        self.follow(raw, before, answer)
        if raw["do"] != "start":
            assert book.entries[:-1] == entries
        return True

    def follow(self, raw: dict[str, Any], before: State, step: Step) -> None:
        """Applies an accepted command to the model too, and compares."""
        do, state = raw["do"], self.book.state
        if do == "start":
            self.in_force, self.taken_back, self.answers = [], [], {}
            self.posted = Counter()
            before = State()
        if do == "undo":
            self.taken_back.append(self.in_force.pop())
            assert state == self.in_force[-1][1]
        elif do == "redo":
            self.in_force.append(self.taken_back.pop())
            assert state == self.in_force[-1][1]
        else:
            if do == "void":
                deals = [at for at, (name, _) in enumerate(self.in_force) if name == "deal"]
                assert state == self.in_force[deals[-1] - 1][1]
            self.in_force.append((do, state))
            self.taken_back = []
        entry = step.entry
        assert entry is self.book.entries[-1]
        assert entry.number == len(self.book.entries)
        assert sent(entry) == raw
        if "id" in raw:
            self.answers[raw["id"]] = entry.number, state
        self.check_postings(before, state, entry.postings)

    def check_postings(
        self, before: State, after: State, postings: tuple[tuple[str, int], ...]
    ) -> None:
        assert sum(chips for _, chips in postings) == 0
        assert all(chips for _, chips in postings)
        assert len(dict(postings)) == len(postings)
        old, new = public_state(before), public_state(after)
        changes = {
            "bank": new["bank"] - old["bank"],
            **{f"pool:{p}": new["pools"].get(p, 0) - old["pools"].get(p, 0) for p in NINE},
            **{
                f"seat:{s}": new["stacks"].get(s, 0) - old["stacks"].get(s, 0)
                for s in {**old["stacks"], **new["stacks"]}
            },
        }
        assert dict(postings) == {name: change for name, change in changes.items() if change}
        self.posted.update(dict(postings))

    # What is tried.

    @rule(data=st.data(), steps=st.integers(1, 20))
    def go_on(self, data: st.DataObject, steps: int) -> None:
        """Sends some of the usual commands, with valid arguments if there are any."""
        for _ in range(steps):
            self.usual(data)
            self.it_adds_up()
            self.the_state_is_well_formed()

    def usual(self, data: st.DataObject) -> None:
        state = self.state
        name = data.draw(st.sampled_from(USUAL[state["phase"]]))
        if name == "start":
            raw = data.draw(starts())
        else:
            tries = list(attempts(name, state))
            legal = [
                raw for raw in tries if isinstance(self.book.consider(parse_command(raw)), Step)
            ]
            raw = data.draw(st.sampled_from(legal or tries))
        with_id = data.draw(st.sampled_from([None, None, None, "a", "b", "c", "d"]))
        self.send({**raw, "id": with_id} if with_id else raw)

    @rule(data=st.data())
    def try_anything(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(ALL_COMMANDS))
        self.send(data.draw(st.sampled_from(list(attempts(name, self.state)))))

    @rule()
    def undo(self) -> None:
        """Takes one step back; usually it stays undone."""
        possible = len(self.in_force) > 1
        assert self.send({"do": "undo"}) == possible

    @rule(times=st.integers(1, 12))
    def undo_and_redo(self, times: int) -> None:
        """Undoes some steps and redoes as many, which restores the very same state."""
        state, steps = self.book.state, min(times, len(self.in_force) - 1)
        for _ in range(steps):
            assert self.send({"do": "undo"})
        for _ in range(steps):
            assert self.send({"do": "redo"})
        assert self.book.state == state

    @rule()
    def redo(self) -> None:
        possible = bool(self.taken_back)
        assert self.send({"do": "redo"}) == possible

    @precondition(lambda self: self.state["phase"] in ("meld", "pochen", "showdown", "shed"))
    @rule(back=st.sampled_from([True, True, True, False]))
    def void(self, back: bool) -> None:
        state = self.book.state
        assert self.send({"do": "void"})
        assert self.state["phase"] == "idle"
        if back:
            assert self.send({"do": "undo"})
            assert self.book.state == state
            assert self.state["phase"] != "idle"

    @precondition(lambda self: self.answers)
    @rule(data=st.data())
    def repeat_an_id(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.answers)))
        raw = data.draw(st.sampled_from([{"do": "deal"}, {"do": "nix"}, {}, {"do": "start"}]))
        assert isinstance(self.book.consider(parse_command({**raw, "id": name})), Repeat)
        self.send({**raw, "id": name})

    # What always holds.

    @invariant()
    def it_adds_up(self) -> None:
        state = self.state
        pools, stacks = state["pools"], state["stacks"]
        assert state["bank"] + sum(pools.values()) + sum(stacks.values()) == 0
        assert min([*pools.values(), *stacks.values()], default=0) >= 0
        balances = {
            "bank": state["bank"],
            **{f"pool:{name}": chips for name, chips in pools.items()},
            **{f"seat:{seat}": chips for seat, chips in stacks.items()},
        }
        assert {k: v for k, v in self.posted.items() if v} == {
            k: v for k, v in balances.items() if v
        }
        if self.in_force:
            assert self.book.state == self.in_force[-1][1]

    @invariant()
    def the_state_is_well_formed(self) -> None:
        state = self.state
        phase = state["phase"]
        assert (state["to_act"] is not None) == (phase == "pochen")
        assert (state["leader"] is not None) == (phase == "shed")
        assert (state["standings"] is not None) == (phase == "closed")
        assert (state["dealer"] is None) == (phase in ("none", "closed"))
        assert state["dealer"] is None or state["dealer"] in state["live"]
        assert state["live"] == sorted(state["live"])
        assert {str(seat) for seat in state["live"]} <= set(state["places"])
        assert len(set(state["places"].values())) == len(state["places"])
        if phase not in ("pochen", "showdown"):
            assert (state["knocker"], state["committed"]) == (None, {})
        if phase in ("none", "idle", "closed"):
            assert (state["trump"], state["blocked"]) == (None, [])

    @precondition(lambda self: len(self.book.entries) % 3 == 0)
    @rule()
    def what_is_offered_is_true(self) -> None:
        allowed = legal_actions(self.book).commands
        for name in ALL_COMMANDS:
            tries = list(attempts(name, self.state))
            accepted = any(
                isinstance(self.book.consider(parse_command(raw)), Step) for raw in tries
            )
            assert (name in allowed) == accepted, name

    def teardown(self) -> None:
        """Replaying the entries alone gives the same night."""
        again = Book(resolve())
        for entry, state in zip(self.book.entries, self.book.states, strict=True):
            step = again.apply(sent(entry), entry.time_ms)
            assert isinstance(step, Step)
            assert step.entry == entry
            assert again.state == state
        assert again.states == self.book.states
        assert (again.undoes(), again.redoes()) == (self.book.undoes(), self.book.redoes())
        for said in sentences(self.book.entries, self.book.states):
            assert said.endswith("."), said


def sent(entry: Entry) -> dict[str, Any]:
    """The JSON that an entry was made of."""
    with_id = {"id": entry.id} if entry.id is not None else {}
    return {**msgspec.json.decode(msgspec.json.encode(entry.command)), **with_id}


Nights.TestCase.settings = settings(max_examples=75, stateful_step_count=25)
TestNights = Nights.TestCase


# Small cases by hand.


def test_void_and_back_and_on_within_the_deal() -> None:
    night = melding()
    night.do("claim", seat=1, pool="ace")
    night.do("claim", seat=2, pool="king")
    night.do("void")
    assert (night["phase"], night["deal"], night.stacks) == ("idle", 0, [50] * 3)
    night.do("undo")
    assert (night["phase"], night["deal"], night.stacks) == ("meld", 1, [44, 44, 41])
    night.do("undo")
    assert night.stacks == [44, 41, 41]
    night.do("redo")
    night.do("redo")
    assert (night["phase"], night["deal"]) == ("idle", 0)
    assert [command_name(type(entry.command)) for entry in night.book.entries] == [
        "start", "deal", "claim", "claim", "void", "undo", "undo", "redo", "redo",
    ]  # fmt: skip


def test_considering_changes_nothing() -> None:
    night = Night()
    before = night.all
    for name in ALL_COMMANDS:
        for raw in attempts(name, before):
            night.book.consider(parse_command(raw))
    assert night.all == before
    assert len(night.book.entries) == 1


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


PURE = ("rules", "cards", "ledger", "buttons", "messages", "sheets", "lights", "bots")


def structs() -> Iterator[type[msgspec.Struct]]:
    """Every struct that a module of the core defines."""
    for package in PURE:
        folder = importlib.import_module(f"{pochboard.__name__}.{package}").__path__
        for info in pkgutil.iter_modules(folder, f"{pochboard.__name__}.{package}."):
            module = importlib.import_module(info.name)
            for value in vars(module).values():
                own = isinstance(value, type) and value.__module__ == info.name
                if own and issubclass(value, msgspec.Struct):
                    yield value


ALL = list(structs())


def test_structs_are_found() -> None:
    assert len(ALL) > 60


def test_every_value_of_the_core_is_frozen() -> None:
    assert [struct for struct in ALL if not struct.__struct_config__.frozen] == []
