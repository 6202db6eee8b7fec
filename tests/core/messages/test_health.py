"""The messages when a part of the daemon does not work."""

from __future__ import annotations

from pochboard.messages.labels import fault_text

TABLE = "The game does not respond: presses and commands are not recorded."
BY_HAND = "If this lasts, restart pochboard. Everything recorded so far is safe."


def text(*faults: tuple[str, str], restarts: bool = True) -> str:
    return fault_text(faults, restarts=restarts)


def test_without_a_watchdog_somebody_has_to_restart_it() -> None:
    assert text(("table", ""), restarts=False) == f"{TABLE} {BY_HAND}"


def test_a_ledger_that_cannot_be_written_says_why() -> None:
    why = "ledger.db is locked by another program. End that program and try again."
    assert text(("store", why)) == f"Nothing can be recorded: {why}"
