"""The host's messages for tests of a session, and readers for its answers."""

from __future__ import annotations

from collections.abc import Iterable

from firmware.session import Greeting, Session
from pochboard import wire

HOST, OTHER_HOST = 0x1441AABB, 0xF00DF00D
SESSION = 0x00C0FFEE
BOARD = 0xE6614C311B7D7A2F
RING, PLACES, LIMIT_MA = 12, 8, 3000
PIXELS = 9 * RING + PLACES
BEAT = wire.pack(wire.BEAT, HOST)
BYE = wire.pack(wire.BYE, HOST)
RED = bytes((255, 0, 0))


def hello(
    host: int = HOST,
    *,
    version: int = wire.VERSION,
    ring: int = RING,
    places: int = PLACES,
    limit_ma: int = LIMIT_MA,
    pixel_bytes: int = 3,
    debounce_ms: int = 8,
) -> bytes:
    fields = [version, host, ring, places, limit_ma, pixel_bytes, debounce_ms]
    return wire.pack(wire.HELLO, *fields)


def greeting(host: int, session: int = SESSION, dropped: int = 0, *, spoiled: int = 0) -> bytes:
    fields = [wire.VERSION, host, session, 0, 1, 0, 8, 584, dropped, 0, BOARD, spoiled, RING, 3]
    return wire.pack(wire.GREETING, *fields)


def alive(session: int, now: int, dropped: int = 0, spoiled: int = 0) -> bytes:
    return wire.pack(wire.ALIVE, session, now, dropped, spoiled)


def described() -> Greeting:
    """The description of the board in these tests."""
    return Greeting((0, 1, 0), id_=BOARD, ring=RING, pixel_bytes=3)


class Talk:
    """A session with a clock that the test advances."""

    def __init__(self, now: int = 1000, *, session: int = SESSION) -> None:
        self.now = now
        self.session = Session(session, described(), now)

    def say(self, *messages: bytes) -> list[bytes]:
        """Sends messages of the host; returns the board's answers."""
        self.session.receive(b"".join(map(wire.frame, messages)), self.now)
        return self.answers()

    def answers(self) -> list[bytes]:
        """All messages that wait to be sent; this counts as sending them."""
        data = self.session.waiting()
        self.session.sent(len(data))
        frames = wire.FrameDecoder()
        messages = frames.feed(data)
        assert frames.errors == 0
        return messages

    def pass_ms(self, passed: int, *, step: int = 1) -> list[bytes]:
        """Advances the clock; returns the messages that the board sends."""
        said: list[bytes] = []
        for _ in range(0, passed, step):
            self.now = (self.now + step) % wire.TICKS
            self.session.tick(self.now)
            said += self.answers()
        return said

    def edge(self, button: int, down: bool) -> None:
        self.session.edge(button, down, self.now)

    def tap(self, button: int) -> None:
        self.edge(button, True)
        self.edge(button, False)


def greeted(now: int = 1000) -> Talk:
    """A session that a host has just greeted."""
    talk = Talk(now)
    assert talk.say(hello()) == [greeting(HOST)]
    return talk


def of_kind(kind: int, messages: Iterable[bytes]) -> list[tuple[int, ...]]:
    """The fields of the messages of a kind."""
    found: list[tuple[int, ...]] = []
    for message in messages:
        fields = wire.unpack(message)
        assert fields is not None, "the board sends nothing but messages"
        if fields[0] == kind:
            found.append(fields)
    return found


def edges_in(messages: Iterable[bytes]) -> list[tuple[int, int, list[tuple[int, bool, int]]]]:
    """Session, number of the first, and the edges of each edges message."""
    found: list[tuple[int, int, list[tuple[int, bool, int]]]] = []
    for message in messages:
        if message[0] == wire.EDGES:
            fields, edges = wire.unpack(message), wire.edges_of(message)
            assert fields is not None
            assert edges is not None
            found.append((fields[1], fields[2], edges))
    return found
