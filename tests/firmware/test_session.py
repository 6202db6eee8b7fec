"""The board's side of the protocol: every rule of docs/PROTOCOL.md sections 3 to 5."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.session import DARK, LIT, SILENT
from pochboard import wire
from tests.core.wire.test_wire import documented
from tests.firmware.host_side import (
    BEAT,
    BYE,
    HOST,
    OTHER_HOST,
    PIXELS,
    RED,
    SESSION,
    Talk,
    alive,
    edges_in,
    greeted,
    greeting,
    hello,
    of_kind,
)

SEEN = wire.pack(wire.SEEN, SESSION, 1)
FRAME = wire.pack_pixels(7, RED * PIXELS)

# Greeting and heartbeat


def test_the_documented_hello_gets_the_documented_greeting() -> None:
    sent = {says.split(":")[0]: data for says, _, data in documented()}
    talk = Talk()
    talk.session.receive(sent["the host greets"], talk.now)
    assert talk.session.waiting() == sent["the board answers"]


def test_before_the_first_greeting_the_board_is_dark_and_says_nothing() -> None:
    talk = Talk()
    assert talk.session.state == DARK
    assert talk.pass_ms(5000) == []


@pytest.mark.parametrize("message", [BEAT, FRAME, SEEN, BYE])
def test_message_before_hello_is_answered_with_an_empty_greeting(message: bytes) -> None:
    talk = Talk()
    assert talk.say(message) == [greeting(wire.NO_HOST)]
    assert talk.session.state == DARK


@pytest.mark.parametrize("kind", [wire.BEAT, wire.BYE])
def test_other_host_gets_an_empty_greeting_and_is_not_a_sign_of_life(kind: int) -> None:
    talk = greeted()
    talk.pass_ms(1999)
    assert talk.say(wire.pack(kind, OTHER_HOST)) == [greeting(wire.NO_HOST)]
    assert talk.session.host == HOST
    talk.pass_ms(1)
    assert talk.session.state == SILENT


@pytest.mark.parametrize(
    "message",
    [
        hello(OTHER_HOST, version=0),
        hello(OTHER_HOST, version=1)[:-1],
        hello(OTHER_HOST, version=3) + b"of another length",
        hello(OTHER_HOST, version=255),
    ],
)
def test_hello_of_another_version_is_answered_with_the_boards_own(message: bytes) -> None:
    talk = greeted()
    talk.edge(9, True)
    talk.pass_ms(1999)
    assert talk.say(message) == [greeting(wire.NO_HOST)]
    assert (talk.session.host, talk.session.number) == (HOST, SESSION)
    talk.pass_ms(1)
    assert talk.session.state == SILENT


@pytest.mark.parametrize(
    "message",
    [
        greeting(HOST),
        alive(SESSION, 1000),
        wire.pack_edges(SESSION, 1, 0, [(1, True, 0)]),
        wire.pack(wire.SHOWN, SESSION, 1),
        b"\x15 of no known kind",
        b"\x7f",
        BEAT[:-1],
        hello()[:-2],
        hello(wire.NO_HOST),
    ],
)
@pytest.mark.parametrize("know_each_other", [True, False])
def test_echoes_unknown_kinds_and_short_messages_are_ignored(
    message: bytes, know_each_other: bool
) -> None:
    talk = greeted() if know_each_other else Talk()
    state = talk.session.state
    talk.pass_ms(1999)
    assert talk.say(message) == []
    assert talk.session.state == state
    talk.pass_ms(1)
    assert talk.session.state == (SILENT if know_each_other else DARK), "it is not a sign of life"


def test_damaged_frames_are_counted_and_reported() -> None:
    talk = greeted()
    for _ in range(3):
        talk.session.receive(b"\x55\x55" + wire.END, talk.now)
    talk.session.line_lost()
    assert talk.say(BEAT) == []
    assert talk.pass_ms(250) == [alive(SESSION, 1250, spoiled=3)]
    assert talk.say(hello()) == [greeting(HOST, spoiled=3)]


def test_time_for_debouncing_comes_from_the_host() -> None:
    talk = Talk()
    for debounce_ms in (20, 1):
        talk.say(hello(debounce_ms=debounce_ms))
        assert talk.session.layout is not None
        assert talk.session.layout.debounce_ms == debounce_ms


def test_restarted_scanner_ends_a_session_only_if_a_button_is_held() -> None:
    talk = greeted()
    talk.session.scanner_restarted(talk.now)
    assert talk.session.number == SESSION
    talk.pass_ms(100)
    talk.edge(9, True)
    talk.session.scanner_restarted(talk.now)
    assert talk.session.number == SESSION + 1
    talk.edge(9, False)
    assert edges_in(talk.pass_ms(100)) == []


def test_second_hello_of_the_same_host_changes_nothing() -> None:
    talk = greeted()
    talk.say(FRAME)
    talk.edge(9, True)
    layout = talk.session.layout
    assert talk.say(hello()) == [greeting(HOST)]
    assert talk.session.layout is layout
    assert talk.session.frame == RED * PIXELS
    assert edges_in(talk.pass_ms(1)) == [(SESSION, 1, [(9, True, 1000)])]


def test_new_layout_of_the_same_host_applies_and_clears_the_frame() -> None:
    talk = greeted()
    talk.say(FRAME)
    assert talk.say(hello(ring=16, places=5, limit_ma=900, pixel_bytes=4)) == [greeting(HOST)]
    layout = talk.session.layout
    assert layout is not None
    assert (layout.pixels, layout.limit_ma, layout.pixel_bytes) == (9 * 16 + 5, 900, 4)
    assert talk.session.frame is None


def test_another_host_begins_a_new_session_and_drops_waiting_edges() -> None:
    talk = greeted()
    talk.say(FRAME)
    talk.tap(9)
    assert talk.say(hello(OTHER_HOST)) == [greeting(OTHER_HOST, SESSION + 1, dropped=2)]
    assert talk.session.frame is None
    assert edges_in(talk.pass_ms(100)) == []
    assert talk.say(BEAT) == [greeting(wire.NO_HOST, SESSION + 1, dropped=2)]


def test_alive_is_sent_every_250_ms() -> None:
    talk = greeted()
    talk.session.dropped = 3
    said: list[bytes] = []
    for _ in range(4):
        said += talk.say(BEAT) + talk.pass_ms(250)
    assert said == [alive(SESSION, 1000 + 250 * n, 3) for n in range(1, 5)]


# Silence and goodbye


@pytest.mark.parametrize("start", [1000, wire.TICKS - 1000, wire.TICKS - 1])
@pytest.mark.parametrize("message", [BEAT, FRAME, SEEN, hello()])
def test_host_is_silent_after_two_seconds_without_a_message(start: int, message: bytes) -> None:
    talk = greeted(start)
    talk.pass_ms(1999)
    assert talk.session.state == LIT
    talk.say(message)
    talk.pass_ms(1999)
    assert talk.session.state == LIT
    talk.pass_ms(1)
    assert talk.session.state == SILENT


def test_silence_drops_waiting_edges_and_new_presses_in_one_new_session() -> None:
    talk = greeted()
    talk.tap(9)
    talk.pass_ms(2000)
    talk.tap(10)
    alive = of_kind(wire.ALIVE, talk.pass_ms(1000))
    assert [fields[1] for fields in alive] == [SESSION + 1] * 4, "the board keeps reporting"
    assert alive[-1][3] == 4
    talk.say(BEAT)
    assert edges_in(talk.pass_ms(100)) == []
    talk.tap(11)
    (message, *_) = edges_in(talk.pass_ms(1))
    assert message[:2] == (SESSION + 1, 1)
    assert [edge[:2] for edge in message[2]] == [(11, True), (11, False)]


@pytest.mark.parametrize(
    ("message", "ends"), [(BEAT, True), (FRAME, True), (hello(), True), (SEEN, False)]
)
def test_beat_hello_and_pixels_end_the_silence(message: bytes, ends: bool) -> None:
    talk = greeted()
    talk.pass_ms(10_000, step=10)
    talk.say(message)
    assert talk.session.state == (LIT if ends else SILENT)
    assert talk.session.number == SESSION + 1


def test_last_frame_is_shown_again_after_the_silence() -> None:
    talk = greeted()
    talk.say(FRAME)
    talk.pass_ms(2000)
    talk.say(BEAT)
    assert (talk.session.state, talk.session.frame) == (LIT, RED * PIXELS)


def test_button_held_during_the_silence_counts_from_its_next_down() -> None:
    talk = greeted()
    talk.edge(9, True)
    talk.pass_ms(2000)
    talk.say(BEAT)
    talk.edge(9, False)
    assert edges_in(talk.pass_ms(100)) == []
    talk.edge(9, True)
    assert edges_in(talk.pass_ms(1)) == [(SESSION + 1, 1, [(9, True, talk.now - 1)])]


def test_bye_makes_the_board_dark_and_forgets_the_host() -> None:
    talk = greeted()
    talk.say(FRAME)
    talk.edge(9, True)
    told = greeting(wire.NO_HOST, SESSION + 1, dropped=1)
    assert talk.say(BYE, BYE, BYE) == [told] * 3
    assert (talk.session.state, talk.session.frame) == (DARK, None)
    talk.edge(9, False)
    talk.tap(9)
    assert talk.pass_ms(5000) == [], "there is nobody who could fall silent"
    assert talk.session.state == DARK
    assert talk.say(hello()) == [greeting(HOST, SESSION + 1, dropped=4)]


def test_bye_during_the_silence_ends_the_session() -> None:
    talk = greeted()
    talk.pass_ms(2000)
    talk.say(BYE)
    assert talk.session.state == DARK
    talk.say(hello())
    assert talk.session.state == LIT


# Edges


def test_edges_are_sent_immediately_and_repeated_every_40_ms_until_recorded() -> None:
    talk = greeted()
    talk.edge(17, True)
    message = [(SESSION, 1, [(17, True, 1000)])]
    assert edges_in(talk.pass_ms(1)) == message
    assert edges_in(talk.pass_ms(39)) == []
    assert edges_in(talk.pass_ms(1)) == message
    assert edges_in(talk.pass_ms(40)) == message
    talk.edge(17, False)
    both = [(SESSION, 1, [(17, True, 1000), (17, False, 1081)])]
    assert edges_in(talk.pass_ms(1)) == both, "the repeated one comes with the new one"
    talk.say(wire.pack(wire.SEEN, SESSION, 2))
    assert edges_in(talk.pass_ms(200)) == []


def test_message_has_at_most_eight_edges_oldest_first() -> None:
    talk = greeted()
    for button in range(10):
        talk.tap(button)
    ((_, first, edges),) = edges_in(talk.pass_ms(1))
    assert first == 1
    assert [edge[:2] for edge in edges] == [(b, down) for b in range(4) for down in (True, False)]
    talk.say(wire.pack(wire.SEEN, SESSION, 5))
    ((_, first, edges),) = edges_in(talk.pass_ms(1))
    assert (first, len(edges), edges[0][:2]) == (6, 8, (2, False))
    talk.say(wire.pack(wire.SEEN, SESSION, 13))
    ((_, first, edges),) = edges_in(talk.pass_ms(1))
    assert (first, len(edges)) == (14, 7)


@pytest.mark.parametrize(
    ("session", "last"),
    [(SESSION, 0), (SESSION, 3), (SESSION, 2**32 - 1), (SESSION + 1, 2), (SESSION - 1, 1)],
)
def test_acknowledgement_of_no_waiting_edge_changes_nothing(session: int, last: int) -> None:
    talk = greeted()
    talk.tap(3)
    talk.pass_ms(1)
    talk.say(wire.pack(wire.SEEN, session, last))
    ((_, first, edges),) = edges_in(talk.pass_ms(40))
    assert (first, len(edges)) == (1, 2)


def test_old_acknowledgement_changes_nothing() -> None:
    talk = greeted()
    talk.tap(3)
    talk.say(wire.pack(wire.SEEN, SESSION, 2))
    talk.tap(4)
    talk.say(wire.pack(wire.SEEN, SESSION, 1))
    ((_, first, edges),) = edges_in(talk.pass_ms(1))
    assert (first, [edge[0] for edge in edges]) == (3, [4, 4])


def test_64_presses_wait_and_the_next_edge_drops_all() -> None:
    talk = greeted()
    for button in range(19):
        talk.edge(button, True)
    for _ in range(54):
        talk.edge(18, False)
        talk.edge(18, True)
    talk.edge(18, False)
    assert talk.session.dropped == 0
    assert talk.session.number == SESSION
    talk.edge(18, True)
    assert talk.session.dropped == wire.MAX_EDGES + 1 == 129
    assert talk.session.number == SESSION + 1
    assert edges_in(talk.pass_ms(100)) == []
    talk.edge(18, False)
    talk.edge(17, False)
    assert edges_in(talk.pass_ms(1)) == [], "their downs went with the old session"
    talk.tap(17)
    ((session, first, _),) = edges_in(talk.pass_ms(1))
    assert (session, first) == (SESSION + 1, 1)


@pytest.mark.parametrize("scanner", ["9.1", "9.2.1"])
def test_scanner_overflow_begins_a_new_session(scanner: str) -> None:
    talk = greeted()
    talk.edge(9, True)
    talk.edge(3, True)
    talk.edge(3, False)
    talk.session.scanner_overflowed(65, talk.now)
    assert (talk.session.number, talk.session.dropped) == (SESSION + 1, 68)
    # What the scanner reports by itself after its reset: before 9.2.1 that all other keys are up,
    # from then on that held keys went down.
    talk.pass_ms(15)
    if scanner == "9.1":
        for button in set(range(19)) - {9}:
            talk.edge(button, False)
    else:
        talk.edge(9, True)
    assert edges_in(talk.pass_ms(100)) == [], "a held button is not pressed again"
    talk.edge(9, False)
    assert edges_in(talk.pass_ms(100)) == []
    talk.edge(9, True)
    assert edges_in(talk.pass_ms(1)) == [(SESSION + 1, 1, [(9, True, talk.now - 1)])]


def test_press_long_after_a_scanner_reset_counts_even_after_clock_wraparound() -> None:
    talk = greeted()
    talk.session.scanner_overflowed(1, talk.now)
    for _ in range(3):
        talk.say(BEAT)
        talk.pass_ms(1000)
    talk.session.edge(4, True, 1000 + 5)
    assert len(edges_in(talk.pass_ms(1))) == 1


def test_repeated_downs_and_ups_are_ignored() -> None:
    talk = greeted()
    talk.edge(5, False)
    talk.edge(5, True)
    talk.edge(5, True)
    talk.edge(5, False)
    talk.edge(5, False)
    ((_, _, edges),) = edges_in(talk.pass_ms(1))
    assert [edge[:2] for edge in edges] == [(5, True), (5, False)]


def test_session_number_and_drop_count_wrap_around() -> None:
    talk = Talk(session=2**32 - 1)
    talk.say(hello())
    talk.session.dropped = 0xFFFF
    talk.edge(1, True)
    assert talk.say(hello(OTHER_HOST)) == [greeting(OTHER_HOST, 0, dropped=0)]


# Pixels


def test_each_received_frame_is_acknowledged_once_after_it_is_shown() -> None:
    talk = greeted()
    for _ in range(2):
        assert talk.say(FRAME) == []
        assert talk.session.frame == RED * PIXELS
        talk.session.shown()
        assert talk.answers() == [wire.pack(wire.SHOWN, SESSION, 7)]
        talk.session.shown()
        assert talk.answers() == []


def test_newer_of_two_frames_is_shown_and_acknowledged() -> None:
    talk = greeted()
    talk.say(FRAME, wire.pack_pixels(8, bytes(3 * PIXELS)))
    talk.session.shown()
    assert talk.session.frame == bytes(3 * PIXELS)
    assert talk.answers() == [wire.pack(wire.SHOWN, SESSION, 8)]


@pytest.mark.parametrize("size", [0, 1, 3 * PIXELS - 1, 3 * PIXELS + 1, 3 * PIXELS + 3])
def test_frame_of_wrong_length_is_ignored(size: int) -> None:
    talk = greeted()
    talk.say(FRAME, wire.pack_pixels(8, bytes(size)))
    talk.session.shown()
    assert talk.session.frame == RED * PIXELS
    assert talk.answers() == [wire.pack(wire.SHOWN, SESSION, 7)]


@pytest.mark.parametrize(("ring", "pixel_bytes"), [(65, 3), (255, 4), (12, 2), (12, 5)])
def test_unsupported_layout_is_greeted_and_stays_dark(ring: int, pixel_bytes: int) -> None:
    talk = Talk()
    assert talk.say(hello(ring=ring, pixel_bytes=pixel_bytes)) == [greeting(HOST)]
    talk.say(wire.pack_pixels(1, b""), wire.pack_pixels(2, RED * PIXELS))
    assert talk.session.frame is None
    talk.tap(9)
    assert len(edges_in(talk.pass_ms(1))) == 1


# The line


# Not more taps than the queue holds, however slow the line is.
@settings(max_examples=50)
@given(st.lists(st.integers(1, 300), min_size=1), st.integers(0, wire.MAX_EDGES // 2))
def test_short_writes_lose_nothing(sizes: list[int], taps: int) -> None:
    talk = greeted()
    frames = wire.FrameDecoder()
    got: list[bytes] = []
    for turn in range(3000):
        talk.now += 1
        if turn < taps:
            talk.tap(turn % 19)
        talk.session.tick(talk.now)
        some = talk.session.waiting()[: sizes[turn % len(sizes)]]
        talk.session.sent(len(some))
        for message in frames.feed(some):
            got.append(message)
            for _, first, edges in edges_in([message]):
                seen = wire.pack(wire.SEEN, SESSION, first + len(edges) - 1)
                talk.session.receive(wire.frame(seen), talk.now)
        talk.session.receive(wire.frame(BEAT), talk.now)
    assert frames.errors == 0
    numbers = [first + len(edges) - 1 for _, first, edges in edges_in(got)]
    assert max(numbers, default=0) == 2 * taps
    assert len(of_kind(wire.ALIVE, got)) >= 5, "one every 250 ms, where the line is quick enough"


def test_host_that_does_not_read_fills_no_memory_and_gets_no_old_clocks() -> None:
    talk = greeted()
    talk.edge(9, True)
    for _ in range(600):
        talk.now += 100
        talk.session.receive(wire.frame(BEAT) + wire.frame(hello()), talk.now)
        talk.session.tick(talk.now)
        assert len(talk.session.waiting()) < 256 + wire.MAX_FRAME
    old = talk.answers()
    for _, first, edges in edges_in(old):
        assert (first, len(edges)) == (1, 1)
    assert len(edges_in(old)) <= 1
    now = talk.now + 40
    talk.now = now - 1
    (fields,) = of_kind(wire.EDGES, talk.pass_ms(1))
    assert fields[3] == now, "the clock is that of the sending"


def test_pulled_cable_leaves_no_partial_messages() -> None:
    talk = greeted()
    half = wire.frame(BEAT)[:5]
    talk.session.receive(half, talk.now)
    talk.session.receive(wire.frame(hello()), talk.now)
    talk.session.sent(len(talk.session.waiting()) // 2)
    talk.session.receive(half, talk.now)
    talk.session.line_lost()
    frames = wire.FrameDecoder()
    assert talk.session.waiting().startswith(wire.END), "it ends what the other end may have half"
    talk.session.receive(wire.frame(hello()), talk.now)
    assert frames.feed(talk.session.waiting()) == [greeting(HOST, spoiled=1)]


@given(st.binary(max_size=600), st.booleans())
def test_noise_is_ignored(noise: bytes, know_each_other: bool) -> None:
    talk = greeted() if know_each_other else Talk()
    talk.session.receive(noise + wire.END, talk.now)
    assert talk.answers() == []
    blocks = len([block for block in noise.split(wire.END) if block])
    expected = greeting(HOST if know_each_other else wire.NO_HOST, spoiled=blocks)
    assert talk.say(hello() if know_each_other else BEAT) == [expected]


numbers = st.integers(0, 2**32 - 1) | st.sampled_from([HOST, OTHER_HOST, SESSION, 0, 1, 2, 3])
bytes_ = st.integers(0, 255) | st.sampled_from([3, 4, 8, 12])
said = st.one_of(
    st.builds(
        wire.pack, st.just(wire.HELLO), st.sampled_from([0, 1, 2, 2, 2]),
        numbers, bytes_, bytes_, st.integers(0, 65535), bytes_, bytes_,
    ),
    st.builds(wire.pack, st.just(wire.BEAT), numbers),
    st.builds(wire.pack, st.just(wire.BYE), numbers),
    st.builds(wire.pack, st.just(wire.SEEN), numbers, numbers),
    st.builds(wire.pack_pixels, st.integers(0, 65535), st.binary(max_size=400)),
    st.binary(min_size=1, max_size=20),
)  # fmt: skip
happenings = st.one_of(
    said,
    st.tuples(st.integers(0, 18), st.booleans()),
    st.integers(1, 3000),
    st.sampled_from(["scanner lost", "line lost", "shown"]),
)


@given(st.lists(happenings, max_size=60), st.integers(0, wire.TICKS - 1))
def test_session_keeps_its_invariants_in_any_sequence_of_events(
    happened: list[bytes | tuple[int, bool] | int | str], start: int
) -> None:
    talk = Talk(start)
    session = talk.session
    sessions = [session.number]
    for what in happened:
        dropped, number = session.dropped, session.number
        match what:
            case bytes():
                session.receive(wire.frame(what), talk.now)
            case (button, down):
                session.edge(button, down, talk.now)
            case int():
                talk.now = (talk.now + what) % wire.TICKS
                session.tick(talk.now)
            case "scanner lost":
                session.scanner_overflowed(3, talk.now)
            case "line lost":
                session.line_lost()
            case _:
                session.shown()
        sessions.append(session.number)
        live = session.state == LIT
        assert session.dropped >= dropped
        if session.dropped > dropped and live:
            assert session.number == number + 1, "dropped edges begin a new session"
        if session.dropped > dropped or session.number != number:
            assert session._edges == []
        assert len(session._edges) <= wire.MAX_EDGES
        assert live or not session._edges, "nothing is kept for later"
        assert len(session.waiting()) < 256 + 100
        if session.frame is not None:
            assert session.layout is not None
            assert len(session.frame) == 3 * session.layout.pixels <= 3 * wire.MAX_PIXELS
    assert all(later - earlier in (0, 1) for earlier, later in pairwise(sessions))
