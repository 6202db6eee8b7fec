"""Why the ledger cannot be used or a backup not be made, for the people at the table.

The store writes these sentences in English, for the log too. Here they are recognized and
translated. What the system said, in brackets, stays as it is.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from pochboard.messages.translator import ENGLISH, Translator, gettext_noop

_SENTENCES: Final = (
    gettext_noop("There is no room for the ledger: the disk is full. Make room and try again."),
    gettext_noop("There is no room for the backup: the disk is full. Make room and try again."),
    gettext_noop("The ledger is locked by another program. End that program and try again."),
    gettext_noop(
        "The ledger cannot be opened ({reason}). Check the permissions of the file and of its"
        " folder."
    ),
    gettext_noop("The disk failed while the ledger was in use ({reason}). Check the disk."),
    gettext_noop("The ledger rejected the change: {reason}. Did another program change it?"),
    gettext_noop(
        "The ledger is damaged ({reason}). Stop pochboard, then restore a backup with `pochboard"
        " restore`, or save what is sound with `pochboard repair`."
    ),
    gettext_noop(
        "The ledger is missing: it was deleted or moved away while pochboard was running. Put it"
        " back, or stop pochboard and restore a backup with `pochboard restore`."
    ),
    gettext_noop(
        "The log of the ledger is missing: it was deleted or moved away while pochboard was"
        " running. Put it back, or stop pochboard and restore a backup with `pochboard restore`."
    ),
    gettext_noop(
        "The ledger was replaced by another file while pochboard was running. Stop pochboard, put"
        " the right file back, and start it again."
    ),
)


def storage_text(said: str, t: Translator) -> str:
    """What the store said, in another language if it is one of the sentences known here."""
    if t is ENGLISH:
        return said
    for sentence, pattern in _patterns():
        if found := pattern.fullmatch(said):
            return t.gettext(sentence, **found.groupdict())
    return said


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(
        (sentence, re.compile(re.escape(sentence).replace(r"\{reason\}", "(?P<reason>.*)")))
        for sentence in _SENTENCES
    )
