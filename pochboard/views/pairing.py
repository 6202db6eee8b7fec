"""Pairing as phones see it."""

from __future__ import annotations

import msgspec

from pochboard.buttons.press import PAIRING_BUTTON
from pochboard.lights.count_code import code_format
from pochboard.lights.display import DisplayConfig
from pochboard.messages.labels import pool_name, seconds
from pochboard.rules.accounts import POOLS
from pochboard.table.records import Snapshot
from pochboard.text.translator import Translator


class PairingState(msgspec.Struct, frozen=True):
    """Whether the pairing window is open, until when, and whether this client is paired."""

    open: bool
    until_ms: int | None
    window_s: float
    """How long the window stays open."""
    button: str
    """The button that opens it. A client that is not paired may hold it too."""
    paired: bool
    digits: int
    """The length of a code."""
    how: str
    """How to pair a phone, in words."""
    code: str | None = None
    """The code on the board while the window is open; null for clients that are not paired."""


def pairing_state(
    snapshot: Snapshot, display: DisplayConfig, t: Translator, *, paired: bool
) -> PairingState:
    """Pairing for a client that is paired, or for one that is not."""
    until_ms = snapshot.pairing_open_until_ms
    digits, _ = code_format(display)
    return PairingState(
        open=until_ms is not None,
        until_ms=until_ms,
        window_s=snapshot.pairing_window_s,
        button=PAIRING_BUTTON,
        paired=paired,
        digits=digits,
        how=_how(snapshot, digits, t),
        code=snapshot.pairing_code if paired else None,
    )


def _how(snapshot: Snapshot, digits: int, t: Translator) -> str:
    """What to do next to pair a phone that only watches."""
    is_open, simulated = snapshot.pairing_open_until_ms is not None, snapshot.board.simulated
    hold_s = seconds(snapshot.times.next_long_us)
    if simulated and is_open:
        return t.gettext(
            "Type the code. The page on the computer that runs pochboard shows it now, and so"
            " does every paired phone."
        )
    if simulated:
        return t.gettext(
            "To play from this phone, hold next for {seconds} s. Then type the code shown by the"
            " page on the computer that runs pochboard.",
            seconds=hold_s,
        )
    pools = t.listed(pool_name(pool, t) for pool in POOLS[:digits])
    if is_open:
        return t.gettext(
            "Count the white lights on the rings {pools} of the board, and type these numbers in"
            " this order.",
            pools=pools,
        )
    return t.gettext(
        "To play from this phone, hold next on the board for {seconds} s. Then count the white"
        " lights on the rings {pools}, and type these numbers in this order.",
        seconds=hold_s,
        pools=pools,
    )
