"""Both sides of the wire over a noisy line, in simulated time."""

from __future__ import annotations

from collections import deque
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.session import LIT, SILENT, Greeting, Session
from pochboard import wire
from pochboard.boards.pico.link import (
    Dropped,
    EdgeReported,
    Found,
    Layout,
    Link,
    Lost,
    Released,
    Unusable,
)
from pochboard.buttons.press import BUTTONS
from tests.core.wire.noise import spoil

LAYOUT = Layout(pixels_per_ring=12, places=8, limit_ma=3000)
PIXELS = 116
HOST, SESSION = 0x5EED, 41
CROSSING_MS = 1
BYTES_A_MS = 100
"""The least that full-speed USB carries."""


class Way:
    """One direction of the line: bytes arrive in order after a delay, some of them corrupted."""

    def __init__(self, random: Random) -> None:
        self.noise = 0.0
        self.cut = False
        self._random = random
        self._queue: deque[tuple[int, bytes]] = deque()

    def send(self, data: bytes, now_ms: int) -> None:
        for at in range(0, len(data), BYTES_A_MS):
            late = CROSSING_MS + at // BYTES_A_MS
            self._queue.append(
                (now_ms + late, spoil(data[at : at + BYTES_A_MS], self.noise, self._random))
            )

    def arrived(self, now_ms: int) -> bytes:
        received = b""
        while self._queue and self._queue[0][0] <= now_ms:
            received += self._queue.popleft()[1]
        return b"" if self.cut else received


class Line:
    """A host and a board at the two ends of a line, with a simulated clock."""

    def __init__(self, seed: int, start_ms: int = 0, *, board: Session | None = None) -> None:
        self.random = Random(seed)
        self.now_ms = start_ms
        self.link = Link(HOST, LAYOUT, start_ms * 1000)
        self.board = board or Session(SESSION, Greeting((0, 1, 0)), start_ms % wire.TICKS)
        self.to_board, self.to_host = Way(self.random), Way(self.random)
        self.pressed: list[tuple[str, bool]] = []
        self.recorded: list[tuple[str, bool, int]] = []
        self.events: list[object] = []
        self._recording: deque[tuple[int, EdgeReported]] = deque()

    @property
    def edges(self) -> list[tuple[str, bool]]:
        return [(button, down) for button, down, _ in self.recorded]

    def noise(self, part: float) -> None:
        self.to_board.noise = self.to_host.noise = part

    def move(self, button: str, down: bool) -> None:
        self.pressed.append((button, down))
        self.board.edge(BUTTONS.index(button), down, self.now_ms % wire.TICKS)

    def run(self, milliseconds: int, *, stalled: bool = False) -> None:
        """Lets time pass; a host that is stalled neither reads nor sends."""
        for _ in range(milliseconds):
            self.now_ms += 1
            self._board_turn()
            if not stalled:
                self._host_turn()

    def _board_turn(self) -> None:
        now, board = self.now_ms % wire.TICKS, self.board
        board.receive(self.to_board.arrived(self.now_ms), now)
        board.tick(now)
        board.shown()
        data = board.waiting()
        board.sent(len(data))
        self.to_host.send(data, self.now_ms)

    def _host_turn(self) -> None:
        now_us, link = self.now_ms * 1000, self.link
        events = link.received(self.to_host.arrived(self.now_ms), now_us)
        events += link.overdue(now_us)
        for event in events:
            if isinstance(event, EdgeReported):
                self.recorded.append((event.button, event.down, event.at_us))
                # The table takes a moment to commit.
                self._recording.append((self.now_ms + self.random.randrange(4), event))
            else:
                self.events.append(event)
        while self._recording and self._recording[0][0] <= self.now_ms:
            link.recorded(self._recording.popleft()[1])
        if now_us >= link.due_us():
            self.to_board.send(link.to_send(now_us), self.now_ms)

    def greet(self) -> None:
        self.run(10)
        assert any(isinstance(event, Found) for event in self.events)
        self.events.clear()

    def fidget(self, presses: int) -> None:
        """Somebody presses buttons, singly and two together."""
        random = self.random
        held: list[str] = []
        for _ in range(2 * presses):
            self.run(random.randrange(1, 120))
            if held and (len(held) == 3 or random.random() < 0.5):
                self.move(held.pop(random.randrange(len(held))), False)
            else:
                button = random.choice([name for name in BUTTONS if name not in held])
                held.append(button)
                self.move(button, True)
        for button in held:
            self.move(button, False)

    def frame(self) -> bytes:
        colours = self.random.randbytes(3 * PIXELS)
        self.link.show(colours)
        return colours


seeds = st.integers(0, 2**32)


@settings(max_examples=25)
@given(seeds)
def test_at_a_thousandth_every_press_comes_once_and_the_last_frame_within_a_second(
    seed: int,
) -> None:
    line = Line(seed)
    line.greet()
    line.noise(0.001)
    for _ in range(5):
        line.fidget(10)
        newest = line.frame()
        line.run(1000)
        assert line.board.frame == newest
        assert line.edges == line.pressed
    assert line.board.dropped == 0
    assert line.events == []


@settings(max_examples=25)
@given(seeds)
def test_at_a_hundredth_every_press_comes_once_and_the_line_is_back_within_a_second(
    seed: int,
) -> None:
    line = Line(seed)
    line.greet()
    line.noise(0.01)
    line.frame()
    line.fidget(40)
    line.run(1500)
    assert line.edges == line.pressed
    newest = line.frame()
    line.noise(0.0)
    line.run(1000)
    assert line.board.frame == newest
    assert line.board.dropped == 0
    assert not any(isinstance(event, Lost) for event in line.events)


@settings(max_examples=25)
@given(seeds, st.sampled_from((0, wire.TICKS - 3000)))
def test_a_press_keeps_its_time(seed: int, start_ms: int) -> None:
    """Also when the board's clock wraps, and when edges are repeated."""
    line = Line(seed, start_ms)
    line.greet()
    line.noise(0.005)
    moved: list[int] = []
    for _ in range(20):
        for down in (True, False):
            line.run(line.random.randrange(5, 200))
            moved.append(line.now_ms)
            line.move("pinke", down)
    line.run(1000)
    assert line.edges == line.pressed
    for at_ms, (_, _, at_us) in zip(moved, line.recorded, strict=True):
        # The difference is the delay of the message, and one step of the clock.
        assert 0 <= at_us - at_ms * 1000 <= 10_000


@settings(max_examples=20)
@given(seeds, st.booleans())
def test_after_a_cut_both_sides_find_each_other_within_a_second(seed: int, one_way: bool) -> None:
    line = Line(seed)
    line.greet()
    line.fidget(3)
    line.run(100)
    line.to_host.cut = True
    line.to_board.cut = not one_way
    cut_ms = 2500 + line.random.randrange(1000)
    line.run(1600)
    assert line.link.firmware is None, "the board is taken for lost within two seconds"
    assert Lost() in line.events
    # A press during the cut is never recorded late.
    line.move("ace", True)
    line.run(cut_ms)
    line.move("ace", False)
    known = list(line.edges)
    line.to_host.cut = line.to_board.cut = False
    newest = line.frame()
    line.run(1000)
    assert line.link.firmware is not None
    assert line.board.frame == newest
    assert line.board.state == LIT
    # The release may be reported, but means nothing without its press.
    assert line.edges in (known, [*known, ("ace", False)])
    line.pressed.clear()
    line.recorded.clear()
    line.fidget(5)
    line.run(100)
    assert line.edges == line.pressed


def test_what_is_pressed_before_a_silence_is_dropped_and_reported() -> None:
    line = Line(1)
    line.greet()
    line.to_host.cut = line.to_board.cut = True
    line.move("ace", True)
    line.move("ace", False)
    line.run(2100)
    assert line.board.state == SILENT
    assert line.board.dropped == 2
    line.to_host.cut = line.to_board.cut = False
    line.run(1000)
    assert line.edges == []
    assert Dropped(2) in line.events


def test_a_restarted_board_is_greeted_again_and_what_it_held_is_let_go() -> None:
    line = Line(2)
    line.greet()
    newest = line.frame()
    line.move("seat1", True)
    line.run(50)
    assert line.edges == [("seat1", True)]
    line.board = Session(977, Greeting((0, 1, 0)), line.now_ms)
    line.run(1000)
    assert Lost() in line.events
    assert line.board.frame == newest
    assert any(isinstance(event, Released) for event in line.events)
    line.move("seat1", True)
    line.run(50)
    assert line.edges == [("seat1", True)] * 2


def test_another_host_records_nothing_that_the_first_may_have_recorded() -> None:
    line = Line(3)
    line.greet()
    line.to_host.cut = True
    line.move("next", True)
    line.run(20)
    line.to_host.cut = False
    line.link = Link(HOST + 1, LAYOUT, line.now_ms * 1000)
    line.run(1000)
    assert line.edges == []
    assert line.board.dropped == 1


@pytest.mark.parametrize("noise", [0.0, 0.01])
def test_an_echo_of_ones_own_words_is_passed_over(noise: float) -> None:
    line = Line(4)
    line.greet()
    line.noise(noise)
    honest = line.to_host.send

    def echoing(data: bytes, now_ms: int) -> None:
        honest(data, now_ms)

    sent = line.to_board.send

    def and_back(data: bytes, now_ms: int) -> None:
        sent(data, now_ms)
        honest(data, now_ms)

    line.to_host.send = echoing  # type: ignore[method-assign]
    line.to_board.send = and_back  # type: ignore[method-assign]
    line.fidget(20)
    line.run(1500)
    assert line.edges == line.pressed


@settings(max_examples=40)
@given(seeds, st.integers(2300, 8000))
def test_what_waited_in_buffers_while_the_host_stood_still_is_not_recorded_late(
    seed: int, stall_ms: int
) -> None:
    line = Line(seed)
    line.greet()
    line.run(600)
    line.run(50, stalled=True)
    for down in (True, False):
        line.move("ace", down)
        line.run(50, stalled=True)
    line.run(stall_ms - 150, stalled=True)
    line.run(2000)
    assert line.edges == []
    assert any(isinstance(event, Dropped) for event in line.events)
    made = len(line.pressed)
    line.fidget(5)
    line.run(100)
    assert line.edges == line.pressed[made:]


def test_the_numbers_of_frames_begin_again_after_the_largest_that_a_message_holds() -> None:
    line = Line(9)
    line.greet()
    for _ in range(wire.MAX_NUMBER - 1):
        line.link.show(b"")
    for _ in range(3):
        newest = line.frame()
        line.run(600)
        assert line.board.frame == newest


def test_a_new_frame_is_due_at_once() -> None:
    line = Line(10)
    line.greet()
    line.run(610)
    assert line.link.due_us() > line.now_ms * 1000
    line.frame()
    assert line.link.due_us() <= line.now_ms * 1000


def test_what_came_late_while_the_table_was_busy_counts_in_its_own_session_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    line = Line(8)
    line.greet()
    line.run(600)
    with monkeypatch.context() as busy:
        busy.setattr(line.link, "recorded", lambda _: None)
        line.move("ace", True)
        line.run(100)
        line.run(50, stalled=True)
        line.move("ace", False)
        line.run(2500, stalled=True)
        line.run(2000)
    line.recorded.clear()
    sent: list[bytes] = []
    pass_on = line.to_board.send

    def record(data: bytes, now_ms: int) -> None:
        sent.append(data)
        pass_on(data, now_ms)

    line.to_board.send = record  # type: ignore[method-assign]
    line.move("next", True)
    line.run(100)
    assert line.edges == [("next", True)]
    decoder = wire.FrameDecoder()
    messages = [wire.unpack(message) for data in sent for message in decoder.feed(data)]
    seen = [fields[2] for fields in messages if fields and fields[0] == wire.SEEN]
    assert seen[-1] == 1, "the board may forget this edge only"


@settings(max_examples=40)
@given(seeds, st.integers(100, 1800), st.integers(20, 1000))
def test_a_press_keeps_its_length_through_a_stall(seed: int, stall_ms: int, held_ms: int) -> None:
    line = Line(seed)
    line.greet()
    line.run(600)
    line.run(stall_ms // 4, stalled=True)
    line.move("seat1", True)
    line.run(min(held_ms, stall_ms // 2), stalled=True)
    line.move("seat1", False)
    line.run(stall_ms // 4, stalled=True)
    line.run(500)
    (_, _, down_us), (_, _, up_us) = line.recorded
    assert abs((up_us - down_us) - min(held_ms, stall_ms // 2) * 1000) <= 5_000


def test_what_the_board_dropped_is_reported_without_letting_go_of_what_is_held_now() -> None:
    line = Line(6)
    line.greet()
    line.board.scanner_overflowed(3, line.now_ms)
    line.run(100)
    line.move("next", True)
    line.run(600)
    released = [event for event in line.events if isinstance(event, Released)]
    assert released == [Released()], "once, as the session began"
    assert Dropped(3) in line.events
    line.move("next", False)
    line.run(100)
    assert line.edges == [("next", True), ("next", False)]


def test_another_host_on_the_line_is_not_answered_in_a_storm() -> None:
    line = Line(8)
    line.greet()
    sent = 0
    strange = Session(5, Greeting((0, 1, 0)), 0)
    strange.receive(wire.frame(LAYOUT.hello(HOST + 9)), 0)
    greeting = strange.waiting()
    for _ in range(1000):
        line.now_ms += 1
        now_us = line.now_ms * 1000
        line.link.received(greeting, now_us)
        if now_us >= line.link.due_us():
            sent += bool(line.link.to_send(now_us))
    assert sent <= 5


def test_damaged_frames_are_counted_at_both_ends() -> None:
    line = Line(12)
    line.greet()
    assert (line.link.spoiled_here, line.link.spoiled_there) == (0, 0)
    line.noise(0.01)
    line.fidget(40)
    line.noise(0.0)
    line.run(500)
    assert line.link.spoiled_here > 3
    assert line.link.spoiled_there > 3


def greeting(version: int = wire.VERSION, places: int = 8, pixels: int = wire.MAX_PIXELS) -> bytes:
    fields = version, HOST, SESSION, 0, 1, 0, places, pixels, 0, 0, 0xE6614C311B7D7A2F, 0, 12, 3
    return wire.pack(wire.GREETING, *fields)


@pytest.mark.parametrize(
    ("message", "found", "fix"),
    [
        (greeting(version=1)[:18], "version 1 of the protocol", "pochboard firmware install"),
        (greeting(version=3) + b"more", "version 3 of the protocol", "Update pochboard."),
        (greeting(places=6), "buttons for 6 places, not 8", "Set places = 6"),
        (greeting(pixels=60), "at most 60 pixels, not 116", "a smaller pixels_per_ring"),
        (greeting(), "board E6614C311B7D7A2F, not E6614C311B7D7A2E", "Plug in the other board"),
    ],
)
def test_a_board_that_does_not_fit_is_refused_with_what_to_do(
    message: bytes, found: str, fix: str
) -> None:
    link = Link(HOST, LAYOUT, 0, board="E6614C311B7D7A2E")
    (event,) = link.received(wire.frame(message), 0)
    assert isinstance(event, Unusable)
    assert event.problem == link.refused
    assert link.firmware is None
    assert found in event.problem.found
    assert fix in event.problem.fix


def test_the_wanted_board_is_found() -> None:
    line = Line(13, board=Session(SESSION, Greeting((0, 1, 0), id_=0xE6614C311B7D7A2F), 0))
    line.link = Link(HOST, LAYOUT, 0, board="E6614C311B7D7A2F")
    line.run(10)
    assert line.link.firmware is not None
