"""Faults of the daemon, in sentences for the people at the table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pochboard.text.translator import ENGLISH, Translator, gettext_noop

_SILENT: Final = {
    "table": gettext_noop("The game does not respond: presses and commands are not booked."),
    "store": gettext_noop("The disk with the ledger does not respond: nothing can be booked."),
    "board": gettext_noop(
        "The board does not respond: its lights do not change, and its buttons do nothing."
    ),
    "web": gettext_noop("The web server does not respond: phones are not updated."),
    "display": gettext_noop(
        "The display does not respond: what it shows may be out of date."
        " The lights and the phones are right."
    ),
    "sensor": gettext_noop(
        "The light sensor does not respond: the lights are as bright as was chosen. Check its plug."
    ),
}


def fault_text(
    faults: Iterable[tuple[str, str]], *, restarts: bool, t: Translator = ENGLISH
) -> str:
    """What does not work, and what to do.

    Each fault is a part of the daemon and a reason, which is empty if the part does not respond.
    `restarts` says whether the daemon is restarted if this lasts.
    """
    sorted_faults = sorted(faults)
    sentences = [
        t.gettext("Nothing can be booked: {reason}", reason=reason)
        if reason
        else t.gettext(_SILENT[part])
        for part, reason in sorted_faults
    ]
    # Neither a restart nor waiting plugs the sensor in again.
    if not all(reason or part == "sensor" for part, reason in sorted_faults):
        sentences.append(
            t.gettext("If this lasts, pochboard restarts by itself within a minute.")
            if restarts
            else t.gettext("If this lasts, restart pochboard. Everything booked so far is safe.")
        )
    return " ".join(sentences)
