"""A family's pochboard over many evenings: a real daemon, its board, phones, and faults.

`House` follows a plan of `soak.py`, and checks after each evening that everything agrees.
"""

from __future__ import annotations

import contextlib
import errno
import http.client
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, Final, Self

import msgspec

from pochboard.bots.bot_table import AwaitPerson, BotAction, BotTable, next_press
from pochboard.buttons.press import Pending
from pochboard.ledger.book import Book, Step
from pochboard.ledger.entry import Entry
from pochboard.lights.lights_config import LightsConfig
from pochboard.rules.accounts import POOLS
from pochboard.rules.commands import AnyCommand, Command
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.seating import resolve_among
from pochboard.rules.state import public_state
from pochboard.runtime.process import find_daemon
from pochboard.store import Store
from pochboard.table.bot_runner import BotOptions
from pochboard.text.translator import ENGLISH
from tests.count_reader import read_counts
from tests.firmware.board_process import FirmwareBoard
from tests.shell.boards.noisy_line import NoisyLine
from tests.shell.daemons import TUNED_PROGRAM, Daemon
from tests.shell.server_kit import LONG_S, Answer, Stream, ask, pools, stacks, wait_until
from tests.torture.faulty_home import QUICK, FaultyHome
from tests.torture.shim import Control, File, Kind

NOISE: Final = 0.001
"""How many bytes of the line to the Pico are spoiled."""
PRESS_S: Final = 5.0
"""A press without effect by then is repeated, because the link was down."""
_LOOK: Final = LightsConfig()
_BROKEN: Final = (OSError, http.client.HTTPException)


class Phone:
    """A phone that follows the events, and sometimes sleeps."""

    def __init__(self, house: House, *, frames: bool) -> None:
        self._house = house
        self._path = f"/api/events?frames={int(frames)}"
        self._awake = threading.Event()
        self._over = False
        self._stream: Stream | None = None
        self.state: dict[str, Any] = {}
        """The last state it was sent."""
        self._thread = threading.Thread(target=self._run, name="phone")
        self._thread.start()

    def wake(self) -> None:
        self._awake.set()

    def sleep(self) -> None:
        """It receives nothing until it wakes; its connection closes at the next event."""
        self._awake.clear()

    def close(self) -> None:
        self._over = True
        self._awake.set()

    def join(self) -> None:
        self._thread.join()

    def _run(self) -> None:
        while not self._over:
            self._awake.wait()
            with contextlib.suppress(*_BROKEN, AssertionError):
                self._follow()
            time.sleep(0.05)

    def _follow(self) -> None:
        port, token = self._house.access
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LONG_S)
        try:
            connection.request("GET", self._path, headers=token)
            stream = Stream(connection.getresponse())
            while self._awake.is_set() and not self._over and (event := stream.read()):
                if event.name == "state":
                    self.state = event.data
        finally:
            connection.close()


class Size(msgspec.Struct, frozen=True):
    """The resources that a daemon uses."""

    threads: int
    files: int
    mb: float


class House:
    """One ledger, one board, and the evenings played with them."""

    def __init__(self, folder: Path, kind: str, chance: Random, phones: int) -> None:
        self._control = Control(folder / "control")
        self._home = FaultyHome(folder, self._control)
        self.kind = kind
        self._board: FirmwareBoard | None = None
        self._line: NoisyLine | None = None
        if kind == "pico":
            self._board = FirmwareBoard(folder)
            self._board.start()
            self._line = NoisyLine(self._board.port, folder / "line", chance.randrange(2**32))
            self._home.program = TUNED_PROGRAM
            self._home.configure(f'board = "pico"\n{QUICK}[pico]\nport = "{self._line.port}"\n')
        self._running = contextlib.ExitStack()
        self._commands = 0
        self._after_first: Size | None = None
        self.size = Size(0, 0, 0.0)
        self.book = Book(resolve_among(shipped_rulesets()))
        """The state of the evening, replayed from the entries by this process."""
        self.state: dict[str, Any] = {}
        self.starts = 0
        self._night: int | None = None
        self._known = 0
        """The newest entry in `book` of the night."""
        self._behind = False
        """Whether `state` is from before the newest entry."""
        self._start()
        # One shows the lights, as the simulated board on the page does.
        self.phones = [Phone(self, frames=number == 0) for number in range(phones)]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for phone in self.phones:
            phone.close()
        self._control.heal()
        self._running.close()
        for phone in self.phones:
            phone.join()
        if self._line:
            self._line.close()
        if self._board:
            self._board.stop()
        self._control.close()

    # The daemon.

    def _start(self) -> None:
        self.starts += 1
        self._daemon: Daemon = self._running.enter_context(self._home.daemon())
        holder = find_daemon(self._home.data)
        assert holder is not None
        # Both at once: with the token of an earlier daemon, a phone would count as unpaired.
        self.access = (self._daemon.port, {"Authorization": f"Bearer {holder.token}"})
        self._after_first = None
        if self._line:
            wait_until("the board is linked", lambda: self._get("/api/state")["board"]["link"])

    def kill(self, _: Random) -> None:
        """The plug is pulled while a phone sends a command, and somebody plugs it in again.

        The phone sends the command again, and it counts once.
        """
        before = self._refresh()["entry"]
        self._commands += 1
        rename = {"do": "rename", "seat": 1, "name": f"Anna {self._commands}"}
        rename["id"] = f"{self._commands} of this house"
        sender = threading.Thread(target=lambda: self._try("POST", "/api/commands", rename))
        sender.start()
        self._daemon.kill()
        sender.join()
        self._running.close()
        self._start()
        if self.book.state.phase != "closed":
            self._book(rename)
            assert self._refresh()["entry"] == before + 1

    def _try(self, method: str, path: str, body: object) -> None:
        with contextlib.suppress(*_BROKEN):
            self._ask(method, path, body)

    def stop(self, _: Random) -> None:
        """The daemon is stopped and started again."""
        status, said = self._daemon.stop()
        assert (status, said) == (0, "Good night.\n"), (status, said, self._daemon.errors)
        self._running.close()
        self._start()

    def _ask(self, method: str, path: str, body: object = None) -> Answer:
        port, token = self.access
        return ask(port, method, path, body, token)

    def _get(self, path: str) -> Any:
        answer = self._ask("GET", path)
        assert answer.status == 200, answer
        return answer.json

    # An evening.

    def begin(self, options: BotOptions, seed: str) -> None:
        """Phones wake, and one of them starts a night with bots at the table."""
        for phone in self.phones:
            phone.wake()
        self._send(options.start(ENGLISH))
        self._bots = BotTable(options.strategies(), seed)

    def play_on(self, *, by_press: bool) -> bool:
        """Makes the next step at the table; False when the night is over."""
        action = self._next_action()
        if action is None:
            return False
        if isinstance(action, Command):
            self._carry_out(action, by_press=by_press)
        self._bots.carried_out(action)
        return True

    def _next_action(self) -> BotAction | None:
        action = self._bots.next_action(self.book.state)
        assert not isinstance(action, AwaitPerson)
        return action

    def _carry_out(self, command: AnyCommand, *, by_press: bool) -> None:
        """Records a command: by presses if short ones suffice, or by a phone."""
        if by_press and self._behind:
            self._refresh()
        entry = self.state["entry"]
        while by_press and self.state["entry"] == entry:
            state = self.book.state
            pending = msgspec.convert(self.state["pending"], Pending | None)
            press = next_press(command, state, pending)
            if press is None or press.long:
                break
            self._press(*press.buttons)
        if self.state["entry"] == entry:
            self._send(command)

    def _press(self, button: str) -> None:
        """Presses a button; returns when it has an effect, or was lost with the link."""
        before = self.state["revision"]
        if self._board is None:
            self._ask("POST", "/api/board/press", {"button": button, "ms": 1})
        else:
            self._board.tap(button)
        deadline = time.monotonic() + PRESS_S
        while self._refresh()["revision"] == before and time.monotonic() < deadline:
            time.sleep(0.05)

    def _send(self, command: AnyCommand) -> None:
        """A phone sends a command until it is answered, always with the same id."""
        self._commands += 1
        body = {**msgspec.to_builtins(command), "id": f"{self._commands} of this house"}
        self._book(body)

    def _book(self, body: dict[str, Any]) -> None:
        """A phone sends a command until it is recorded; like the page, it retries after a 5xx."""
        answer: Answer | None = None

        def is_recorded() -> bool:
            nonlocal answer
            answer = self._ask("POST", "/api/commands", body)
            assert answer.status == 200 or answer.status >= 500, (body, answer.body, self.state)
            return answer.status == 200

        wait_until("the command is recorded", is_recorded)
        assert answer
        self._behind = True
        if body["do"] != "start" and answer.json["entry"] == self._known + 1:
            self._replay(answer.json["entry"], body)
        else:
            self._refresh()

    def _refresh(self) -> dict[str, Any]:
        """Takes in the state, and replays the entries that are new."""
        self.state = self._get("/api/state")
        self._behind = False
        number, night = self.state["entry"], self.state["night"]
        if number and (not self.book.entries or night != self._night or number < self._known):
            self._night, self._known = night, 0
        if number > self._known:
            for entry in self._get(f"/api/nights/{night}/json")["entries"][self._known :]:
                self._replay(entry["number"], entry["command"])
        return self.state

    def _replay(self, number: int, command: dict[str, Any]) -> None:
        step = self.book.apply(command)
        assert isinstance(step, Step), (command, step)
        assert step.entry.number == number
        self._known = number

    # Faults.

    def undo(self, _: Random) -> None:
        """Somebody takes the last entry back, and changes their mind."""
        if self._refresh()["actions"].get("undo"):
            for command in ("undo", "redo"):
                answer = self._ask("POST", "/api/commands", {"do": command})
                assert answer.status == 200, answer.body
            self._refresh()

    def sleep(self, chance: Random) -> None:
        """A phone sleeps, and another one wakes."""
        chance.choice(self.phones).sleep()
        chance.choice(self.phones).wake()

    def lose_link(self, _: Random) -> None:
        """The cable to the Pico has a bad contact for a while."""
        if self._line:
            self._line.cut = True
            wait_until("the link is lost", lambda: not self._get("/api/state")["board"]["link"])
            self._line.cut = False
            wait_until("the link is back", lambda: self._get("/api/state")["board"]["link"])
            self._refresh()

    def noise(self, _: Random) -> None:
        """The line to the Pico gets noisy, or quiet again."""
        if self._line:
            self._line.noise = 0.0 if self._line.noise else NOISE

    def fill_disk(self, chance: Random) -> None:
        """The disk is full for a while. A phone says that nothing was stored, and tries again."""
        before = self._refresh()["entry"]
        self._commands += 1
        body = {"do": "rename", "seat": 1, "name": f"Full {self._commands}"}
        body["id"] = f"full {self._commands}"
        error = chance.choice((errno.ENOSPC, errno.EIO))
        self._control.fail(Kind.WRITE | Kind.TRUNCATE, File.LEDGER | File.LOG, error)
        try:
            answer = self._ask("POST", "/api/commands", body)
            assert answer.status != 200, answer.body
            assert answer.json["message"]
        finally:
            self._control.heal()
        self._book(body)
        assert self._refresh()["entry"] == before + 1

    def jump_clock(self, chance: Random) -> None:
        """The clock of the machine jumps."""
        self._control.shift_clock(chance.choice((-3600, 3600, 91 * 86_400, -9_000_000, 0)))

    # After the evening.

    def check(self) -> None:
        """Everything agrees, and nothing has grown."""
        if self._line:
            self._line.noise = 0.0
        self._refresh()
        self._check_chips()
        for phone in self.phones:
            phone.wake()
        for phone in self.phones:
            wait_until(
                "the phones show the same", lambda p=phone: p.state == self._get("/api/state")
            )
        held = pools(self.state)
        due = tuple(held.get(pool, 0) for pool in POOLS)
        wait_until("the lights count the chips", lambda: self._counts() == due)
        with Store.open(self._home.ledger, readonly=True) as store:
            report = store.verify(replayed=True)
            assert self._night
            stored = store.night(self._night).entries
        assert report.ok, report
        assert [_recorded(entry) for entry in stored] == [
            _recorded(entry) for entry in self.book.entries
        ]
        assert not self._errors(), self._errors()
        self._check_size()

    def _check_chips(self) -> None:
        state, balances = self.state, dict[str, int]()
        sheet = self._ask("GET", f"/api/nights/{self._night}/sheet").body.decode().splitlines()
        due = {"expect": public_state(self.book.state)}
        assert msgspec.json.decode(sheet[-1]) == msgspec.to_builtins(due)
        for entry in self.book.entries:
            for account, chips in entry.postings:
                balances[account] = balances.get(account, 0) + chips
        assert sum(balances.values()) == 0
        chips = sum(pools(state).values()) + sum(stacks(state).values())
        assert chips == -balances["bank"], (state, balances)

    def _counts(self) -> tuple[int | None, ...] | None:
        if self._board:
            seen = self._board.colours
        else:
            pixels = self._get("/api/board")["pixels"]
            seen = bytes.fromhex("".join(pixel.removeprefix("#") for pixel in pixels))
        try:
            return read_counts(seen, _LOOK)
        except ValueError:
            return None  # an effect is under way

    def _errors(self) -> list[str]:
        """Warnings of the daemons, except for faults that this house has caused."""
        return [line for line in self._daemon.errors.splitlines() if not _EXPECTED.search(line)]

    def _check_size(self) -> None:
        if self._after_first is None:
            self._after_first = self._size()
        first = self._after_first

        def is_flat() -> bool:
            self.size = self._size()
            return (
                self.size.threads <= first.threads + MORE_THREADS
                and self.size.files <= first.files + MORE_FILES
                and self.size.mb <= first.mb + MORE_MB
            )

        wait_until(f"the daemon is as small as before: {first}", is_flat)

    def _size(self) -> Size:
        process = Path(f"/proc/{self._daemon.process.pid}")
        pages = int((process / "statm").read_text().split()[1])
        return Size(
            threads=len(list((process / "task").iterdir())),
            files=len(list((process / "fd").iterdir())),
            mb=pages * 4096 / 1e6,
        )


MORE_THREADS: Final = 6
MORE_FILES: Final = 6
MORE_MB: Final = 20.0
"""By how much a daemon may have grown since its first evening, which fills its caches."""
_EXPECTED: Final = re.compile(
    r"^(not stored: |it is not known whether an entry was stored: "  # the disk failed
    r"|the head of the ledger |the write-ahead log |the ledger is usable again"
    r"|Nothing can be recorded: |All parts of the daemon respond again"
    r"|.*If this lasts, "  # on a busy machine
    r"|dropped edges that came too late"
    r"|The clock says "  # it has jumped
    r"|The board on \S+ "  # the line was cut
    r")"
)
"""Warnings that the faults of this house cause."""


def _recorded(entry: Entry) -> object:
    """What an entry records. Only the daemon knows its time and id."""
    return entry.number, entry.command, entry.ref, entry.postings


Fault = Callable[[House, Random], None]
FAULTS: Final[dict[str, Fault]] = {
    name: getattr(House, name)
    for name in (
        "undo", "sleep", "lose_link", "noise", "fill_disk", "jump_clock", "kill", "stop",
    )
}  # fmt: skip
