"""The lines of the log."""

from __future__ import annotations

import logging

from pochboard.runtime.process import LogFormatter


def formatted(message: str, *values: object, error: BaseException | None = None) -> str:
    raised = (type(error), error, None) if error else None
    record = logging.LogRecord("pochboard", logging.WARNING, "", 0, message, values, raised)
    return LogFormatter().format(record)


def test_what_a_message_quotes_neither_steers_a_terminal_nor_begins_a_line() -> None:
    firmware = "x\n<2>forged\x1b[2J\x9b\u202e\u2028"
    assert formatted("the board runs %s", firmware) == (
        r"the board runs x\n<2>forged\x1b[2J\x9b\u202e\u2028"
    )
