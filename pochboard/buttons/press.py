"""The words of the buttons: names, times, what a press can come to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Protocol, assert_never

import msgspec

from pochboard.buttons.pending import Pending
from pochboard.errors import Refusal
from pochboard.rules.board import POOLS
from pochboard.rules.state import State

SEAT_BUTTONS: Final = tuple(f"seat{place}" for place in range(1, 9))
CONTROLS: Final = ("next", "undo")
BUTTONS: Final = (*POOLS, *SEAT_BUTTONS, *CONTROLS)
"""The 19 buttons of a board with eight places, in the order of BOARD.md 1."""


class Times(msgspec.Struct, frozen=True):
    """The times of BOARD.md 2 and 3, in microseconds."""

    long_us: int = 800_000
    next_long_us: int = 3_000_000
    leave_us: int = 3_000_000
    both_us: int = 2_000_000
    overlap_us: int = 300_000
    select_us: int = 5_000_000
    too_soon_us: int = 1_000_000
    lobby_us: int = 10_000_000


class Refused(msgspec.Struct, frozen=True):
    """A press that was refused: the buttons that were pressed, the code, a sentence."""

    buttons: tuple[str, ...]
    code: str
    message: str


class Lot(msgspec.Struct, frozen=True):
    """The first dealer was drawn by lot from these places."""

    places: tuple[int, ...]
    place: int


class Send(msgspec.Struct, frozen=True):
    """The press is a command. `then` is what is pending once it has been accepted."""

    command: dict[str, Any]
    then: Pending | None = None


class Keep(msgspec.Struct, frozen=True):
    """The press changes what is pending. `word` says how, as in `select` or `let go`."""

    pending: Pending
    word: str


class Draw(msgspec.Struct, frozen=True):
    """The press draws the first dealer."""


class Pair(msgspec.Struct, frozen=True):
    """The press opens the pairing window (BOARD.md 5)."""


Deed = Send | Keep | Draw | Pair | Refusal
"""What a press comes to; a refusal is one too."""


class Meaning(msgspec.Struct, frozen=True):
    """What a button means now, pressed short or held long; None where it has no such meaning."""

    short: Deed | None = None
    long: Deed | None = None
    long_us: int = 0


def word_of(deed: Deed | None) -> str | None:
    """What tells one deed from another; a deed of the same word may have other numbers by now."""
    match deed:
        case Send():
            return f"{deed.command['do']} {deed.command.get('seat', '')}".strip()
        case Keep():
            return deed.word
        case Draw() | Pair():
            return type(deed).__name__
        case Refusal() | None:
            return None
        case _:
            assert_never(deed)


class Desk(Protocol):
    """What presses act on: the table, a score sheet's book, or a test's."""

    @property
    def state(self) -> State:
        """The state now."""

    @property
    def last_start(self) -> Mapping[str, Any] | None:
        """The command that started this night or the last one."""

    @property
    def heard(self) -> Mapping[int, str]:
        """The name last heard at each place."""

    def send(self, command: dict[str, Any]) -> Refusal | None:
        """Applies a command; the refusal if there is one."""

    def would(self, command: dict[str, Any]) -> bool:
        """Whether the command would be accepted now."""

    def open_pairing(self) -> None:
        """Opens the pairing window."""

    def draw(self, count: int) -> int:
        """A number from 0 to count - 1 by chance."""
