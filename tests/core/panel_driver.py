"""Presses buttons at given times, sends commands as a phone, and records the results."""

from __future__ import annotations

from typing import Any

import msgspec

from pochboard.buttons.button_meaning import DrawDealer, OpenPairing
from pochboard.buttons.panel import Panel, PanelEffect, PanelOutcome
from pochboard.buttons.press import Pending
from pochboard.errors import Refusal, RefusedInput
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.seating import resolve_among
from pochboard.rules.state import State
from pochboard.sheets import SheetPlayer

SHORT_S = 0.05
LONG_S = 1.0
LEAVE_S = 3.2
BOTH_S = 2.2


class PanelPlayer(SheetPlayer):
    """A sheet player that counts how often pairing was opened, and draws a given lot."""

    def __init__(self) -> None:
        super().__init__(resolve_among(shipped_rulesets()))
        self.pairings = 0
        self.lot = 0
        self.drawn_from: list[tuple[int, ...]] = []

    def execute(self, effect: PanelEffect) -> PanelOutcome:
        if isinstance(effect, OpenPairing):
            self.pairings += 1
        if isinstance(effect, DrawDealer):
            self.drawn_from.append(effect.places)
            return effect.places[self.lot]
        return super().execute(effect)


class PanelDriver:
    """Presses the buttons of a panel. Times are seconds; each press begins 0.2 s after the last."""

    def __init__(self, places: int = 8) -> None:
        self.player = PanelPlayer()
        if places != 8:
            self.player.panel = Panel(self.player.context, places=places)
        self.now_us = 10_000_000
        self.refused: list[RefusedInput] = []

    @property
    def panel(self) -> Panel:
        return self.player.panel

    @property
    def state(self) -> State:
        return self.player.state

    @property
    def phase(self) -> str:
        return self.state.phase

    @property
    def pending(self) -> dict[str, Any]:
        return shown(self.panel.pending)

    @property
    def commands(self) -> list[dict[str, Any]]:
        """The commands recorded in this night."""
        return [
            msgspec.json.decode(msgspec.json.encode(entry.command))
            for entry in self.player.book.entries
        ]

    def codes(self) -> list[str]:
        """The codes of all refusals since the last call."""
        codes = [refused.code for refused in self.refused]
        self.refused.clear()
        return codes

    # One at a time, at exact moments.

    def wait(self, seconds: float) -> None:
        """Advances the clock; timers due by then fire."""
        self.now_us += round(seconds * 1_000_000)
        self.refused += self.player.tick(self.now_us)

    def skip(self, seconds: float) -> None:
        """Advances the clock, but no timer fires until the next edge."""
        self.now_us += round(seconds * 1_000_000)

    def down(self, *buttons: str) -> None:
        for button in buttons:
            self.refused += self.player.edge(button, True, self.now_us)

    def up(self, *buttons: str) -> None:
        for button in buttons:
            self.refused += self.player.edge(button, False, self.now_us)

    # Whole presses; each returns the code it was refused with, or None.

    def hold(
        self, buttons: str | tuple[str, ...], seconds: float, gap_s: float = 0.2
    ) -> str | None:
        names = (buttons,) if isinstance(buttons, str) else buttons
        self.wait(gap_s)
        before = len(self.refused)
        self.down(*names)
        self.wait(seconds)
        self.up(*names)
        refused = self.refused[before:]
        assert all(refusal.buttons == names for refusal in refused), "what was pressed flashes"
        codes = {refusal.code for refusal in refused}
        assert len(codes) <= 1, f"one press was refused in several ways: {codes}"
        return next(iter(codes), None)

    def press(self, *buttons: str) -> str | None:
        """Makes short presses, one by one; returns the code of the last one's refusal."""
        code = None
        for button in buttons:
            code = self.hold(button, SHORT_S, gap_s=1.2 if button == "next" else 0.2)
        return code

    def long(self, button: str) -> str | None:
        return self.hold(button, LONG_S)

    def both(self, seconds: float = BOTH_S) -> str | None:
        return self.hold(("next", "undo"), seconds)

    # A phone.

    def phone(self, do: str, **fields: Any) -> None:
        """A command from a phone, which must be accepted."""
        self.refused += self.player.tick(self.now_us)
        refusal: Refusal | None = self.player.send({"do": do, **fields})
        assert refusal is None, f"{do} {fields}: {refusal}"

    def start(
        self, ruleset: str = "modern", places: tuple[int, ...] = (2, 4, 5, 7), **fields: Any
    ) -> None:
        """A night from a phone, with players A, B … at these places."""
        players = [chr(ord("A") + index) for index in range(len(places))]
        self.phone("start", ruleset=ruleset, players=players, places=list(places), **fields)


def started(ruleset: str = "modern", **fields: Any) -> PanelDriver:
    """A driver in a night that has begun."""
    driver = PanelDriver()
    driver.start(ruleset, **fields)
    return driver


def shown(pending: Pending) -> dict[str, Any]:
    """What is pending, without empty values."""
    found: dict[str, Any] = {}
    if pending.place is not None:
        found["place"] = pending.place
    if pending.kept:
        found["kept"] = True
    if pending.chips:
        found["chips"] = pending.chips
    if pending.hands:
        found["hands"] = list(pending.hands)
    if pending.cards:
        found["cards"] = pending.cards
    if pending.lobby:
        lobby = pending.lobby
        found["lobby"] = {"in": list(lobby.places), "deals": lobby.dealer, "armed": lobby.armed}
    return found
