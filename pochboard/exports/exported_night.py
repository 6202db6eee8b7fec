"""The night that every export is made from, and its texts made safe for each format."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final

import msgspec

from pochboard.ledger.entry import Entry
from pochboard.ledger.replay import StoredNight
from pochboard.ledger.results import Result, results_of
from pochboard.messages.entries import EntryContext, EntryContexts, sentence
from pochboard.rules.state import State
from pochboard.text.translator import ENGLISH, Translator
from pochboard.text.unicode_names import shown


class ExportedNight(msgspec.Struct, frozen=True):
    """A night of the ledger, and how its times are written."""

    stored: StoredNight
    states: Sequence[State]
    """The state after each entry."""
    local: Callable[[int], datetime]
    """The local time of milliseconds since 1970."""
    called: Mapping[str, str] = {}
    """As in the remarks."""
    identity: str | None = None
    """What tells the night from all others."""

    @property
    def entries(self) -> Sequence[Entry]:
        """The entries of the night."""
        return self.stored.entries

    @property
    def state(self) -> State:
        """The state after the last entry."""
        return self.states[-1]

    @property
    def widest(self) -> State:
        """The last state with all seats that there ever were: an undo may have removed some."""
        widest = self.states[0]
        for state in self.states:
            if len(state.balances) >= len(widest.balances):
                widest = state
        return widest

    def sentences(self, t: Translator = ENGLISH) -> Iterator[tuple[EntryContext, str]]:
        """The entries with what their sentences need, and what each did."""
        for context in EntryContexts(self.entries, self.states):
            yield context, sentence(context, t)

    @property
    def results(self) -> tuple[Result, ...]:
        """The persons of the night, highest net first."""
        return results_of(self.state, self.called)


# The characters by which spreadsheets recognise a formula, and their forms in other widths and
# heights, which East Asian versions take too.
_SIGNS: Final = (
    "=+\\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b\u207c\u207a\u208c\u208a\u2a75\u2a76"
)
_SEPARATORS: Final = ";,|"


def csv_text(text: str, separator: str) -> str:
    """A text of which no spreadsheet takes any part for a formula, at any of the usual separators.

    An apostrophe goes before each character that would begin a formula: at the beginning, and after
    another separator than the file's. Readers that expect that one begin a cell there, because to
    them only the first field of a row begins with a quotation mark.
    """
    others = _SEPARATORS.replace(separator, "")
    # A cell may begin with a quotation mark, which such a reader drops.
    return re.sub(rf"(?:^\s*|(?<=[{others}])[\s\"]*)(?=[{_SIGNS}])", r"\g<0>'", shown(text))


def beancount_text(text: str) -> str:
    """A string of beancount."""
    escaped = shown(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def hledger_text(text: str) -> str:
    """A description of hledger, after the code of its transaction.

    A semicolon would begin a comment, and a bar would end the payee.
    """
    return shown(text).replace(";", ",").replace("|", "/")


def account_part(name: str) -> str:
    """A name as part of an account's in beancount and hledger: letters, digits and hyphens.

    It does not tell all names apart, so the number of the seat stands before it.
    """
    kept = [c if unicodedata.category(c)[0] == "L" or c.isdecimal() else "-" for c in name]
    return "-".join(filter(None, "".join(kept).split("-")))
