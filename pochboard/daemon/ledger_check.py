"""A check of the whole ledger beside the running table.

Opening a ledger verifies the night in progress, and the pages of a small file. This finds damage
in nights that nobody reads, and in a large file.
"""

from __future__ import annotations

import logging
import time
from typing import Final

from pochboard.errors import LedgerError
from pochboard.runtime.threads import LoopThread
from pochboard.store import Store
from pochboard.store.verify import Report, VerifiedPart
from pochboard.table.table import Table

log = logging.getLogger(__name__)

DELAY_S: Final = 5.0
"""The delay before the check, in which the first pages are served."""
_RETRY_S: Final = 60.0
"""The delay before the next attempt if the ledger cannot be read."""
_PAUSES: Final = 4
"""The pause after a step of the check, as a multiple of the length of the step."""
_MOST_S: Final = 0.1
"""The longest pause."""


class _Stopped(Exception):  # noqa: N818 - not an error
    """The check has to stop before it is complete."""


class LedgerCheck(LoopThread):
    """Verifies the ledger once after the start, in its own thread.

    It works in short steps with pauses, because Python runs only one thread at a time.
    """

    def __init__(
        self, store: Store, table: Table, delay_s: float = DELAY_S, retry_s: float = _RETRY_S
    ) -> None:
        # The store is closed after this thread has ended.
        super().__init__("ledger-check", join_s=None)
        self._store = store
        self._table = table
        self._delay_s = delay_s
        self._retry_s = retry_s
        self._step_s = 0.0

    def _run(self) -> None:
        delay_s, reported = self._delay_s, ""
        while not (self._store.damage or self._wait(delay_s)):
            try:
                self._check()
            except LedgerError as error:
                delay_s = self._retry_s
                if str(error) != reported:
                    reported = str(error)
                    log.warning("the ledger cannot be checked now: %s", error)
            except _Stopped:
                return
            else:
                return

    def _check(self) -> None:
        """Checks the whole ledger and reports what is damaged. Raises LedgerError and _Stopped."""
        self._step_s = time.thread_time()
        report = self._store.check_contents(self._rest)
        if self._store.damage:
            log.error("%s", self._store.damage)
            self._table.report_damage(self._store.damage)
        elif not report.ok:
            log.error("%s", _summary(report))

    def _rest(self, _part: VerifiedPart, _done: float) -> None:
        took_s = time.thread_time() - self._step_s
        if self._wait(min(_PAUSES * took_s, _MOST_S)):
            raise _Stopped
        self._step_s = time.thread_time()


def _summary(report: Report) -> str:
    """What is wrong with a ledger in which the night in progress is sound."""
    first, *others = report.findings
    more = f" (and {len(others)} more, see `pochboard verify`)" if others else ""
    return (
        f"{first.text}{more} The night in progress is not affected. Restore a backup with"
        " `pochboard restore`, or save what is sound with `pochboard repair`."
    )
