"""People at a table of bots: the bots wait for them, and they may send any command."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any, Final

import msgspec
import pytest

from pochboard.bots.betting import DEFAULT_STRATEGIES, SENSIBLE
from pochboard.bots.bot_table import AwaitPerson, BotAction, BotTable, PlayCard
from pochboard.cards.card import BIT, cards_of
from pochboard.errors import CardError
from pochboard.ledger.book import Step
from pochboard.rules.commands import Claim, Command, Pass, Stake, Void
from pochboard.rules.state import State
from tests.core.bots.starts import NIGHTS
from tests.core.play import RULESETS, Night

PERSON = 2


class MixedTable:
    """A night with a person at seat 2 and bots at the other seats."""

    def __init__(
        self, ruleset: str = "modern", count: int = 4, seed: str = "seed", **options: Any
    ) -> None:
        self.night = Night(ruleset, count, options=options)
        self.strategies = {
            seat: DEFAULT_STRATEGIES[seat % 3] for seat in range(1, count + 1) if seat != PERSON
        }
        self.bots = BotTable(self.strategies, seed)

    @property
    def state(self) -> State:
        return self.night.book.state

    @property
    def hand(self) -> tuple[str, ...]:
        return self.bots.cards.dealt.hands[PERSON]

    def step(self) -> BotAction | None:
        """Carries out the next action, unless a person has to act, and returns it."""
        action = self.bots.next_action(self.state)
        if isinstance(action, Command):
            raw = msgspec.to_builtins(action)
            step = self.night.book.apply(raw)
            assert isinstance(step, Step), f"{raw}: {step}"
        if action is not None and not isinstance(action, AwaitPerson):
            self.bots.carried_out(action)
        return action

    def until_asked(self, what: str | None = None) -> AwaitPerson:
        """Plays until the person is asked for this; `answer` deals with other requests."""
        for _ in range(10_000):
            action = self.step()
            assert action is not None, "the night is over"
            if isinstance(action, AwaitPerson):
                if what in (None, action.what):
                    return action
                self.answer(action)
        pytest.fail(f"never asked: {what}")

    def answer(self, action: AwaitPerson) -> None:
        """The person claims nothing, passes, and plays the first legal card in order."""
        assert action.seat == PERSON
        if action.what == "meld":
            self.night.do("next")
        elif action.what == "bet":
            self.night.do("pass", seat=PERSON)
        else:
            assert self.bots.cards.shedding
            card = min(self.bots.cards.shedding.legal())
            self.bots.play_card(self.state, PERSON, card)

    def play_to_the_end(self) -> Counter[str]:
        asked = Counter[str]()
        for _ in range(20_000):
            action = self.step()
            if action is None:
                return asked
            if isinstance(action, AwaitPerson):
                asked[action.what] += 1
                self.answer(action)
        pytest.fail("the night never ended")


@pytest.mark.parametrize("name", RULESETS)
def test_a_person_is_asked_in_turn(name: str) -> None:
    table = MixedTable(name, deals=4)
    asked = Counter[str]()
    while (action := table.step()) is not None:
        if not isinstance(action, AwaitPerson):
            assert not (
                isinstance(action, PlayCard | Claim | Stake | Pass) and action.seat == PERSON
            )
            continue
        assert action.seat == PERSON
        state, game = table.state, table.bots.cards.shedding
        asked[action.what] += 1
        match action.what:
            case "meld":
                assert state.phase == "meld"
                assert state.turned
            case "bet":
                assert state.to_act == PERSON
            case "lay":
                assert state.phase == "shed"
                assert game
                assert game.tableau.to_play == PERSON
            case "read":
                pytest.fail("only a practice has lessons")
        table.answer(action)
    assert asked["meld"] == table.state.deal
    assert asked["bet"]
    assert asked["lay"]


def test_a_person_may_play_only_legal_cards_in_turn() -> None:
    table = MixedTable("modern", seed="lay")
    table.until_asked("bet")
    with pytest.raises(CardError):
        table.bots.play_card(table.state, PERSON, table.hand[0])
    table.until_asked("lay")
    game = table.bots.cards.shedding
    assert game
    while not game.tableau.run or game.tableau.to_play != PERSON:
        table.answer(table.until_asked("lay"))
        table.until_asked("lay")
        game = table.bots.cards.shedding
        assert game
    (legal,) = game.legal()
    others = [card for card in cards_of(game.hands[PERSON]) if card != legal]
    not_held = cards_of(game.hands[3])[0]
    for card in (*others, not_held, table.state.turned or "", "XX"):
        with pytest.raises(CardError):
            table.bots.play_card(table.state, PERSON, card)
    with pytest.raises(CardError):
        table.bots.play_card(table.state, 3, not_held)
    assert table.bots.cards.shedding == game
    table.bots.play_card(table.state, PERSON, legal)
    assert table.bots.cards.shedding.tableau.played == game.tableau.played | BIT[legal]


# Undo, void, and resumed nights.


@pytest.mark.parametrize("phase", ["meld", "pochen", "shed"])
def test_a_night_resumed_within_a_deal_voids_it_and_goes_on(phase: str) -> None:
    table = MixedTable(deals=3)
    table.until_asked({"meld": "meld", "pochen": "bet", "shed": "lay"}[phase])
    assert table.state.phase == phase
    table.bots = BotTable(table.strategies, "after the restart")
    assert table.step() == Void()
    assert table.night["phase"] == "idle"
    assert table.play_to_the_end()["meld"] == 3
    assert table.night["phase"] == "closed"


# Any command at any time.


def meddle(table: MixedTable, chance: Random) -> str | None:
    """Sends a random command, which may be refused; returns its name if it was accepted."""
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
            {"do": "sit_out", "seat": seat}, {"do": "sit_in", "seat": seat},
            {"do": "join", "name": f"Guest {len(seats)}"}, {"do": "dealer", "seat": seat},
            {"do": "rename", "seat": seat, "name": f"Name {chance.random()}"},
            {"do": "adjust", "from": f"seat:{seat}", "to": "bank", "chips": 3, "reason": "lost"},
        )
    )  # fmt: skip
    return raw["do"] if isinstance(table.night.book.apply(raw), Step) else None


DEALINGS: Final[tuple[dict[str, Any], ...]] = (
    {},
    {},
    {"hand": "all"},
    {"hand": "all", "trump": "hearts"},
    {"hand": 4, "trump": "spades"},
)


@pytest.mark.parametrize("part", range(2))
def test_bots_play_on_whatever_people_send(part: int) -> None:
    meddled = Counter[str]()
    for seed in range(part, NIGHTS // 2, 2):
        chance = Random(seed)
        options = {
            "deals": chance.choice((3, "open")),
            "run_bonus": chance.choice((0, 1)),
            "short_seats": chance.choice(("refuse", "retire")),
            **chance.choice(DEALINGS),
        }
        table = MixedTable(
            chance.choice(RULESETS),
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


def play_meddled(table: MixedTable, chance: Random, meddled: Counter[str]) -> None:
    for _ in range(300):
        if chance.random() < 0.1:
            done = next(filter(None, (meddle(table, chance) for _ in range(5))), None)
            meddled.update([done] if done else [])
        action = table.step()
        if action is None:
            break
        if isinstance(action, AwaitPerson):
            if chance.random() < 0.02:
                table.bots = BotTable(table.strategies, "after a restart")
            else:
                answer_any(table, action, chance)
    # Bots alone play the night to its end.
    for seat in table.state.seats:
        table.bots.strategies.setdefault(seat, SENSIBLE)
    for _ in range(20_000):
        if table.step() is None:
            break
    assert table.state.phase == "closed"
    assert sum(table.state.balances) == 0


def answer_any(table: MixedTable, action: AwaitPerson, chance: Random) -> None:
    """A person at any seat does what is asked."""
    if action.what == "meld":
        table.night.do("next")
    elif action.what == "bet":
        stack, need = table.state.stack_of(action.seat), table.state.need(action.seat)
        if stack >= max(need, 1) and chance.random() < 0.6:
            table.night.do("stake", seat=action.seat, chips=max(need, 1))
        else:
            table.night.do("pass", seat=action.seat)
    else:
        assert table.bots.cards.shedding
        table.bots.play_card(
            table.state, action.seat, chance.choice(sorted(table.bots.cards.shedding.legal()))
        )


# The run bonus.
