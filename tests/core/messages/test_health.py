"""The messages when a part of the daemon does not work."""

from __future__ import annotations

from pochboard.messages.labels import fault_text

TABLE = "The game does not respond: presses and commands are not recorded."
STORE = "The disk does not respond: nothing can be recorded."
BOARD = "The board does not respond: its lights do not change, and its buttons do nothing."
WEB = "The web server does not respond: phones are not updated."
DISPLAY = (
    "The display does not respond: what it shows may be out of date."
    " The lights and the phones are right."
)
RESTARTS = "If this lasts, pochboard restarts by itself within a minute."
BY_HAND = "If this lasts, restart pochboard. Everything recorded so far is safe."


def text(*faults: tuple[str, str], restarts: bool = True) -> str:
    return fault_text(faults, restarts=restarts)


def test_each_part_that_does_not_respond_is_named() -> None:
    assert text(("table", "")) == f"{TABLE} {RESTARTS}"
    assert text(("store", "")) == f"{STORE} {RESTARTS}"
    assert text(("board", "")) == f"{BOARD} {RESTARTS}"
    assert text(("web", "")) == f"{WEB} {RESTARTS}"
    assert text(("display", ""), restarts=False) == f"{DISPLAY} {BY_HAND}"


def test_without_a_watchdog_somebody_has_to_restart_it() -> None:
    assert text(("table", ""), restarts=False) == f"{TABLE} {BY_HAND}"


def test_several_parts_in_the_same_order_every_time() -> None:
    assert text(("table", ""), ("board", "")) == f"{BOARD} {TABLE} {RESTARTS}"
    assert text(("board", ""), ("table", "")) == f"{BOARD} {TABLE} {RESTARTS}"


def test_a_ledger_that_cannot_be_written_says_why() -> None:
    why = "ledger.db is locked by another program. End that program and try again."
    assert text(("store", why)) == f"Nothing can be recorded: {why}"
