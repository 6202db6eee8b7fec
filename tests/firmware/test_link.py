"""The board's side of the protocol, as far as its host does not see it (docs/PROTOCOL.md)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.link import DARK, LIT, SILENT, Link
from pochboard import wire
from pochboard.boards.pico.link import Said, said_in
from tests.core.wire.test_wire import ABOUT, BOOT, LINK, board_line, documented

PIXELS = 116
FRAME = wire.pack(wire.PIXELS, 7) + bytes((255, 0, 0)) * PIXELS
BYE = wire.pack(wire.HOST, wire.VERSION, wire.NOBODY, 12, 8, 3000, 3, 8, 2)


def host(link: int = LINK, *, version: int = wire.VERSION, ring: int = 12, size: int = 3) -> bytes:
    return wire.pack(wire.HOST, version, link, ring, 8, 3000, size, 8, 2)


class Talk:
    """A board with a clock that the test advances."""

    def __init__(self, now: int = 1000) -> None:
        self.now = now
        self.link = Link(BOOT, ABOUT, now)

    def say(self, *messages: bytes) -> None:
        self.link.receive(b"".join(map(wire.line, messages)), self.now)

    def pass_ms(self, passed: int) -> list[Said]:
        """Advances the clock; returns what the board has said."""
        said: list[Said | None] = []
        for _ in range(passed):
            self.now = (self.now + 1) % wire.TICKS
            self.link.tick(self.now)
            data = self.link.waiting()
            self.link.sent(len(data))
            said += map(said_in, wire.LineReader().feed(data))
        return [one for one in said if one is not None]

    def edge(self, button: int, down: bool) -> None:
        self.link.edge(button, down, self.now)


def greeted(now: int = 1000) -> Talk:
    talk = Talk(now)
    talk.say(host())
    assert talk.pass_ms(1)[0].link == LINK
    talk.pass_ms(600)
    talk.say(host())
    return talk


def test_the_documented_lines_of_the_board_are_what_it_says() -> None:
    sent = {says.split(":")[0]: data for says, _, data in documented()}
    talk = Talk()
    talk.link.tick(talk.now)
    assert talk.link.waiting() == sent["the board has just started"]


def test_the_line_goes_out_at_once_then_25_times_and_then_at_leisure() -> None:
    talk = greeted()
    talk.pass_ms(100)
    talk.edge(9, True)
    said = talk.pass_ms(501)
    clocks = [one.clock for one in said]
    assert clocks == list(range(clocks[0], clocks[0] + 501, 20))
    assert clocks[0] == talk.now - 500, "at once"
    assert {(one.contacts, one.presses[9], len(one.edges)) for one in said} == {(1 << 9, 1, 1)}
    assert [one.edges[0][2] for one in said] == [clock - clocks[0] + 1 for clock in clocks]
    assert 9 <= len(talk.pass_ms(400)) <= 10, "more often while a button is held"
    talk.edge(9, False)
    talk.say(host())
    talk.pass_ms(600)
    assert len(talk.pass_ms(1000)) == 4
    assert talk.pass_ms(1000)[-1].edges == [], "after 2 s nobody would count it"


def test_edges_that_change_nothing_are_none() -> None:
    talk = greeted()
    for down in (False, True, True, False, False):
        talk.edge(5, down)
    said = talk.pass_ms(1)[0]
    assert [edge[:2] for edge in said.edges] == [(5, True), (5, False)]
    assert (said.presses[5], said.contacts) == (1, 0)


def test_presses_are_counted_modulo_256_and_the_last_32_edges_are_kept() -> None:
    talk = greeted()
    for _ in range(257):
        for down in (True, False):
            talk.edge(18, down)
    said = talk.pass_ms(1)[0]
    assert (said.presses[18], len(said.edges)) == (1, wire.MAX_EDGES)


def test_press_long_after_a_scanner_reset_counts_even_after_clock_wraparound() -> None:
    talk = greeted()
    reset_at = talk.now
    talk.link.scanner_reset(reset_at)
    talk.pass_ms(3000)
    talk.link.edge(4, True, reset_at + 5)
    assert talk.pass_ms(1)[0].presses[4] == 1


@pytest.mark.parametrize("start", [1000, wire.TICKS - 1000, wire.TICKS - 1])
@pytest.mark.parametrize("message", [host(), FRAME])
def test_host_is_silent_after_two_seconds_without_a_message(start: int, message: bytes) -> None:
    talk = greeted(start)
    talk.pass_ms(1999)
    talk.say(message)
    talk.pass_ms(1999)
    assert talk.link.state == LIT
    said = talk.pass_ms(1)
    assert (talk.link.state, said[-1].link) == (SILENT, wire.NOBODY)
    talk.say(host())
    assert talk.link.state == SILENT, "that link is over"
    talk.say(host(LINK + 1))
    assert (talk.link.state, talk.pass_ms(1)[0].link) == (LIT, LINK + 1)
    assert talk.link.frame is None


@pytest.mark.parametrize("silent", [False, True])
def test_goodbye_makes_the_board_dark(silent: bool) -> None:
    talk = greeted()
    talk.say(FRAME)
    if silent:
        talk.pass_ms(2000)
    talk.say(BYE, BYE)
    assert (talk.link.state, talk.link.frame) == (DARK, None)
    assert talk.pass_ms(1)[0].link == wire.NOBODY
    talk.say(FRAME)
    talk.pass_ms(5000)
    assert (talk.link.state, talk.link.frame) == (DARK, None)


@pytest.mark.parametrize(
    "message",
    [
        host(LINK + 1, version=0), host(LINK + 1, version=2) + b"of another length",
        host(LINK + 1)[:-1], board_line(9), b"\x15 of no known kind", b"\x7f",
    ],
)  # fmt: skip
def test_other_versions_echoes_and_short_messages_are_no_sign_of_life(message: bytes) -> None:
    talk = greeted()
    talk.pass_ms(1999)
    talk.say(message)
    talk.pass_ms(1)
    assert talk.link.state == SILENT


@pytest.mark.parametrize(
    ("message", "size"),
    [(FRAME[:3], 0), (FRAME[:-1], 3 * PIXELS - 1), (FRAME + b"\0" * 3, 3 * PIXELS + 3)],
)
def test_frame_of_wrong_length_is_ignored(message: bytes, size: int) -> None:
    talk = greeted()
    talk.say(wire.pack(wire.PIXELS, 6) + bytes(3 * PIXELS), message)
    assert talk.link.frame == bytes(3 * PIXELS), size


@pytest.mark.parametrize(("ring", "size"), [(65, 3), (255, 4), (12, 2), (12, 5)])
def test_unsupported_layout_stays_dark_and_reports_presses(ring: int, size: int) -> None:
    talk = Talk()
    talk.say(host(ring=ring, size=size), wire.pack(wire.PIXELS, 1), FRAME)
    assert talk.link.frame is None
    talk.edge(9, True)
    assert talk.pass_ms(1)[0].presses[9] == 1


def test_each_number_is_carried_out_once() -> None:
    talk = greeted()
    tune = wire.pack(wire.TUNE, 1, 200) + wire.notes_data(((440, 10),))
    for link in (LINK, LINK + 1):
        talk.say(host(link), tune)
        assert talk.link.tune == tune
        talk.link.tune = None
        talk.say(tune)
        assert talk.link.tune is None


def test_host_that_does_not_read_fills_no_memory() -> None:
    talk = greeted()
    talk.edge(9, True)
    for _ in range(600):
        talk.now += 100
        talk.say(host())
        talk.link.tick(talk.now)
        assert len(talk.link.waiting()) < 200
    talk.link.sent(len(talk.link.waiting()))
    assert talk.pass_ms(1)[0].clock == talk.now, "the next line is new"


def test_pulled_cable_leaves_no_partial_lines() -> None:
    talk = greeted()
    talk.link.tick(talk.now + 300)
    talk.link.sent(10)
    talk.link.receive(wire.line(host())[:5], talk.now)
    talk.link.line_lost()
    assert talk.link.waiting() == wire.END, "it ends what the other end may have half"
    talk.say(host(LINK + 1))
    said = talk.pass_ms(2)[-1]
    assert (said.link, said.spoiled) == (LINK + 1, 0)


bytes_ = st.integers(0, 255) | st.sampled_from([3, 4, 8, 12])
happenings = st.one_of(
    st.builds(
        wire.pack, st.just(wire.HOST), st.sampled_from([0, 1, 1, 1, 2]),
        st.sampled_from([0, 1, LINK, LINK + 1]), bytes_, bytes_, st.integers(0, 65535),
        bytes_, bytes_, bytes_,
    ),
    st.builds(lambda n, data: wire.pack(wire.PIXELS, n) + data, bytes_, st.binary(max_size=400)),
    st.binary(min_size=1, max_size=40),
    st.tuples(st.integers(0, 18), st.booleans()),
    st.integers(1, 3000),
    st.sampled_from(["scanner", "line"]),
)  # fmt: skip


@settings(deadline=None)
@given(st.lists(happenings, max_size=40), st.integers(0, wire.TICKS - 1))
def test_board_keeps_its_invariants_in_any_sequence_of_events(
    happened: list[bytes | tuple[int, bool] | int | str], start: int
) -> None:
    talk = Talk(start)
    link = talk.link
    for what in happened:
        match what:
            case bytes():
                link.receive(wire.line(what) + what, talk.now)
            case (button, down):
                link.edge(button, down, talk.now)
            case int():
                talk.now = (talk.now + what) % wire.TICKS
            case "scanner":
                link.scanner_reset(talk.now)
            case _:
                link.line_lost()
        for said in talk.pass_ms(1):
            assert (said.link == wire.NOBODY) == (link.state != LIT)
            assert len(said.edges) <= wire.MAX_EDGES
            assert all(ago < 2000 for _, _, ago in said.edges)
        if link.frame is not None:
            assert link.layout is not None
            assert len(link.frame) == 3 * link.layout.pixels <= 3 * wire.MAX_PIXELS
