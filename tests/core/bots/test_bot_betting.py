"""How bots bet and play cards: as docs/BOTS.md says, and in a way that makes sense."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import combinations
from math import comb, sqrt
from random import Random
from typing import Any, Final

import pytest

from pochboard.bots.betting import (
    BOLD,
    CAREFUL,
    DEFAULT_STRATEGIES,
    RANDOM,
    SENSIBLE,
    STRATEGIES,
    Strategy,
    View,
    chance_against_one,
    chance_of_set,
    choose_bet,
)
from pochboard.bots.bot_table import BotTable, play_night
from pochboard.bots.card_play import choose_card
from pochboard.cards.card import BIT, card_set, cards_of, deck_of
from pochboard.cards.shedding import Tableau
from pochboard.rules.commands import AnyCommand, Command, Pass, Stake
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.state import State
from tests.core.bots.starts import NIGHTS, any_night, start_of
from tests.core.cards.oracle import best_set, compare
from tests.core.play import RULESETS, Night, melding, resolve


def has_set(hand: tuple[str, ...]) -> bool:
    return len({card[0] for card in hand}) < len(hand)


# Over many nights.


class Bets:
    """What bots did in the betting of many nights."""

    def __init__(self) -> None:
        self.chances = Counter[str]()
        """Turns with no stake on the table and no set, where only a bluff can win."""
        self.bluffs = Counter[str]()
        self.raises = Counter[str]()
        self.turns = Counter[str]()

    def watch(self, table: BotTable, before: State, act: AnyCommand) -> None:
        if not isinstance(act, Stake | Pass):
            return
        seat = act.seat
        strategy = table.strategies[seat]
        chips = act.chips if isinstance(act, Stake) else 0
        hand = table.cards.dealt.hands[seat]
        rules, need = before.rules, before.need(seat)
        self.turns[strategy.name] += 1
        self.raises[strategy.name] += need > 0 and chips > need
        alone = before.still_in == (seat,)
        if chips and rules.bet_needs_set:
            assert has_set(hand), "without a set nobody may stake"
        if strategy is RANDOM:
            return
        pays = rules.bet_needs_set or rules.prove_set or rules.high_card
        if not need and not has_set(hand) and not alone and not pays:
            self.chances[strategy.name] += 1
            self.bluffs[strategy.name] += chips > 0
        if not has_set(hand) and rules.prove_set and not rules.high_card:
            assert not chips, "without a set nothing can be won"
        if need and not has_set(hand) and not rules.high_card:
            assert not chips, "without a set nothing can be won at a showdown"
        if alone:
            assert chips <= 1
        else:
            others = [
                before.stack_of(other) + before.committed[other - 1]
                for other in before.still_in
                if other != seat
            ]
            assert chips <= max(need, max(others) - before.committed[seat - 1])


def test_nobody_stakes_what_cannot_be_matched_or_won() -> None:
    seen = Bets()
    for number in range(NIGHTS // 5):
        start, table = any_night(number)
        for before, act, _ in play_night(start, table, resolve()):
            if isinstance(act, Command):
                seen.watch(table, before, act)
    assert seen.turns.total() > NIGHTS


def nights_needed(name: str) -> int:
    """Nights after which the mean differs from 0 for certain.

    A night of one deal each is short, and without an ante in the bet pool there is little to win.
    """
    rules = shipped_rulesets()[name]
    if not set(rules.won_by_betting) & set(rules.ante_pools):
        return NIGHTS // (3 if rules.deals == "round" else 4)
    return NIGHTS // 10


@pytest.mark.parametrize("name", RULESETS)
def test_sensible_wins_against_random_players(name: str) -> None:
    nets, leads = [], []
    for number in range(nights_needed(name)):
        own = number % 4 + 1
        strategies = {**dict.fromkeys((1, 2, 3, 4), RANDOM), own: SENSIBLE}
        *_, (_, _, end) = play_night(
            start_of(name, 4), BotTable(strategies, f"{name} {number}"), resolve()
        )
        net = {seat: chips for seat, _, chips in end.standings}
        nets.append(net[own])
        leads.append(net[own] - sum(net[seat] for seat in net if seat != own) / 3)
    assert surely_positive(leads)
    # Where nobody antes to the bet pool, there is less to win than the antes that are left in the
    # pools.
    if nights_needed(name) != NIGHTS // 4:
        assert surely_positive(nets)


def surely_positive(values: Sequence[float]) -> bool:
    mean = sum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
    return mean - 1.96 * sqrt(variance / len(values)) > 0


# One bet.


def betting(
    stakes: dict[int, int], stacks: dict[int, int], turned: str = "9S", **options: Any
) -> State:
    """The betting after these stakes (0 is a pass), with seat 1 as the dealer."""
    night = melding(
        "modern", len(stacks), options={"players": [2, len(stacks)], "deck": 32, **options}
    )
    night.do("turn", card=turned)
    night.have(stacks)
    night.do("next")
    for seat, chips in stakes.items():
        if chips:
            night.do("stake", seat=seat, chips=chips)
        else:
            night.do("pass", seat=seat)
    assert night.book.state.to_act
    return night.book.state


def chips_of(state: State, hand: tuple[str, ...], strategy: Strategy, seed: int = 0) -> int:
    """What the seat to act stakes with this hand; 0 if it passes."""
    assert state.to_act
    command = choose_bet(View(state.to_act, state, card_set(hand), "9S"), strategy, Random(seed))
    assert command.seat == state.to_act
    return command.chips if isinstance(command, Stake) else 0


NOTHING: Final = ("7C", "8D", "9H", "TS", "QC", "KD", "AH")


def staking_share(prize: float, level: int, callers: int) -> float:
    """The share of hands that stake this much, so that a bluff breaks even (BOTS.md 2)."""
    everybody_passes: float = (level / (prize + level)) ** (1 / callers)
    return 1 - everybody_passes


@pytest.mark.parametrize(("penalty", "players"), [(0, 3), (2, 3), (0, 6), (10, 4)])
def test_the_rate_of_bluffs_follows_their_price(penalty: int, players: int) -> None:
    tries = 3000
    stacks = dict.fromkeys(range(1, players + 1), 50)
    state = betting({}, stacks, hand=5, bluff_penalty=penalty)
    prize, callers = state.pool("poch") + 3.0, players - 1
    expected = 0.0
    for seed in range(tries):
        size = Random(seed).uniform(0.25, 0.75)
        chips = max(1, round(size * state.pool("poch")))
        good = staking_share(prize, chips, callers) / 2
        expected += chips / (prize + chips * (1 + penalty)) * good / (1 - good) / tries
    hand = ("7C", "8D", "9H", "TS", "QC")
    rates = {
        strategy: sum(chips_of(state, hand, strategy, seed) > 0 for seed in range(tries)) / tries
        for strategy in DEFAULT_STRATEGIES
    }
    assert rates[CAREFUL] == 0
    # Four standard deviations.
    for strategy, rate in ((SENSIBLE, expected), (BOLD, 2.5 * expected)):
        assert rates[strategy] == pytest.approx(rate, abs=4 * sqrt(rate / tries)), strategy.name


@pytest.mark.parametrize("options", [{}, {"prove_set": True}, {"high_card": True}])
@pytest.mark.parametrize("strategy", STRATEGIES.values(), ids=lambda strategy: strategy.name)
def test_nobody_stakes_without_a_set_where_the_rules_forbid_it(
    options: dict[str, Any], strategy: Strategy
) -> None:
    stacks = {1: 50, 2: 50, 3: 50}
    for stakes in ({}, {2: 1}, {2: 0}, {2: 0, 3: 0}):
        state = betting(stakes, stacks, hand=7, bet_needs_set=True, **options)
        made = {chips_of(state, NOTHING, strategy, seed) for seed in range(50)}
        assert made == {0}, stakes


ME: Final = 2


def chosen(
    shedding: str,
    held: str,
    *,
    others: str = "",
    run: str = "",
    leader: int = 3,
    talon: str = "",
) -> set[str]:
    """The card that seat 2 plays, by all strategies.

    `held` are its cards, `others` those of the two other seats together. The nine of spades is
    turned up. All other cards of the 32 have been played, except those in the talon.
    """
    night = Night("modern", 3, options={"shedding": shedding, "deck": 32, "hand": 5})
    mine, theirs, lying = tuple(held.split()), others.split(), tuple(run.split())
    hidden = {*mine, *theirs, *talon.split(), "9S"}
    players = [leader, leader % 3 + 1, (leader + 1) % 3 + 1][: len(lying)]
    tableau = Tableau(
        seats=(2, 3, 1),
        turned="9S",
        to_play=ME,
        run=tuple(BIT[card] for card in lying),
        players=tuple(players),
        played=card_set({*deck_of(32)} - hidden),
        hand_sizes=(len(mine), len(theirs) - len(theirs) // 2, len(theirs) // 2),
    )
    assert {*cards_of(tableau.played)} >= set(lying)
    view = View(ME, night.book.state, card_set(mine), "9S", tableau)
    return {choose_card(view, strategy, Random(1)) for strategy in DEFAULT_STRATEGIES}


@pytest.mark.parametrize("shedding", ["sequence", "domino"])
@pytest.mark.parametrize(
    ("held", "others", "talon", "expected"),
    [
        # The run from the seven comes back at the ten: the jack has been played.
        ("7H TH JC", "8H 9H QC KC", "", "7H"),
        # Two consecutive cards of its own: the run ends with its own card.
        ("8H 9H JC", "7H QC KC AD", "", "8H"),
        # No run comes back; the one from the queen sheds two cards.
        ("QH KH 9D", "AH JH 8D TD", "", "QH"),
        # The run from the seven sheds two as well, one of them later.
        ("7H 9H JC", "8H TH TC QC", "", "7H"),
        # One card each; the jack's lower neighbour has been played, so no run reaches it.
        ("9D JC", "8D TD QC KC", "", "JC"),
        # Another seat holds the eight of clubs below the nine; the nine of spades is turned up.
        ("9C TS", "8C TC JS AH", "", "TS"),
        # Leading again is worth more than shedding a card that no run reaches.
        ("AH JC", "KH TH QC KC", "", "AH"),
        # The king comes back only if the ace is in the talon; the ace always does.
        ("KH AC", "QH KC 7D", "AH 8D TD", "AC"),
        # All cards above the queen have been played, so its player leads again.
        ("9D QH", "8D TD JH KD", "AD", "QH"),
    ],
)
def test_leading_a_run(shedding: str, held: str, others: str, talon: str, expected: str) -> None:
    assert chosen(shedding, held, others=others, talon=talon) == {expected}


def view_of(
    hand: tuple[str, ...], turned: str, deck: int, players: int, size: int | str, **options: Any
) -> View:
    """What seat 2, who is forehand, sees before the betting."""
    options |= {"deck": deck, "hand": size, "players": [2, players], "ante_pools": ["poch"]}
    night = melding("modern", players, options=options)
    night.do("turn", card=turned)
    night.do("next")
    state: State = night.book.state
    assert len(hand) == state.hand_sizes[2]
    return View(2, state, card_set(hand), turned)


def any_hand(chance: Random, deck: int, size: int) -> tuple[tuple[str, ...], str]:
    """A hand, often one with a set, and the card turned up."""
    while True:
        *hand, turned = chance.sample(deck_of(deck), size + 1)
        if chance.random() < 0.5 or best_set(hand):
            return tuple(hand), turned


def won(
    hand: Collection[str], other: Collection[str], turned: str, tie_break: str = "trump"
) -> float:
    """1 for a win, 0.5 for a tie."""
    return (compare(hand, other, turned[1], tie_break) + 1) / 2


TIE_BREAKS: Final = ("trump", "side-cards", "suits", "split")


@pytest.mark.parametrize("tie_break", TIE_BREAKS)
@pytest.mark.parametrize(("deck", "size"), [(32, 1), (32, 2), (32, 3), (36, 3), (52, 2)])
def test_it_is_what_counting_all_hands_gives(deck: int, size: int, tie_break: str) -> None:
    chance = Random(f"{deck} {size}")
    for _ in range(3):
        hand, turned = any_hand(chance, deck, size)
        rest = [card for card in deck_of(deck) if card not in (*hand, turned)]
        others = list(combinations(rest, size))
        view = view_of(hand, turned, deck, 3, size, tie_break=tie_break)
        wins = sum(won(hand, other, turned, tie_break) for other in others)
        assert chance_against_one(view) == pytest.approx(wins / len(others)), hand
        sets = sum(bool(best_set(other)) for other in others)
        assert chance_of_set(view) == pytest.approx(sets / len(others))


def test_of_side_cards_only_the_highest_is_compared() -> None:
    hand, turned = ("KC", "KD", "AH", "7S"), "9S"
    rest = [card for card in deck_of(32) if card not in (*hand, turned)]
    wins = 0.0
    for other in combinations(rest, 4):
        result = won(hand, other, turned, "side-cards")
        equal = {card for card in other if card[0] == "K"} == {"KH", "KS"}
        if equal and sum(card[0] == "A" for card in other) == 1:
            result = 0.5
        wins += result
    view = view_of(hand, turned, 32, 3, 4, tie_break="side-cards")
    assert chance_against_one(view) == pytest.approx(wins / comb(len(rest), 4))


TOLERANCE: Final = 0.12
"""BOTS.md: against several hands the chances are multiplied, though the hands share a deck."""
DRAWS: Final = 800
"""Their standard error is 0.018 at most."""


@pytest.mark.parametrize(
    ("deck", "size", "others"), [(32, 5, 2), (32, 5, 3), (32, 7, 3), (52, 5, 4), (52, 8, 5)]
)
def test_several_others_are_nearly_as_many_times_one(deck: int, size: int, others: int) -> None:
    chance = Random(f"{deck} {size} {others}")
    for _ in range(5):
        hand, turned = any_hand(chance, deck, size)
        rest = [card for card in deck_of(deck) if card not in (*hand, turned)]
        wins = 0
        for _ in range(DRAWS):
            drawn = tuple(chance.sample(rest, size * others))
            wins += all(
                won(hand, drawn[at : at + size], turned) > 0 for at in range(0, size * others, size)
            )
        estimate = chance_against_one(view_of(hand, turned, deck, others + 1, size)) ** others
        assert abs(estimate - wins / DRAWS) < TOLERANCE, hand
