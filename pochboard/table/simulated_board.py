"""The simulated board, as server and bots see it: its buttons, its display and its piezo."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Final, Protocol

import msgspec

from pochboard import ssd1306
from pochboard.errors import RefusedInput

HOLD_S: Final = 2.0
"""A client that is silent for this long no longer holds its buttons."""


class Picture(msgspec.Struct, frozen=True):
    """What the board's display shows."""

    bitmap: bytes
    text: str
    """The same in words."""
    contrast: int = ssd1306.CONTRAST
    """How bright its lit pixels are, 0 to 255."""


class Pictures(msgspec.Struct, frozen=True):
    """What the display shows, for those at the board and for everybody."""

    full: Picture
    public: Picture
    """Without the pairing code and the password of the machine's own Wi-Fi."""
    language: str


class PlayedTune(msgspec.Struct, frozen=True):
    """A tune that the piezo has played. Two that are equal are still two."""

    notes: tuple[tuple[int, int], ...]
    """The pitch of each in Hz, 0 for a rest, and its duration in ms."""
    volume: int
    """0 (silent) to 255."""
    at_us: int
    """When it began, on the monotonic clock."""


class ClientEdge(msgspec.Struct, frozen=True, kw_only=True):
    """A client's report about a button, over the network."""

    down: bool
    repeat: bool = False
    """The button is still down. This never begins a press."""
    press: int | None = None
    """The number of the press, counted by the client. Edges of older presses are dropped."""
    held_us: int | None = None
    """How long it has been held, by the client's clock; None: since the first request."""
    cancel: bool = False
    """The release does not count as a press."""


class Buttons(Protocol):
    """The buttons of the simulated board, as the API and the bots press them."""

    def edges(
        self,
        holder: str,
        buttons: Sequence[str],
        *,
        down: bool,
        hold_s: float = ...,
    ) -> list[Future[list[RefusedInput]]]:
        """Somebody holds or releases buttons; the futures hold the presses refused by then.

        Raises LookupError for an unknown button, ConnectionError where presses do not arrive.
        """

    def client_edge(self, client: str, button: str, edge: ClientEdge) -> list[RefusedInput]:
        """Handles a client's report; returns the presses refused by then.

        Raises what `edges` raises.
        """

    def tap(self, button: str, *, wanted: Callable[[], bool] = ...) -> Future[list[RefusedInput]]:
        """Presses a button and releases it: a short press. Raises what `edges` raises.

        Does nothing if it is no longer `wanted` when the table handles it.
        """


class SimulatedBoard(Buttons, Protocol):
    """The buttons, and what those at a simulated board see and hear."""

    @property
    def pictures(self) -> Pictures | None:
        """What its display shows; None before the first picture."""

    @property
    def tune(self) -> PlayedTune | None:
        """The tune that was played last."""

    def watch(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Calls `changed` after each new picture and tune; call the result to stop that.

        It may be called in any thread, and must return at once.
        """
