"""What the store says, as the people at the table read it in another language."""

from __future__ import annotations

from errno import ENOSPC
from pathlib import Path

import pytest

from pochboard.errors import BackupStorageError
from pochboard.messages.labels import fault_text
from pochboard.store import connection
from pochboard.text.lazy import LazyText, Noun, lazy_gettext, lazy_text
from pochboard.text.translator import ENGLISH, translator

PATH = Path("/var/lib/pochboard/ledger.db")
REASONS = {
    "FULL": "",
    "BUSY": "",
    "READONLY": lazy_gettext("Read-only file system"),
    "IOERR": lazy_gettext("Input/output error"),
    "CONSTRAINT": "entries are numbered in order",
}
SAID = (
    lazy_text(BackupStorageError(Noun("the backup"), OSError(ENOSPC, "No space left on device"))),
    *(
        LazyText(connection._SENTENCES[kind], path=Noun("the record of the nights"), reason=reason)
        for kind, reason in REASONS.items()
    ),
)


@pytest.mark.parametrize("said", SAID)
def test_every_sentence_of_the_store_is_translated(said: LazyText) -> None:
    german = said.in_language(translator("de"))
    assert german != said
    assert "record" not in german
    assert said.in_language(ENGLISH) == said


def test_what_the_system_said_is_kept_or_translated() -> None:
    t = translator("de")
    assert "(Ein-/Ausgabefehler)" in SAID[4].in_language(t)
    assert "entries are numbered in order" in SAID[5].in_language(t)


def test_a_refusal_and_a_fault_are_in_one_language() -> None:
    t = translator("de")
    assert lazy_gettext("{reason} Nothing was recorded.", reason=SAID[1]).in_language(t) == (
        "Für das Spielprotokoll ist kein Platz: Der Datenträger ist voll. Mach Platz und versuch es"
        " noch einmal. Es wurde nichts eingetragen."
    )
    assert fault_text([("store", SAID[2])], restarts=False, t=t).endswith(
        "Das Spielprotokoll ist von einem anderen Programm gesperrt. Beende es und versuch es noch"
        " einmal."
    )
