"""A whole night by phones and the board at once, with bots deciding what happens next.

After each step, the book of this process, the API, the ledger and all pages agree. Taps are
counted.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import chain, count
from random import Random
from typing import Any, Final

import msgspec

from pochboard.bots.bot_table import AwaitPerson, BotAction, BotCommand, BotTable
from pochboard.bots.presses import next_press
from pochboard.demo.session import strategy_of
from pochboard.ledger.results import results_of
from pochboard.rules.commands import AnyCommand, End, Redo, Showdown, Start, Turn, Undo
from pochboard.rules.state import BETWEEN_NIGHTS
from tests.browser.daemons import Daemon
from tests.browser.phone import Phone, out_of_reach
from tests.browser.reference import Reference
from tests.browser.window import Window
from tests.shell.pending_answer import pending_of

_COMMANDS: Final = "**/api/commands?*"
PATIENCE_S: Final = 60.0
MOST_TAPS: Final = {
    "deal": 1, "turn": 1, "claim": 2, "next": 1, "stake": 2, "pass": 1, "out": 2, "go": 2,
    "undo": 1, "redo": 1,
}  # fmt: skip
"""From the state before. A stake of an unusual size is typed, which is not counted.

A phone that belongs to somebody may need one more for what is not its owner's to do.
"""
DOUBTS: Final = 0.04
"""How often somebody undoes an entry, and then redoes it."""
ALL_AT_ONCE: Final = {"Deal", "Next", "Claim", "Stake", "Pass", "Out", "Go"}
"""Commands that two phones sometimes send at the same moment."""


class BoardHands:
    """Presses the buttons of the board; a clock that stops gives each press its intended length.

    With `held_clock.py` a busy machine makes no short press long.
    """

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon
        self._numbers = count(1)

    def carry_out(self, command: AnyCommand, book: Reference) -> bool:
        """Presses until a command is recorded. False if no button sends it."""
        entry = len(book.book.entries)
        while (state := self._daemon.get("/api/state"))["entry"] == entry:
            now = book.book.state
            press = next_press(command, now, pending_of(state["pending"], now))
            if press is None:
                return False
            self.press(*press.buttons, long=press.long)
        return True

    def press(self, *buttons: str, long: bool = False) -> None:
        """Presses one button or two, and returns when it has had its effect."""
        before = self._moment()
        held = {button: next(self._numbers) for button in buttons}
        for button, press in held.items():
            self._edge(button, press, down=True)
        if long:
            self._daemon.pass_time()
            # The board counts only the time for which somebody says that a button is held.
            self._wait_for_effect(before, held, repeat=True)
        for button, press in held.items():
            self._edge(button, press, down=False)
        if not long:
            self._wait_for_effect(before, held)

    def _edge(self, button: str, press: int, *, down: bool, repeat: bool = False) -> None:
        edge = {"button": button, "press": press, "down": down, "repeat": repeat}
        status, answer = self._daemon.ask("POST", "/api/board/edge", {**edge, "client": "board"})
        assert status == 200, answer
        assert not answer["refused"], answer

    def _moment(self) -> list[Any]:
        state = self._daemon.get("/api/state")
        return [state["night"], state["entry"], state["pending"]]

    def _wait_for_effect(
        self, before: list[Any], held: dict[str, int], *, repeat: bool = False
    ) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while self._moment() == before:
            assert time.monotonic() < deadline, f"{list(held)} had no effect: {before}"
            for button, press in held.items() if repeat else ():
                self._edge(button, press, down=True, repeat=True)
            time.sleep(0.02)


class Evening:
    """A night at one daemon: who sends each command is drawn by the seed.

    Without phones that play, the board does, and the phones watch.
    """

    def __init__(
        self,
        windows: Sequence[Window],
        daemon: Daemon,
        seed: str,
        *,
        phones: bool = True,
        board: bool = False,
    ) -> None:
        self._daemon = daemon
        self._chance = Random(seed)
        self._seed = seed
        self.book = Reference()
        self.phones = [Phone(window) for window in windows]
        self._by_phones = phones
        self._board = BoardHands(daemon) if board else None
        self.taps: Counter[tuple[str, int]] = Counter()
        """How often a command took this many taps."""
        self.by: Counter[str] = Counter()
        """How many commands came from the phones, from the board, and from two phones at once."""

    def play(self, start: Start, deals: int) -> None:
        """A night from the lobby to the standings, of at most this many deals.

        Somebody takes an entry back now and then, and changes their mind.
        """
        self._begin(start)
        bots = BotTable(
            {seat: strategy_of(seat) for seat in self.book.book.state.seats}, self._seed
        )
        if self._by_phones:
            self.phones[0].belong_to(self._chance.choice(self.book.book.state.seats))
            self._agree()
        while (action := self._next_action(bots, deals)) is not None:
            if isinstance(action, BotCommand):
                self._carry_out(action.command)
                if self._chance.random() < DOUBTS and self.book.book.state.phase != "closed":
                    self._carry_out(Undo())
                    self._carry_out(Redo())
            bots.carried_out(action)
        self._compare_the_end()

    def _next_action(self, bots: BotTable, deals: int) -> BotAction | None:
        state = self.book.book.state
        if state.phase == "idle" and state.deal >= deals:
            return BotCommand(End())
        action = bots.next_action(state)
        assert not isinstance(action, AwaitPerson)
        return action

    def _begin(self, start: Start) -> None:
        if self._by_phones:
            self._carry_out(start, race=False)
            return
        # The board plays by the rules of the last night, at the same places.
        for command in (start, End()):
            fields = _fields(command)
            self._daemon.do(fields.pop("do"), **fields)
            self._book(command)
        self._agree()
        assert self._board
        self._board.press("next")
        self._board.press("next")
        self.by["board"] += 1
        again = self._daemon.get("/api/state")
        stack = again["stack"]
        self._book(msgspec.structs.replace(start, dealer=again["dealer"], stack=stack))
        self._agree()

    def _carry_out(self, command: AnyCommand, *, race: bool = True) -> None:
        if isinstance(command, Turn):
            command = Turn(command.card[-1])  # which is all that has to be said
        name = type(command).__name__
        on_board = self._board and (not self._by_phones or self._chance.random() < 0.4)
        if self._board and on_board and self._board.carry_out(command, self.book):
            self.by["board"] += 1
            command = self._as_pressed(command)
        else:
            phone, *others = self._chance.sample(self.phones, len(self.phones))
            if name not in ("Start", "Turn", "End", "Void"):
                phone.see_why()
            if others and race and name in ALL_AT_ONCE and self._chance.random() < 0.15:
                self._at_once(command)
            else:
                self._check_taps(command, phone)
                self.by["phone"] += 1
        self._book(command)
        try:
            self._agree()
        except AssertionError as error:
            raise AssertionError(f"{command}: {error}") from None

    def _as_pressed(self, command: AnyCommand) -> AnyCommand:
        """On the board, a showdown is over once the hands that are shown have decided it."""
        if not isinstance(command, Showdown):
            return command
        entry = self._daemon.get(f"/api/nights/{self.book.night}/entries")[-1]["command"]
        shown = entry["ranking"]
        assert shown == command.ranking[: len(shown)], entry
        return Showdown(shown)

    def _check_taps(self, command: AnyCommand, phone: Phone) -> None:
        name = type(command).__name__.lower()
        dealer = self.book.book.state.dealer
        seat = dealer if name == "deal" else getattr(command, "seat", None)
        taps = phone.carry_out(command)
        self.taps[name, taps] += 1
        most = MOST_TAPS.get(name, taps)
        if phone.owner is not None and seat is not None:
            most = 1 if name == "claim" and seat == phone.owner else most + (seat != phone.owner)
        assert taps <= most, f"{taps} taps for {command}"

    def _at_once(self, command: AnyCommand) -> None:
        """Two phones send the same at the same moment; it is recorded once."""
        last = [(phone, phone.selectors_of(command)) for phone in self.phones]
        for phone, selectors in last:
            for selector in selectors:
                phone.wait_until_on(selector)
                assert not out_of_reach(phone.window, selector)
        # However busy the machine is, no phone knows of the other's tap.
        sent = [phone.window.hold(_COMMANDS) for phone in self.phones]
        for phone, selectors in last:
            for selector in selectors:
                phone.window.page.evaluate("one => document.querySelector(one).click()", selector)
        self.phones[0].window.wait_until("a tap on each phone", lambda: all(sent))
        # By then the second phone's command may no longer apply.
        for route in chain(*sent):
            route.continue_()
        for phone in self.phones:
            phone.window.page.unroute(_COMMANDS)
        self.by["two phones at once"] += 1

    def _book(self, command: AnyCommand) -> None:
        fields = _fields(command)
        self.book.do(fields.pop("do"), **fields)

    def _agree(self) -> None:
        for phone in self.phones:
            phone.window.wait_until_equal(partial(self._differences, phone.window))

    def _differences(self, window: Window) -> list[str]:
        # Pending input on the board does not follow from the commands.
        pending = self._daemon.get("/api/state")["pending"]
        between = self.book.book.state.phase in BETWEEN_NIGHTS
        self.book.pending = None if between else pending
        self.book.lobby = (pending or {}).get("lobby") if between else None
        return self.book.differences(window)

    def _compare_the_end(self) -> None:
        """Page, API, ledger and score sheet have the same chips, to the last one."""
        state = self.book.book.state
        assert state.phase == "closed"
        due = [[person.name, str(person.stack)] for person in results_of(state)]
        for phone in self.phones:
            told = phone.window.seen()["standings"]
            assert [row[:2] for row in told] == due
        balances: Counter[str] = Counter()
        for entry in self._daemon.get(f"/api/nights/{self.book.night}/entries"):
            for account, chips in entry["postings"]:
                balances[account] += chips
        assert sum(balances.values()) == 0
        for seat in state.seats:
            assert balances[f"seat:{seat}"] == state.stack_of(seat)


def _fields(command: AnyCommand) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(command)
    return {name: value for name, value in found.items() if value not in (None, {})}
