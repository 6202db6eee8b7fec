"""The last fault that the daemon has logged, for `pochboard status`."""

from __future__ import annotations

import copy
import logging

import msgspec

from pochboard.server.log_limit import LogLimit


class Fault(msgspec.Struct, frozen=True):
    """A warning or an error."""

    time_ms: int
    text: str


class LastFault(logging.Handler):
    """Remembers the last warning or error. Does not affect other handlers."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.fault: Fault | None = None
        self._limit = LogLimit()

    def emit(self, record: logging.LogRecord) -> None:
        """Remembers a record, and prints it unless its part writes too much."""
        text = self._limit.limited(record.name, record.getMessage())
        if text is None:
            return
        self.fault = Fault(round(record.created * 1000), text)
        # Python itself prints warnings only if there is no handler at all.
        if not logging.getLogger().handlers and logging.lastResort is not None:
            shown = copy.copy(record)
            shown.msg, shown.args = text, None
            logging.lastResort.handle(shown)

    def listen(self) -> None:
        """Begins to listen."""
        logging.getLogger("pochboard").addHandler(self)

    def unlisten(self) -> None:
        """Stops listening. May be called again."""
        logging.getLogger("pochboard").removeHandler(self)
