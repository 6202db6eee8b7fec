"""What a board or a client sends does not fill the journal."""

from __future__ import annotations

import contextlib
import itertools
import os
import pty
import threading
import tty

from pochboard import wire
from pochboard.server.faults import AGAIN_S, BURST, LONGEST, LogLimit
from tests.shell.daemons import Home
from tests.shell.server_kit import wait_until


def test_a_part_writes_twenty_messages_and_then_one_in_ten_seconds() -> None:
    clock_s = 0.0
    limit = LogLimit(lambda: clock_s)
    written = [limit.limited("pico", f"message {number}") for number in range(1000)]
    assert written == [f"message {number}" for number in range(BURST)] + [None] * 980
    assert limit.limited("gpio", "another part") == "another part"
    clock_s = AGAIN_S
    assert limit.limited("pico", "later") == "later (left out before this: 980 messages of pico)"
    assert limit.limited("pico", "at once") is None
    clock_s = 1000 * AGAIN_S
    written = [limit.limited("pico", "much later")]
    assert written == ["much later (left out before this: 1 messages of pico)"]
    assert limit.limited("pico", "another") == "another"


def test_a_long_message_is_cut_off() -> None:
    assert LogLimit().limited("pico", "x" * 5 * LONGEST) == "x" * LONGEST + " …"


def lines_of_a_board(fd: int, over: threading.Event, sent: list[int]) -> None:
    """A board that speaks another version each time, as fast as it can."""
    for number in itertools.count():
        if over.is_set():
            return
        message = bytes((wire.BOARD, 100 + number % 100)) + number.to_bytes(8, "little")
        with contextlib.suppress(BlockingIOError):
            os.write(fd, wire.line(message))
            sent[0] = number
            continue
        over.wait(0.001)


def test_faulty_lines_do_not_fill_the_journal(home: Home) -> None:
    host, board = pty.openpty()
    for end in (host, board):
        tty.setraw(end)
    os.set_blocking(host, False)
    home.configure(f'board = "pico"\n[pico]\nport = "{os.ttyname(board)}"\n')
    sent, over = [0], threading.Event()
    flood = threading.Thread(target=lines_of_a_board, args=(host, over, sent))
    try:
        with home.daemon() as daemon:
            flood.start()
            wait_until("it has sent thousands", lambda: sent[0] > 5000)
            wait_until("they are read", lambda: "uses version" in daemon.errors)
            assert daemon.state["board"]["link"] is False
            lines = daemon.errors.splitlines()
            assert BURST - 5 <= len([line for line in lines if "uses version" in line]) <= 60
            over.set()
            assert daemon.stop()[0] == 0
    finally:
        over.set()
        os.close(board)
        flood.join()
        os.close(host)
