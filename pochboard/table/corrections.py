"""Corrections of the night in progress: of an entry further back, or before one.

They are recorded as one batch (`ledger/correcting.py`), which is as an undo for the board.
"""

from __future__ import annotations

from collections.abc import Callable

from pochboard.errors import Refusal
from pochboard.ledger.book import Repeat, Step
from pochboard.ledger.entry import Entry
from pochboard.rules.commands import Parsed, Undo
from pochboard.rules.state import State
from pochboard.table.journal import Journal
from pochboard.table.snapshot import Preview, Recorded
from pochboard.table.worker import Worker


class Corrections:
    """Corrections, from any thread. `command` is None for an entry that is left out.

    With `insert`, the command comes before the entry instead of in its place.

    `sent` has the id of the correction, and what its sender has seen. Only the phone hears of a
    refusal.
    """

    def __init__(
        self,
        journal: Journal,
        worker: Worker,
        record: Callable[[Callable[[], Step | Repeat | Refusal]], Recorded | Refusal],
        refuse: Callable[[Undo], Refusal | None],
        on_corrected: Callable[[State], None],
    ) -> None:
        """All three are called in the worker's thread.

        `record` records and publishes, `refuse` says why nothing can be corrected now, and
        `on_corrected` gets the state from before the correction.
        """
        self._journal = journal
        self._worker = worker
        self._record = record
        self._refuse = refuse
        self._on_corrected = on_corrected
        self.last: Entry | None = None
        """The last entry of the last correction."""

    def preview(
        self, number: int, command: Parsed | None, sent: Undo, *, insert: bool = False
    ) -> Preview | Refusal:
        """What a correction would change, or why it would be refused."""

        def preview() -> Preview | Refusal:
            # Its id may have been used, for it is that of the correction which comes next.
            steps = self._refuse(sent) or self._journal.correction(
                number, command, Undo(), insert=insert
            )
            if isinstance(steps, Refusal):
                return steps
            return Preview(self._journal.state, steps)

        return self._worker.call(preview)

    def correct(
        self, number: int, command: Parsed | None, sent: Undo, *, insert: bool = False
    ) -> Recorded | Refusal:
        """Puts a command before or in the place of an entry, or leaves that out."""

        def correct() -> Step | Repeat | Refusal:
            before = self._journal.state
            refusal = None if self._journal.book.repeated(sent) else self._refuse(sent)
            steps = refusal or self._journal.correct(number, command, sent, insert=insert)
            if isinstance(steps, Repeat | Refusal):
                return steps
            self._on_corrected(before)
            self.last = steps[-1].entry
            return steps[-1]

        return self._worker.call(lambda: self._record(correct))
