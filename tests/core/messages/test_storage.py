"""What the store says, as the people at the table read it in another language."""

from __future__ import annotations

from errno import ENOSPC

import pytest

from pochboard.errors import BackupStorageError
from pochboard.store import connection
from pochboard.text.lazy import LazyText, Noun, lazy_gettext, lazy_text
from pochboard.text.translator import ENGLISH, translator

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
