"""What is to be simulated: everything that decides the outcome, and nothing else."""

from __future__ import annotations

import msgspec

from pochboard.players.house import MOST_DEALS, OPEN_DEALS
from pochboard.players.temper import Temper
from pochboard.rules.commands import Start
from pochboard.rules.ruleset import Ruleset


class Plan(msgspec.Struct, frozen=True):
    """Nights of one kind."""

    rules: Ruleset
    """With its options."""
    tempers: tuple[Temper, ...]
    """One a seat, from seat 1 on."""
    nights: int
    seed: int
    stack: int
    """The starting stack."""

    @property
    def seats(self) -> range:
        """The seats, numbered from 1."""
        return range(1, len(self.tempers) + 1)

    @property
    def most_deals(self) -> int:
        """No night has more deals."""
        deals = self.rules.deals
        if isinstance(deals, int):
            return deals
        return {"open": OPEN_DEALS, "until-short": MOST_DEALS}.get(deals, len(self.tempers))

    @property
    def most_chips(self) -> int:
        """No night ever has more chips in play."""
        rules, players = self.rules, len(self.tempers)
        if rules.ante_from == "bank":
            return players * self.stack + self.most_deals * rules.ante_due
        # Every seat may buy in once.
        return players * (self.stack + max(self.stack, rules.ante_due))

    def seed_of(self, night: int) -> str:
        """Each night has a seed of its own, so that it is the same whoever plays it."""
        return f"simulate {self.seed} night {night}"

    def start(self, night: int) -> Start:
        """How a night begins. The first deal goes round the table from night to night."""
        return Start(
            ruleset=self.rules.name,
            players=tuple(f"Seat {seat}" for seat in self.seats),
            dealer=(night - 1) % len(self.tempers) + 1,
            stack=self.stack,
        )
