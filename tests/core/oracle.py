"""A second, simplest possible implementation of sections 5 and 6 of docs/RULES.md.

It shares nothing with the code it checks. It finds seats by walking round the table place by place,
and counts pots chip by chip.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


def from_forehand(places: Mapping[int, int], dealer: int, direction: str) -> list[int]:
    """The live seats in the order of play, beginning after the dealer.

    `places` gives the place of each live seat.
    """
    step = 1 if direction == "clockwise" else -1
    sitting = {place: seat for seat, place in places.items()}
    order = []
    place = places[dealer]
    for _ in range(8):
        place = (place - 1 + step) % 8 + 1
        if place in sitting:
            order.append(sitting[place])
    return order


@dataclass
class Betting:
    """One betting and its showdown."""

    order: list[int]
    """The live seats from forehand on."""
    stacks: dict[int, int]
    bet_pool: int
    """What the bet pool holds."""
    poch: int = 0
    """What poch holds if pinke is the bet pool and takes poch too."""
    raises: str = "free"
    all_in: bool = True
    prove_set: bool = False
    bluff_penalty: int = 0
    leader_rule: str = "poch-winner"

    phase: str = "pochen"
    to_act: int | None = None
    leader: int | None = None
    knocker: int | None = None
    committed: dict[int, int] = field(default_factory=dict)
    passed: set[int] = field(default_factory=set)
    acted: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.committed = dict.fromkeys(self.order, 0)
        # "Live seats without chips are counted as passed; with nobody left the stage is over as
        # if all had passed. The first to act is forehand, or the first after it not passed."
        for seat in self.order:
            if self.stacks[seat] == 0:
                self.passed.add(seat)
        if len(self.passed) == len(self.order):
            self._shed(self.order[0])
        else:
            self.to_act = self.in_order(set(self.order) - self.passed)[0]

    def in_order(self, seats: set[int]) -> list[int]:
        return [seat for seat in self.order if seat in seats]

    @property
    def still_in(self) -> set[int]:
        return set(self.order) - self.passed

    def _shed(self, leader: int) -> None:
        self.phase = "shed"
        self.to_act = None
        self.knocker = None
        self.leader = leader

    # Section 5.

    def stake(self, seat: int, chips: int) -> str | None:
        """The code of the refusal, or None."""
        if seat != self.to_act:
            return "not-your-turn"
        highest = max(self.committed.values())
        need = highest - self.committed[seat]
        if chips > self.stacks[seat]:
            return "not-enough-chips"
        if chips < need:
            whole_stack = chips == self.stacks[seat]
            if not (self.all_in and whole_stack):
                return "below-call"
        somebody_has_staked = any(self.committed.values())
        if self.raises == "none" and somebody_has_staked and chips > need:
            return "no-raises"
        if self.raises == "capped":
            cap = min(self.stacks[other] + self.committed[other] for other in self.still_in)
            if self.committed[seat] + chips > cap:
                return "above-cap"
        if chips > need:
            self.knocker = seat
        self.stacks[seat] -= chips
        self.committed[seat] += chips
        self.bet_pool += chips
        self.acted.add(seat)
        self._go_on(seat)
        return None

    def pass_(self, seat: int) -> str | None:
        if seat != self.to_act:
            return "not-your-turn"
        self.passed.add(seat)
        self._go_on(seat)
        return None

    def _go_on(self, last: int) -> None:
        staked = any(self.committed.values())
        if not self.still_in:
            assert not staked
            self._shed(self.order[0])
            return
        if len(self.still_in) == 1 and staked:
            if self.prove_set:
                self.phase, self.to_act = "showdown", None
            else:
                self._award([[seat] for seat in self.still_in])
            return
        highest = max(self.committed.values())
        here = self.order.index(last)
        for step in range(1, len(self.order) + 1):
            seat = self.order[(here + step) % len(self.order)]
            if seat in self.passed or self.stacks[seat] == 0:
                continue
            if seat not in self.acted or self.committed[seat] < highest:
                self.to_act = seat
                return
        self.phase, self.to_act = "showdown", None

    # Section 6.

    def showdown(self, ranking: Sequence[Any]) -> str | None:
        groups: list[list[int]] = []
        for element in ranking:
            group = element if isinstance(element, list) else [element]
            if not group:
                return "bad-ranking"
            for seat in group:
                if type(seat) is not int or seat not in self.still_in:
                    return "bad-ranking"
            groups.append(group)
        named = [seat for group in groups for seat in group]
        if len(named) != len(set(named)):
            return "bad-ranking"
        if not groups:
            self._return_unmatched()
            self._shed(self.order[0])
            return None
        committed, _ = self._after_the_return()
        for level in self._levels(committed):
            eligible = {seat for seat in self.still_in if committed[seat] >= level}
            if len(eligible) > 1 and not eligible & set(named):
                return "bad-ranking"
        self._award(groups)
        return None

    def _after_the_return(self) -> tuple[dict[int, int], int]:
        """The stakes after the knocker's unmatched part is returned, and the size of that part."""
        assert self.knocker is not None
        committed = dict(self.committed)
        back = 0
        others = [chips for seat, chips in committed.items() if seat != self.knocker]
        while committed[self.knocker] and all(c < committed[self.knocker] for c in others):
            committed[self.knocker] -= 1
            back += 1
        return committed, back

    def _return_unmatched(self) -> None:
        assert self.knocker is not None
        self.committed, back = self._after_the_return()
        self.bet_pool -= back
        self.stacks[self.knocker] += back

    def _levels(self, committed: Mapping[int, int]) -> list[int]:
        return sorted({committed[seat] for seat in self.still_in})

    def _award(self, groups: list[list[int]]) -> None:
        knocker = self.knocker
        assert knocker is not None
        self._return_unmatched()
        levels = self._levels(self.committed)
        pots = dict.fromkeys(levels, 0)
        pots[levels[0]] += self.bet_pool - sum(self.committed.values()) + self.poch
        for stake in self.committed.values():
            for chip in range(1, stake + 1):
                pots[min(level for level in levels if chip <= level)] += 1
        self.bet_pool = self.poch = 0
        winners = {level: self._winners(level, groups) for level in levels}
        if knocker not in winners[levels[0]]:
            penalty = min(self.bluff_penalty * self.committed[knocker], self.stacks[knocker])
            self.stacks[knocker] -= penalty
            pots[levels[0]] += penalty
        for level, chips in pots.items():
            tied = winners[level]
            for seat in tied:
                self.stacks[seat] += chips // len(tied)
            for seat in tied[: chips % len(tied)]:
                self.stacks[seat] += 1
        won = winners[levels[0]][0]
        self._shed(won if self.leader_rule == "poch-winner" else self.order[0])

    def _winners(self, level: int, groups: list[list[int]]) -> list[int]:
        """Who shares the pot of a level, from forehand on."""
        eligible = {seat for seat in self.still_in if self.committed[seat] >= level}
        if len(eligible) == 1:
            return list(eligible)
        best = next(group for group in groups if eligible & set(group))
        return self.in_order(eligible & set(best))
