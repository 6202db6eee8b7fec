"""A second, simplest possible implementation of the card rules of docs/RULES.md (2, 6 and 10).

It shares nothing with the code it checks. It finds sets and runs by trying every choice of cards,
compares hands two at a time, and passes the turn round the table seat by seat.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

ORDER: Final = ["2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A"]
FOUR_SUITS: Final = ["C", "D", "H", "S"]


LOWEST: Final = {32: "7", 36: "6", 40: "5", 52: "2"}


def full_deck(size: int) -> list[str]:
    ranks = ORDER[ORDER.index(LOWEST[size]) :]
    return [rank + suit for suit in FOUR_SUITS for rank in ranks]


def height(card: str) -> int:
    return ORDER.index(card[0])


# Sets.


def best_set(hand: Iterable[str]) -> tuple[str, ...]:
    """The cards of the set that counts, none without a set."""
    held = sorted(hand)
    alike = [tuple(card for card in held if card[0] == rank) for rank in {card[0] for card in held}]
    sets = [cards for cards in alike if len(cards) > 1]
    return max(sets, key=lambda cards: (len(cards), height(cards[0])), default=())


def compare(
    one: Iterable[str], other: Iterable[str], trump: str | None, tie_break: str = "trump"
) -> int:
    """1 if the first hand is better, -1 if the other is, 0 if they are equal."""
    one, other = list(one), list(other)
    sets = best_set(one), best_set(other)
    sizes = [len(cards) for cards in sets]
    if sizes[0] != sizes[1]:
        return 1 if sizes[0] > sizes[1] else -1
    if not sets[0]:
        return compare_cards(one, other)
    heights = [height(cards[0]) for cards in sets]
    if heights[0] != heights[1]:
        return 1 if heights[0] > heights[1] else -1
    if tie_break == "split":
        return 0
    if tie_break == "side-cards":
        return compare_cards(
            [card for card in one if card not in sets[0]],
            [card for card in other if card not in sets[1]],
        )
    # The pair with the card of the first of these suits wins.
    suits = [trump] if tie_break == "trump" else ["C", "S", "H", "D"]
    for suit in suits:
        holds = [any(card[1] == suit for card in cards) for cards in sets]
        if holds[0] != holds[1]:
            return 1 if holds[0] else -1
    return 0


def compare_cards(one: list[str], other: list[str]) -> int:
    """Card by card, from the highest down; suits do not count."""
    if not one or not other:
        # Our reading: the hand with more cards wins.
        return (len(one) > 0) - (len(other) > 0)
    tops = max(one, key=height), max(other, key=height)
    if height(tops[0]) != height(tops[1]):
        return 1 if height(tops[0]) > height(tops[1]) else -1
    one.remove(tops[0])
    other.remove(tops[1])
    return compare_cards(one, other)


def may_win(hand: Collection[str], *, high_card: bool) -> bool:
    return bool(hand) and (high_card or bool(best_set(hand)))


def ranking(
    hands: Mapping[int, Collection[str]],
    trump: str | None,
    tie_break: str = "trump",
    *,
    high_card: bool,
) -> list[set[int]]:
    """The hands that may win, best first, equal ones together."""
    left = {seat for seat in hands if may_win(hands[seat], high_card=high_card)}
    ranked = []
    while left:
        best = {
            seat
            for seat in left
            if all(compare(hands[seat], hands[other], trump, tie_break) >= 0 for other in left)
        }
        ranked.append(best)
        left -= best
    return ranked


# Sequences.


def sequences(hand: Iterable[str]) -> list[tuple[str, ...]]:
    """Every choice of three or more cards of a suit in a row, from the lowest up."""
    held = set(hand)
    runs = []
    for suit in FOUR_SUITS:
        for start in range(len(ORDER)):
            for end in range(start + 3, len(ORDER) + 1):
                cards = tuple(rank + suit for rank in ORDER[start:end])
                if held.issuperset(cards):
                    runs.append(cards)
    return runs


def better_run(one: Sequence[str], other: Sequence[str], trump: str | None, rule: str) -> bool:
    """Whether the first run beats the second, wherever the two players sit."""
    trumps = one[0][1] == trump, other[0][1] == trump
    tops = height(one[-1]), height(other[-1])
    if rule == "best-run-trump-first":
        if trumps[0] != trumps[1]:
            return trumps[0]
        return tops[0] > tops[1]
    if rule == "longest-run" and len(one) != len(other):
        return len(one) > len(other)
    if tops[0] != tops[1]:
        return tops[0] > tops[1]
    return trumps[0] and not trumps[1]


def sequence_holder(
    hands: Mapping[int, Collection[str]], trump: str | None, rule: str
) -> int | None:
    """Who takes the sequence pool; `hands` are in order from forehand."""
    if rule == "trump-789":
        if trump is None:
            return None
        wanted = {"7" + trump, "8" + trump, "9" + trump}
        return next((seat for seat, hand in hands.items() if wanted <= set(hand)), None)
    for seat, hand in hands.items():
        for run in sequences(hand):
            if not any(
                better_run(rival, run, trump, rule)
                for other in hands.values()
                for rival in sequences(other)
            ):
                return seat
    return None


# Pots.


@dataclass
class Showdown:
    """A betting that is over, and what each seat shows of its cards."""

    order: list[int]
    """The live seats from forehand on."""
    committed: dict[int, int]
    still_in: set[int]
    knocker: int
    base: int
    shown: Mapping[int, Collection[str]]
    trump: str | None
    tie_break: str
    high_card: bool
    bluff_penalty: int = 0

    def settle(self, stacks: Mapping[int, int]) -> tuple[dict[int, int], int]:
        """The stacks afterwards, and what stays in the pool."""
        stacks = dict(stacks)
        committed = dict(self.committed)
        others = [chips for seat, chips in committed.items() if seat != self.knocker]
        while committed[self.knocker] > max(others, default=0):
            committed[self.knocker] -= 1
            stacks[self.knocker] += 1
        can_win = {
            seat
            for seat in self.still_in
            if may_win(self.shown.get(seat, ()), high_card=self.high_card)
        }
        if not can_win:
            return stacks, self.base + sum(committed.values())
        # A chip joins the pot of the chip below it if the same seats may win both.
        pots: list[int] = []
        eligible_of: list[set[int]] = []
        for chip in range(1, max(committed.values()) + 1):
            chips = sum(1 for stake in committed.values() if stake >= chip)
            eligible = {seat for seat in self.still_in if committed[seat] >= chip}
            if not eligible_of or (eligible and eligible != eligible_of[-1]):
                pots.append(chips)
                eligible_of.append(eligible)
            else:
                pots[-1] += chips
        if not pots:  # one seat is left, and nobody has matched anything
            pots, eligible_of = [0], [self.still_in]
        pots[0] += self.base
        shares = [self._winners(eligible, can_win) for eligible in eligible_of]
        if self.knocker not in shares[0]:
            penalty = min(self.bluff_penalty * committed[self.knocker], stacks[self.knocker])
            stacks[self.knocker] -= penalty
            pots[0] += penalty
        for chips, winners in zip(pots, shares, strict=True):
            turn = [seat for seat in self.order if seat in winners]
            for number in range(chips):
                stacks[turn[number % len(turn)]] += 1
        return stacks, 0

    def _winners(self, eligible: set[int], can_win: set[int]) -> set[int]:
        if len(eligible) == 1:
            return eligible
        rivals = eligible & can_win
        if not rivals:
            return eligible
        return {
            seat
            for seat in rivals
            if all(
                compare(self.shown[seat], self.shown[rival], self.trump, self.tie_break) >= 0
                for rival in rivals
            )
        }


# Shedding.


def points(card: str) -> int:
    if card[0] == "A":
        return 1
    return 10 if card[0] in "TJQK" else int(card[0])


@dataclass
class Shed:
    """A shedding at a table. The cards laid so far decide whose turn it is."""

    variant: str
    """`shedding` of the ruleset; after `thirty-one` come a blank and `run_ends`."""
    order: list[int]
    """The seats in the order of play."""
    hands: dict[int, set[str]]
    turn: int | None
    run: list[tuple[int, str]] = field(default_factory=list)
    taken: int | None = None
    """Who took the run that the last card ended."""

    def fits(self, card: str) -> bool:
        """Whether a card in hand may be laid now."""
        if not self.run:
            return True
        first, last = self.run[0][1], self.run[-1][1]
        if self.variant in ("sequence", "domino"):
            return card[1] == last[1] and height(card) - height(last) == 1
        if self.variant == "rising":
            return card[1] == last[1] and height(card) > height(last)
        if self.variant == "tricks":
            return card[1] == first[1]
        return sum(points(laid) for _, laid in self.run) + points(card) <= 31

    def playable(self, seat: int) -> set[str]:
        return {card for card in self.hands[seat] if self.fits(card)}

    def lay(self, card: str) -> None:
        seat = self.turn
        assert seat is not None
        self.hands[seat].remove(card)
        self.run.append((seat, card))
        if not self.hands[seat]:
            self.turn, self.taken = None, self._takes()
            return
        follower = self._follower(seat)
        if follower is None:
            self.turn = self.taken = self._takes()
            self.run = []
        else:
            self.turn, self.taken = follower, None

    def _takes(self) -> int:
        if self.variant == "tricks":
            suit = self.run[0][1][1]
            assert all(card[1] == suit for _, card in self.run)
            return max(self.run, key=lambda laid: height(laid[1]))[0]
        return self.run[-1][0]

    def _follower(self, seat: int) -> int | None:
        """Asks seat by seat until one can play, or until nobody else may be asked."""
        if self.variant in ("sequence", "domino"):
            able = [other for other in self.order if self.playable(other)]
            assert len(able) <= 1
            return able[0] if able else None
        asked = seat
        while True:
            asked = self.order[(self.order.index(asked) + 1) % len(self.order)]
            if self.variant == "tricks" and asked == self.run[0][0]:
                return None
            if self.playable(asked):
                return asked
            if asked == seat or self.variant == "thirty-one next-cannot":
                return None
