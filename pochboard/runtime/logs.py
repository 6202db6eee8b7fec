"""The lines of the log, on standard error and in the journal."""

from __future__ import annotations

import logging
from types import TracebackType

from pochboard.text.visible import shown, shown_lines

_Raised = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class LogFormatter(logging.Formatter):
    """A message on one line: boards, networks and files may have written what it quotes."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - as logging calls it
        """The message, without a line break that could begin a forged one."""
        return shown(super().formatMessage(record))

    def formatException(self, ei: _Raised) -> str:  # noqa: N802 - as logging calls it
        """The traceback, on several lines."""
        return shown_lines(super().formatException(ei))


def format_log() -> None:
    """Lets Python's own handler, which prints warnings, print them in this format."""
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(LogFormatter())
