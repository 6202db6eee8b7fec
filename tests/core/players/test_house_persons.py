"""Persons at a table of house players: they are waited for, and may do whatever they like."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import msgspec
import pytest

from pochboard.errors import CardError
from pochboard.ledger.book import Step
from pochboard.players.acts import Act, Await, Do, Lay
from pochboard.players.house import House
from pochboard.players.temper import HOUSE, SENSIBLE
from pochboard.rules.commands import Claim, Deal, Go, Pass, Rebuy, Settle, Stake, Turn, Void
from pochboard.rules.melding import claimable
from pochboard.rules.state import State
from tests.core.play import SEVEN_RULESETS, Night
from tests.core.players.starts import NIGHTS

PERSON = 2


class Table:
    """A night with a person at seat 2 and the house at the other seats."""

    def __init__(
        self, ruleset: str = "modern", count: int = 4, seed: str = "seed", **options: Any
    ) -> None:
        self.night = Night(ruleset, count, options=options)
        self.tempers = {seat: HOUSE[seat % 3] for seat in range(1, count + 1) if seat != PERSON}
        self.house = House(self.tempers, seed)

    @property
    def state(self) -> State:
        return self.night.book.state

    @property
    def hand(self) -> tuple[str, ...]:
        return self.house.arbiter.cards.hands[PERSON]

    def step(self) -> Act | None:
        """What happens next, done if the house does it."""
        act = self.house.next(self.state)
        if isinstance(act, Do):
            raw = msgspec.to_builtins(act.command)
            step = self.night.book.apply(raw)
            assert isinstance(step, Step), f"{raw}: {step}"
        if act is not None and not isinstance(act, Await):
            self.house.done(act)
        return act

    def until_asked(self, what: str | None = None) -> Await:
        """Plays until the person is asked this, or anything; else the person does the simplest."""
        for _ in range(10_000):
            act = self.step()
            assert act is not None, "the night is over"
            if isinstance(act, Await):
                if what in (None, act.what):
                    return act
                self.answer(act)
        pytest.fail(f"never asked: {what}")

    def answer(self, act: Await) -> None:
        """The person claims nothing, passes, and lays the first card that may be laid."""
        assert act.seat == PERSON
        if act.what == "meld":
            self.night.do("next")
        elif act.what == "bet":
            self.night.do("pass", seat=PERSON)
        else:
            assert self.house.arbiter.game
            self.house.lay(self.state, PERSON, self.house.arbiter.game.legal()[0])

    def play_to_the_end(self) -> Counter[str]:
        asked = Counter[str]()
        for _ in range(20_000):
            act = self.step()
            if act is None:
                return asked
            if isinstance(act, Await):
                asked[act.what] += 1
                self.answer(act)
        pytest.fail("the night never ended")


@pytest.mark.parametrize("name", SEVEN_RULESETS)
def test_a_person_is_asked_in_turn(name: str) -> None:
    table = Table(name, deals=4)
    asked = Counter[str]()
    while (act := table.step()) is not None:
        if not isinstance(act, Await):
            own = isinstance(act, Lay) or isinstance(act.command, Claim | Stake | Pass)
            assert not (own and act.seat == PERSON)
            continue
        assert act.seat == PERSON
        state, game = table.state, table.house.arbiter.game
        asked[act.what] += 1
        match act.what:
            case "meld":
                assert state.phase == "meld"
                assert state.turned
            case "bet":
                assert state.to_act == PERSON
            case "lay":
                assert state.phase == "shed"
                assert game
                assert game.tableau.to_play == PERSON
        table.answer(act)
    assert asked["meld"] == table.state.deal
    assert asked["bet"]
    assert asked["lay"]


def test_the_house_claims_before_it_waits_and_nothing_for_persons() -> None:
    table = Table(stack=500)
    for _ in range(12):
        asked = table.until_asked("meld")
        state = table.state
        for seat, pools in table.house.arbiter.due.items():
            open_ = set(pools) & set(claimable(state, seat))
            if seat != PERSON:
                assert not open_
        for pool in table.house.arbiter.due[PERSON]:
            if pool in claimable(table.state, PERSON):
                table.night.do("claim", seat=PERSON, pool=pool)
                # Asked again: perhaps there is more to claim.
                assert table.house.next(table.state) == asked
        table.night.do("next")


def test_a_person_may_lay_only_in_turn_and_only_what_is_legal() -> None:
    table = Table("modern", seed="lay")
    table.until_asked("bet")
    with pytest.raises(CardError):
        table.house.lay(table.state, PERSON, table.hand[0])
    table.until_asked("lay")
    game = table.house.arbiter.game
    assert game
    while not game.tableau.run or game.tableau.to_play != PERSON:
        table.answer(table.until_asked("lay"))
        table.until_asked("lay")
        game = table.house.arbiter.game
        assert game
    (legal,) = game.legal()
    others = [card for card in game.hands[PERSON] if card != legal]
    not_held = next(iter(game.hands[3]))
    for card in (*others, not_held, table.house.arbiter.cards.turned, "XX"):
        with pytest.raises(CardError):
            table.house.lay(table.state, PERSON, card)
    with pytest.raises(CardError):
        table.house.lay(table.state, 3, not_held)
    assert table.house.arbiter.game == game
    table.house.lay(table.state, PERSON, legal)
    assert table.house.arbiter.game.tableau.played == game.tableau.played | {legal}


# Taking back, voiding, going on.


def test_the_same_card_is_turned_up_again() -> None:
    table = Table()
    table.until_asked("meld")
    turned, hand = table.state.turned, table.hand
    while table.state.turned:
        table.night.do("undo")
    act = table.step()
    assert isinstance(act, Do)
    assert act.command == Turn(str(turned))
    assert table.hand == hand


def test_a_deal_taken_back_or_void_is_dealt_anew() -> None:
    for word in ("undo", "void"):
        table = Table()
        table.until_asked("bet")
        before = table.house.arbiter.cards
        while table.state.phase != "idle":
            table.night.do(word)
        assert table.step() == Do(Deal())
        table.until_asked("meld")
        assert table.state.deal == 1
        assert table.house.arbiter.cards != before


def test_cards_are_taken_up_when_the_shedding_is_taken_back() -> None:
    table = Table()
    table.until_asked("lay")
    table.answer(table.until_asked("lay"))
    cards = table.house.arbiter.cards
    while table.state.phase == "shed":
        table.night.do("undo")
    table.house.next(table.state)
    assert table.house.arbiter.game is None
    assert table.house.arbiter.cards is cards
    table.until_asked("lay")
    game = table.house.arbiter.game
    assert game
    assert len(game.tableau.played) + sum(game.tableau.hand_sizes) == sum(
        map(len, cards.hands.values())
    )


def test_a_settlement_taken_back_is_settled_again() -> None:
    table = Table()
    while table.state.phase != "idle" or not table.state.deal:
        act = table.step()
        if isinstance(act, Await):
            table.answer(act)
    settled = table.state
    table.night.do("undo")
    table.step()
    assert table.state == settled


@pytest.mark.parametrize("phase", ["meld", "pochen", "shed"])
def test_a_night_resumed_in_mid_deal_is_void_there_and_goes_on(phase: str) -> None:
    table = Table(deals=3)
    table.until_asked({"meld": "meld", "pochen": "bet", "shed": "lay"}[phase])
    assert table.state.phase == phase
    table.house = House(table.tempers, "after the restart")
    assert table.step() == Do(Void())
    assert table.night["phase"] == "idle"
    assert table.play_to_the_end()["meld"] == 3
    assert table.night["phase"] == "closed"


def test_before_a_card_is_turned_up_nothing_is_lost_by_a_restart() -> None:
    table = Table(deals=2)
    table.night.do("deal")
    table.house = House(table.tempers, "after the restart")
    act = table.step()
    assert isinstance(act, Do)
    assert isinstance(act.command, Turn)
    assert table.play_to_the_end()["meld"] == 2


def test_another_card_turned_up_makes_the_deal_void() -> None:
    table = Table(deals=2)
    assert table.step() == Do(Deal())
    act = table.house.next(table.state)
    assert isinstance(act, Do)
    assert isinstance(act.command, Turn)
    other = "8H" if act.command.card != "8H" else "9H"
    table.night.do("turn", card=other)
    assert table.step() == Do(Void())
    assert table.play_to_the_end()["meld"] == 2


def test_who_buys_in_again_after_an_undo_does_not_end_the_night() -> None:
    table = Table(stack=1)
    act = table.step()
    assert isinstance(act, Do)
    assert isinstance(act.command, Rebuy)
    table.night.do("undo")
    assert table.step() == act


def test_a_restart_gives_nobody_more_chips() -> None:
    table = Table(stack=9)
    for _ in range(100):
        table.house = House(table.tempers, "after a restart")
        act = table.step()
        if act is None:
            break
        if isinstance(act, Await):
            table.answer(act)
        elif table.state.phase != "idle":
            # The deal that was interrupted would be void; this one goes on to its end.
            while table.state.phase not in ("idle", "closed"):
                act = table.step()
                if isinstance(act, Await):
                    table.answer(act)
    assert table.state.phase == "closed"
    assert set(table.state.bought) <= {9, 18}


def test_a_claim_before_the_card_is_turned_up_stops_nothing() -> None:
    table = Table(deals=2)
    assert table.step() == Do(Deal())
    table.night.do("claim", seat=PERSON, pool="ace")
    table.until_asked("meld")
    assert table.state.turned is None
    assert table.play_to_the_end()["meld"] == 2


def test_all_cards_by_persons_and_none_by_the_house() -> None:
    table = Table()
    table.house = House({}, "persons")
    asked = Counter[tuple[int, str]]()
    while table.state.deal < 2:
        act = table.step()
        if isinstance(act, Await):
            asked[act.seat, act.what] += 1
            if act.what == "meld":
                table.night.do("next")
            elif act.what == "bet":
                table.night.do("pass", seat=act.seat)
            else:
                assert table.house.arbiter.game
                table.house.lay(table.state, act.seat, table.house.arbiter.game.legal()[0])
    assert {seat for seat, what in asked if what == "bet"} == {1, 2, 3, 4}
    assert {seat for seat, what in asked if what == "lay"} == {1, 2, 3, 4}


# Anything at any time.


def meddle(table: Table, chance: Random) -> str | None:
    """A person sends something that may well be refused. Says what was accepted."""
    seats = list(table.state.seats)
    seat = chance.choice(seats)
    live, winner = table.state.live, table.state.winner or seat
    raw: dict[str, Any] = chance.choice(
        (
            {"do": "undo"}, {"do": "undo"}, {"do": "redo"}, {"do": "void"}, {"do": "deal"},
            {"do": "next"}, {"do": "turn", "card": chance.choice(("7H", "KS", "QD"))},
            {"do": "claim", "seat": seat, "pool": chance.choice(("king", "ten", "marriage"))},
            {"do": "stake", "seat": seat, "chips": chance.randint(1, 9)},
            {"do": "pass", "seat": seat}, {"do": "showdown", "ranking": []},
            {"do": "showdown", "ranking": list(table.state.still_in) or [1]},
            {"do": "go", "seat": seat}, {"do": "out", "seat": seat},
            {"do": "settle", "cards": {str(other): 1 for other in live if other != winner}},
            {"do": "rebuy", "seat": seat, "chips": 20}, {"do": "leave", "seat": seat},
            {"do": "join", "name": f"Guest {len(seats)}"}, {"do": "dealer", "seat": seat},
            {"do": "rename", "seat": seat, "name": f"Name {chance.random()}"},
            {"do": "adjust", "from": f"seat:{seat}", "to": "bank", "chips": 3, "reason": "lost"},
        )
    )  # fmt: skip
    return raw["do"] if isinstance(table.night.book.apply(raw), Step) else None


@pytest.mark.parametrize("part", range(4))
def test_whatever_persons_do_the_house_plays_on(part: int) -> None:
    meddled = Counter[str]()
    for seed in range(part, NIGHTS, 4):
        chance = Random(seed)
        options = {"deals": chance.choice((3, "open")), "run_bonus": chance.choice((0, 1))}
        table = Table(
            chance.choice(SEVEN_RULESETS),
            chance.randint(3, 5),
            str(seed),
            **options,
            deck=52,
            players=[2, 6],
        )
        try:
            play_meddled(table, chance, meddled)
        except AssertionError as error:
            error.add_note(f"seed {seed}")
            raise
    assert {
        "undo", "redo", "void", "next", "turn", "claim", "stake", "pass", "showdown", "out",
        "settle", "rebuy", "leave", "join", "dealer", "rename", "adjust",
    } <= set(meddled)  # fmt: skip


def play_meddled(table: Table, chance: Random, meddled: Counter[str]) -> None:
    for _ in range(300):
        if chance.random() < 0.1:
            done = next(filter(None, (meddle(table, chance) for _ in range(5))), None)
            meddled.update([done] if done else [])
        act = table.step()
        if act is None:
            break
        if isinstance(act, Await):
            if chance.random() < 0.02:
                table.house = House(table.tempers, "after a restart")
            else:
                answer_any(table, act, chance)
    # Left alone, the house plays the night to its end.
    for seat in table.state.seats:
        table.house.tempers.setdefault(seat, SENSIBLE)
    for _ in range(20_000):
        if table.step() is None:
            break
    assert table.state.phase == "closed"
    assert sum(table.state.balances) == 0


def answer_any(table: Table, act: Await, chance: Random) -> None:
    """A person, at whatever seat, does what it is asked for."""
    if act.what == "meld":
        table.night.do("next")
    elif act.what == "bet":
        stack, need = table.state.stack_of(act.seat), table.state.need(act.seat)
        if stack >= max(need, 1) and chance.random() < 0.6:
            table.night.do("stake", seat=act.seat, chips=max(need, 1))
        else:
            table.night.do("pass", seat=act.seat)
    else:
        assert table.house.arbiter.game
        table.house.lay(
            table.state, act.seat, chance.choice(sorted(table.house.arbiter.game.legal()))
        )


# The run bonus.


def at_the_end_of_a_run(seed: str) -> Table:
    """The person plays on until somebody has taken a run, and nothing is booked for it yet."""
    table = Table("thirty-one", seed=seed)
    for _ in range(1000):
        act = table.house.next(table.state)
        if isinstance(act, Do) and isinstance(act.command, Go):
            return table
        act = table.step()
        if isinstance(act, Await):
            table.answer(act)
    pytest.fail("no run ends in this night")


def bonuses(table: Table) -> list[int]:
    return [e.command.seat for e in table.night.book.entries if isinstance(e.command, Go)]


@pytest.mark.parametrize("seed", ["a", "b", "c", "d"])
def test_nobody_lays_a_card_before_the_run_bonus_is_booked(seed: str) -> None:
    table = at_the_end_of_a_run(seed)
    game = table.house.arbiter.game
    assert game
    taker, leader = game.run_winners[-1], game.tableau.to_play
    if leader is not None:
        with pytest.raises(CardError, match="run bonus"):
            table.house.lay(table.state, leader, game.legal()[0])
    table.step()
    assert bonuses(table)[-1] == taker
    assert table.house.owed(table.state) is None


def test_a_person_who_books_the_run_bonus_is_paid_once() -> None:
    table = at_the_end_of_a_run("a")
    owed = table.house.owed(table.state)
    assert owed is not None
    table.night.do("go", seat=owed)
    act = table.house.next(table.state)
    assert not (isinstance(act, Do) and isinstance(act.command, Go))
    assert len(bonuses(table)) == 1


def test_a_run_bonus_that_is_taken_back_is_owed_again() -> None:
    table = at_the_end_of_a_run("a")
    owed = table.house.owed(table.state)
    table.step()
    table.night.do("undo")
    assert table.house.owed(table.state) == owed
    table.step()
    assert bonuses(table) == [owed, owed]


def test_each_run_pays_its_bonus_once() -> None:
    """As many as runs were taken, to whoever took them, in their order."""
    for seed in range(10):
        table = Table("thirty-one", seed=f"runs {seed}")
        taken: list[int] = []
        while (act := table.step()) is not None:
            if isinstance(act, Await):
                table.answer(act)
            elif isinstance(act, Do) and isinstance(act.command, Settle):
                game = table.house.arbiter.game
                assert game
                taken += game.run_winners
        assert bonuses(table) == taken


def test_of_two_persons_the_one_with_a_claim_is_asked_first() -> None:
    for seed in range(30):
        table = Table("modern", seed=f"two {seed}")
        table.house.tempers.pop(next(seat for seat in table.state.live if seat != PERSON))
        act = table.step()
        while not isinstance(act, Await):
            act = table.step()
        assert act.what == "meld"
        persons = [seat for seat in table.state.live if seat not in table.house.tempers]
        due = {seat for seat in persons if table.house.arbiter.due[seat]}
        assert act.seat in (due or {persons[0]})
