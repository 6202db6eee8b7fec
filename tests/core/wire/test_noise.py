"""Both sides of the wire over a line that loses and spoils what they say, in simulated time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.link import LIT
from firmware.link import Link as Board
from pochboard import wire
from pochboard.boards.base import Tune
from pochboard.boards.pico.link import Layout, Link
from pochboard.buttons.press import BUTTONS, Edge
from tests.core.wire.noise import spoil
from tests.core.wire.test_wire import ABOUT, BOOT, board_line

LAYOUT = Layout(pixels_per_ring=12, places=8, limit_ma=3000)
PIXELS = 116
LINK = 0x5EED
CROSSING_MS = 1
BYTES_A_MS = 100
"""The least that full-speed USB carries."""
LONG_US = 800_000

Keep = Callable[[bytes], bool]


class Way:
    """One direction: bytes arrive in order after a delay, some corrupted, some lines missing."""

    def __init__(self, random: Random) -> None:
        self.noise = 0.0
        self.cut = False
        self.keep: Keep = lambda line: True
        """Asked for each line: whether it arrives."""
        self._random = random
        self._queue: deque[tuple[int, bytes]] = deque()

    def send(self, data: bytes, now_ms: int) -> None:
        lines = [one + wire.END for one in data.split(wire.END)[:-1]]
        data = b"".join(one for one in lines if self.keep(one))
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


def done(*_: object, **__: object) -> Any:
    """Stands in for the calls of a sink that a test ignores."""


class Line:
    """A host and a board at the two ends of a line, with a simulated clock."""

    buttons = BUTTONS
    edge = release_all = staticmethod(done)

    def __init__(self, seed: int, start_ms: int = 0) -> None:
        self.random = Random(seed)
        self.now_ms = start_ms
        self.link = Link(LINK, LAYOUT, start_ms * 1000)
        self.link.sink = self
        about = *ABOUT[:3], wire.DISPLAY | wire.SOUND, *ABOUT[4:]
        self.board = Board(BOOT, about, start_ms % wire.TICKS)
        self.to_board, self.to_host = Way(self.random), Way(self.random)
        self.pressed: list[tuple[str, bool, int]] = []
        self.recorded: list[tuple[str, bool, int]] = []
        self.links: list[bool] = []
        self.known_us: dict[str, int] = {}
        self.pictures: list[bytes] = []
        self.tunes: list[bytes] = []

    @property
    def edges(self) -> list[tuple[str, bool]]:
        return [edge[:2] for edge in self.recorded]

    def noise(self, part: float) -> None:
        self.to_board.noise = self.to_host.noise = part

    def cut(self, cut: bool) -> None:
        self.to_board.cut = self.to_host.cut = cut

    def move(self, button: str, down: bool) -> None:
        self.pressed.append((button, down, self.now_ms * 1000))
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
        if board.tune:
            self.tunes.append(board.tune)
        if board.picture:
            self.pictures.append(wire.data_of(board.picture))
        board.tune = board.picture = None
        data = board.waiting()
        board.sent(len(data))
        self.to_host.send(data, self.now_ms)

    def _host_turn(self) -> None:
        now_us, link = self.now_ms * 1000, self.link
        link.received(self.to_host.arrived(self.now_ms), now_us)
        while now_us >= link.due_us():
            self.to_board.send(link.to_send(now_us), self.now_ms)

    def set_link(self, up: bool, *, has_sound: bool | None = None) -> None:
        self.links.append(up)

    def edges_at_once(self, edges: Sequence[Edge], **_: object) -> Any:
        self.recorded += edges

    def known_down(self, button: str, until_us: int) -> None:
        self.known_us[button] = until_us

    def greet(self) -> None:
        self.run(20)
        assert self.links == [True]
        self.links.clear()

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
        self.link.show(colours, self.now_ms * 1000)
        return colours

    def assert_recorded(self) -> None:
        """Exactly the presses that were made have arrived, and when they were made."""
        assert self.edges == [edge[:2] for edge in self.pressed]
        for (_, _, made_us), (_, _, at_us) in zip(self.pressed, self.recorded, strict=True):
            # The difference is the shortest delay of a line.
            assert 0 <= at_us - made_us <= 5_000


seeds = st.integers(0, 2**32)


def one_in_three(chance: Random) -> Keep:
    """Of each three lines of a kind one arrives, whichever."""
    left: dict[int, list[bool]] = {}

    def keep(line: bytes) -> bool:
        rest = left.setdefault(line[0], [])
        if not rest:
            rest.extend((True, False, False))
            chance.shuffle(rest)
        return rest.pop()

    return keep


@settings(max_examples=40, deadline=None)
@given(seeds, st.sampled_from((0, wire.TICKS - 4000)))
def test_while_one_line_in_three_arrives_exactly_the_presses_made_are_recorded(
    seed: int, start_ms: int
) -> None:
    line = Line(seed, start_ms)
    line.greet()
    line.run(600)
    line.to_board.keep, line.to_host.keep = one_in_three(line.random), one_in_three(line.random)
    for _ in range(3):
        line.fidget(8)
        newest = line.frame()
        line.run(line.random.randrange(500, 3000))
        assert line.board.frame == newest
        line.assert_recorded()
    assert line.links == []


@settings(max_examples=20, deadline=None)
@given(seeds, st.sampled_from((0.001, 0.005, 0.01)))
def test_noise_loses_no_press_and_no_frame(seed: int, noise: float) -> None:
    line = Line(seed)
    line.greet()
    line.run(600)
    line.noise(noise)
    line.fidget(30)
    newest = line.frame()
    line.run(1500)
    line.assert_recorded()
    if noise < 0.005:
        assert line.board.frame == newest
    assert line.links == []
    line.noise(0.0)
    line.run(1100)
    assert line.board.frame == newest


@settings(max_examples=20, deadline=None)
@given(seeds)
def test_lines_that_arrive_twice_are_no_double_press(seed: int) -> None:
    line = Line(seed)
    line.greet()
    line.run(600)
    once = line.to_host.send
    line.to_host.send = lambda data, now_ms: once(3 * data, now_ms)  # type: ignore[method-assign]
    line.fidget(20)
    line.run(100)
    line.assert_recorded()


def test_a_press_between_two_lines_comes_whole() -> None:
    line = Line(1)
    line.greet()
    line.run(600)
    line.to_host.cut = True
    line.run(10)
    for button in ("seat1", "ace", "seat1"):
        for down in (True, False):
            line.move(button, down)
            line.run(30)
    line.to_host.cut = False
    line.run(60)
    line.assert_recorded()


@settings(max_examples=20, deadline=None)
@given(seeds, st.booleans())
def test_after_a_cut_both_sides_find_each_other_within_a_second(seed: int, one_way: bool) -> None:
    line = Line(seed)
    line.greet()
    line.fidget(3)
    line.run(100)
    line.to_host.cut = True
    line.to_board.cut = not one_way
    line.run(2000)
    assert line.link.firmware is None, "the board is taken for lost within two seconds"
    assert False in line.links
    # A press during the cut is never recorded.
    line.move("ace", True)
    line.run(line.random.randrange(2500))
    known = list(line.edges)
    line.cut(False)
    newest = line.frame()
    line.run(1000)
    assert line.link.firmware is not None
    assert line.board.frame == newest
    assert line.board.state == LIT
    line.move("ace", False)
    line.run(100)
    assert line.edges == known, "a button held meanwhile counts from its next down"
    line.pressed.clear()
    line.recorded.clear()
    line.fidget(5)
    line.run(100)
    line.assert_recorded()


def test_a_restarted_board_counts_from_its_next_press() -> None:
    line = Line(2)
    line.greet()
    newest = line.frame()
    line.move("seat1", True)
    line.run(50)
    assert line.edges == [("seat1", True)]
    line.board = Board(977, ABOUT, line.now_ms)
    line.run(500)
    assert False in line.links
    assert line.board.frame == newest
    for down in (True, False):
        line.move("seat1", down)
    line.run(50)
    assert line.edges == [("seat1", True), ("seat1", True), ("seat1", False)]


@settings(max_examples=30, deadline=None)
@given(seeds, st.integers(0, 1500), st.integers(10, 1400))
def test_a_stall_neither_lengthens_nor_shortens_a_press(
    seed: int, before_ms: int, held_ms: int
) -> None:
    """The table decides by the time for which the button is known to be held, not by its own."""
    line = Line(seed)
    line.greet()
    line.run(600)
    line.move("seat1", True)
    line.run(held_ms // 2)
    stalled_ms = min(1900, before_ms + held_ms - held_ms // 2)
    for passed in range(stalled_ms):
        if passed == held_ms - held_ms // 2:
            line.move("seat1", False)
        line.run(1, stalled=True)
        if passed < held_ms - held_ms // 2:
            continue
        known_us = line.known_us.get("seat1", 0) - line.pressed[0][2]
        assert known_us <= held_ms * 1000, "it never seems to be held for longer than it was"
    line.run(300)
    if len(line.pressed) == 2:
        line.assert_recorded()
        assert line.known_us["seat1"] == line.recorded[1][2], "up to its release"


def test_a_held_button_is_known_to_be_held_in_time_for_a_long_press() -> None:
    line = Line(5)
    line.greet()
    line.run(600)
    line.to_host.keep = one_in_three(line.random)
    line.move("seat1", True)
    line.run(1000)
    known_us = line.known_us["seat1"] - line.pressed[0][2]
    assert LONG_US <= known_us <= 1_005_000


@settings(max_examples=20, deadline=None)
@given(seeds, st.integers(2100, 8000))
def test_what_waited_in_buffers_while_the_host_stood_still_is_not_recorded_late(
    seed: int, stall_ms: int
) -> None:
    line = Line(seed)
    line.greet()
    line.run(600)
    for down in (True, False):
        line.move("ace", down)
        line.run(50, stalled=True)
    line.run(stall_ms - 100, stalled=True)
    line.run(1000)
    assert line.edges == []
    assert line.links == [False, True]
    line.pressed.clear()
    line.fidget(5)
    line.run(100)
    line.assert_recorded()


def test_damaged_lines_are_counted_at_both_ends() -> None:
    line = Line(12)
    line.greet()
    line.noise(0.01)
    line.fidget(40)
    line.noise(0.0)
    line.run(500)
    assert line.link.spoiled_here > 3
    assert line.link.spoiled_there > 3


@pytest.mark.parametrize("seed", range(10))
def test_each_tune_is_played_once_and_the_newest_picture_is_drawn(seed: int) -> None:
    line = Line(seed)
    line.greet()
    line.to_board.keep = one_in_three(line.random)
    made, picture = [], b""
    for pitch in range(200, 210):
        tune = Tune(((pitch, 80),), 200)
        made.append([(pitch, 80)])
        line.link.play(tune, line.now_ms * 1000)
        picture = line.random.randbytes(1024)
        line.link.show_screen(picture, 31, line.now_ms * 1000)
        line.run(500)
    assert [wire.notes_of(tune) for tune in line.tunes] == made
    line.run(4000)
    assert line.pictures[-1] == picture
    drawn = len(line.pictures)
    line.run(10_000)
    assert 2 <= len(line.pictures) - drawn <= 10, "a display may have lost its picture"
    assert len(line.tunes) == len(made)


def test_frames_pictures_and_tunes_are_repeated_as_documented() -> None:
    line = Line(1)
    line.greet()
    line.run(100)
    sent: dict[int, list[tuple[int, int]]] = {}
    honest, begun = line.to_board.send, line.now_ms + 1

    def noted(data: bytes, now_ms: int) -> None:
        for message in wire.LineReader().feed(data):
            sent.setdefault(message[0], []).append((now_ms - begun, message[1]))
        honest(data, now_ms)

    line.to_board.send = noted  # type: ignore[method-assign]
    line.frame()
    line.link.show_screen(bytes(1024), 31, line.now_ms * 1000)
    line.link.play(Tune(((440, 80),), 200), line.now_ms * 1000)
    line.run(2500)
    assert [at for at, _ in sent[wire.PIXELS]] == [*range(0, 400, 50), 1350, 2350]
    assert sent[wire.PICTURE] == [(0, 1), (100, 1), (200, 1), (1200, 2), (2200, 3)]
    assert sent[wire.TUNE] == [(25 * count, 1) for count in range(16)]
    beats = [at for at, _ in sent[wire.HOST]]
    assert [later - at for at, later in pairwise(beats)] == [250] * (len(beats) - 1)
    assert len(beats) == 10


@pytest.mark.parametrize(
    ("message", "found", "fix"),
    [
        (bytes((wire.BOARD, 0)), "version 0 of the protocol", "pochboard firmware install"),
        (bytes((wire.BOARD, 2)) + b"more", "version 2 of the protocol", "Update pochboard."),
        (board_line(9), "board E6614C311B7D7A2F, not E6614C311B7D7A2E", "Plug in the other board"),
    ],
)
def test_a_board_that_does_not_fit_is_refused_with_what_to_do(
    message: bytes, found: str, fix: str
) -> None:
    link = Link(LINK, LAYOUT, 0, board="E6614C311B7D7A2E")
    link.received(wire.line(message), 0)
    assert link.firmware is None
    assert link.refused is not None
    assert found in link.refused.found
    assert fix in link.refused.fix


@given(st.lists(st.binary(max_size=100), max_size=5), st.integers(0, 2**20))
def test_no_line_of_a_hostile_board_breaks_the_host(tails: list[bytes], contacts: int) -> None:
    line = Line(0)
    link = line.link
    link.received(wire.line(board_line(9)), 0)
    for count, tail in enumerate(tails):
        fields = wire.VERSION, BOOT, LINK, count * 1000, 0, *ABOUT, contacts
        message = wire.pack(wire.BOARD, *fields, *(tail.ljust(19)[:19])) + tail[19:]
        link.received(wire.line(message), count * 1000)
    assert all(name in BUTTONS for name, _ in line.edges)
