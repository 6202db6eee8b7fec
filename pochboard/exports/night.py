"""The night that every export is made from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime

import msgspec

from pochboard.ledger.entry import Entry
from pochboard.ledger.replay import StoredNight
from pochboard.ledger.results import Result, results_of
from pochboard.messages.entries import EntryContext, EntryContexts, sentence
from pochboard.rules.state import State
from pochboard.text.translator import ENGLISH, Translator


class ExportedNight(msgspec.Struct, frozen=True):
    """A night of the ledger, and how its times are written."""

    number: int
    entries: Sequence[Entry]
    states: Sequence[State]
    """The state after each entry."""
    local: Callable[[int], datetime]
    """The local time of milliseconds since 1970."""
    imported: bool = False
    identity: str | None = None
    """What tells the night from all others."""
    origin: str | None = None
    """The same, if it was imported with it."""
    called: Mapping[str, str] = {}
    """As in the remarks."""

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
            yield context, sentence(context, t, self.called)

    @property
    def results(self) -> tuple[Result, ...]:
        """The persons of the night, highest net first."""
        return results_of(self.state, self.called)


def exported_night(
    stored: StoredNight,
    states: Sequence[State],
    local: Callable[[int], datetime],
    called: Mapping[str, str],
    identity: str | None = None,
) -> ExportedNight:
    """A night of the ledger, and the state after each of its entries, as the exports take it."""
    return ExportedNight(
        stored.number,
        stored.entries,
        states,
        local,
        imported=stored.imported,
        called=called,
        identity=identity,
        origin=stored.origin,
    )
