"""What does not work in the daemon, in sentences for the people at the table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pochboard.messages.translator import ENGLISH, Translator, gettext_noop

_SILENT: Final = {
    "table": gettext_noop("The table does not respond: presses and commands are not booked."),
    "store": gettext_noop("The disk with the ledger does not respond: nothing can be booked."),
    "board": gettext_noop("The board does not respond: its lights and buttons stand still."),
    "web": gettext_noop("The web server does not respond: phones show nothing new."),
}


def fault_text(
    faults: Iterable[tuple[str, str]], *, restarts: bool, t: Translator = ENGLISH
) -> str:
    """What does not work, and what to do.

    `faults` are parts of the daemon, each with the reason, or none if it does not respond.
    `restarts` says whether the daemon is restarted when that lasts.
    """
    sorted_faults = sorted(faults)
    sentences = [
        t.gettext("Nothing can be booked: {reason}", reason=reason)
        if reason
        else t.gettext(_SILENT[part])
        for part, reason in sorted_faults
    ]
    if not all(reason for _, reason in sorted_faults):
        sentences.append(
            t.gettext("If this lasts, pochboard restarts by itself within a minute.")
            if restarts
            else t.gettext("If this lasts, restart pochboard: what is booked is safe.")
        )
    return " ".join(sentences)
