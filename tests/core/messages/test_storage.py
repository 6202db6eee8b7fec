"""What the store says, as the people at the table read it in another language."""

from __future__ import annotations

import pytest

from pochboard.errors import refuse
from pochboard.messages.catalogues import translator
from pochboard.messages.health import fault_text
from pochboard.messages.refusals import refusal_text
from pochboard.messages.storage import _SENTENCES, storage_text
from pochboard.messages.translator import ENGLISH

SAID = (
    "There is no room for the ledger: the disk is full. Make room and try again.",
    "There is no room for the backup: the disk is full. Make room and try again.",
    "The ledger is locked by another program. End that program and try again.",
    (
        "The ledger cannot be opened (Read-only file system). Check the permissions of the file and"
        " of its folder."
    ),
    "The disk failed while the ledger was in use (Input/output error). Check the disk.",
    "The ledger rejected the change: entries are numbered in order. Did another program change it?",
    (
        "The ledger is damaged (night 3, entry 7). Stop pochboard, then restore a backup with"
        " `pochboard restore`, or save what is sound with `pochboard repair`."
    ),
    (
        "The ledger is missing: it was deleted or moved away while pochboard was running. Put it"
        " back, or stop pochboard and restore a backup with `pochboard restore`."
    ),
    (
        "The log of the ledger is missing: it was deleted or moved away while pochboard was"
        " running. Put it back, or stop pochboard and restore a backup with `pochboard restore`."
    ),
    (
        "The ledger was replaced by another file while pochboard was running. Stop pochboard, put"
        " the right file back, and start it again."
    ),
)


@pytest.mark.parametrize("said", SAID)
def test_every_sentence_of_the_store_is_translated(said: str) -> None:
    german = storage_text(said, translator("de"))
    assert german != said
    assert "ledger" not in german.replace("ledger.db-wal", "")
    assert storage_text(said, ENGLISH) == said


def test_what_the_system_said_is_kept() -> None:
    t = translator("de")
    assert len(SAID) == len(_SENTENCES)
    assert "(Input/output error)" in storage_text(SAID[4], t)
    assert "(night 3, entry 7)" in storage_text(SAID[6], t)
    assert storage_text("Something new.", t) == "Something new."


def test_a_refusal_and_a_fault_are_in_one_language() -> None:
    t = translator("de")
    assert refusal_text(refuse("not-stored", reason=SAID[0]), t) == (
        "Für das Spielprotokoll ist kein Platz: Die Speicherkarte ist voll. Schafft Platz und"
        " versucht es noch einmal. Es wurde nichts gebucht."
    )
    assert fault_text([("store", SAID[2])], restarts=False, t=t).endswith(
        "Ein anderes Programm sperrt das Spielprotokoll. Beendet es und versucht es noch einmal."
    )
