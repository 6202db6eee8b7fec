"""The simulated board, as server and bots see it: its buttons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Final, Protocol

import msgspec

from pochboard.errors import RefusedInput

HOLD_S: Final = 2.0
"""A client that is silent for this long no longer holds its buttons."""


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
