"""The wire: the examples in docs/PROTOCOL.md, and frames surrounded by noise."""

from __future__ import annotations

import re
from binascii import crc32
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pochboard import wire

DOC = Path(__file__).parents[3] / "docs" / "PROTOCOL.md"
HOST, SESSION = 0x1441AABB, 0x00C0FFEE
BOARD = 0xE6614C311B7D7A2F

EXAMPLES = {
    "the host greets": wire.pack(wire.HELLO, 2, HOST, 12, 8, 3000, 3, 8),
    "the board answers": wire.pack(
        wire.GREETING, 2, HOST, SESSION, 0, 1, 0, 8, 584, 0, 0, BOARD, 0, 12, 3
    ),
    "the host is alive": wire.pack(wire.BEAT, HOST),
    "the board is alive": wire.pack(wire.ALIVE, SESSION, 1000, 0, 2),
    "frame 7 of two pixels": wire.pack_pixels(7, bytes((255, 0, 0, 16, 16, 16))),
    "the board has shown frame 7": wire.pack(wire.SHOWN, SESSION, 7),
    "edge 1": wire.pack_edges(SESSION, 1, 1500, [(9, True, 1490)]),
    "edges 1 and 2": wire.pack_edges(SESSION, 1, 1600, [(9, True, 1490), (9, False, 1560)]),
    "the host has recorded": wire.pack(wire.SEEN, SESSION, 2),
    "the host says goodbye": wire.pack(wire.BYE, HOST),
    "band 2 of a picture": wire.pack(wire.BAND, 9, 2) + b"\0\xff\x81",
    "the contrast of the display": wire.pack(wire.BAND, 10, wire.CONTRAST) + b"\x1f",
    "the board has written it": wire.pack(wire.DONE, SESSION, 9),
    "tune 3": wire.pack_tune(3, 128, ((660, 80), (0, 20), (880, 160))),
    "the board has begun it": wire.pack(wire.PLAYED, SESSION, 3),
}


def documented() -> list[tuple[str, bytes, bytes]]:
    """The caption of each example, its message, and the bytes on the wire."""
    examples = re.findall(
        r"^; (.+)\nmessage (.+)\nwire +(.+)$", DOC.read_text("utf-8"), re.MULTILINE
    )
    return [(says, bytes.fromhex(message), bytes.fromhex(sent)) for says, message, sent in examples]


def test_the_documented_examples_are_what_both_sides_send() -> None:
    examples = documented()
    assert len(examples) == len(EXAMPLES)
    for (says, message, sent), (known, made) in zip(examples, EXAMPLES.items(), strict=True):
        assert says.startswith(known)
        assert made == message, says
        assert wire.frame(message) == sent, says
        assert wire.FrameDecoder().feed(sent) == [message]
    assert {message[0] for _, message, _ in examples} == {
        wire.HELLO, wire.BEAT, wire.PIXELS, wire.SEEN, wire.BYE,
        wire.GREETING, wire.ALIVE, wire.EDGES, wire.SHOWN,
        wire.BAND, wire.DONE, wire.TUNE, wire.PLAYED,
    }  # fmt: skip


def naive_cobs(data: bytes) -> bytes:
    """The textbook algorithm: byte by byte, each code byte counting up to the next zero."""
    out, code_at, code = bytearray(b"\0"), 0, 1
    for byte in data:
        if byte:
            out.append(byte)
            code += 1
        if not byte or code == 255:
            out[code_at] = code
            code_at, code = len(out), 1
            out.append(0)
    out[code_at] = code
    return bytes(out)


messages = st.binary(min_size=1, max_size=wire.MAX_MESSAGE)


@given(messages)
def test_what_is_framed_comes_out_again(message: bytes) -> None:
    sent = wire.frame(message)
    assert sent.endswith(wire.END)
    assert wire.END not in sent[:-1]
    assert len(sent) <= wire.MAX_FRAME + 1
    assert wire.FrameDecoder().feed(sent) == [message]


@pytest.mark.parametrize("size", [1, 249, 250, 251, 253, 254, 255, 505, 508, 1000])
@pytest.mark.parametrize("byte", [0, 1, 255])
def test_stuffing_is_the_textbooks(size: int, byte: int) -> None:
    message = bytes([byte]) * size
    check = crc32(message).to_bytes(4, "little")
    assert wire.frame(message) == naive_cobs(message + check) + wire.END


@given(st.lists(messages, max_size=5), st.integers(min_value=1, max_value=50), st.binary())
def test_frames_are_found_however_they_arrive(sent: list[bytes], size: int, noise: bytes) -> None:
    line = noise + wire.END + b"".join(map(wire.frame, sent))
    frames = wire.FrameDecoder()
    messages = [m for at in range(0, len(line), size) for m in frames.feed(line[at : at + size])]
    assert messages[len(messages) - len(sent) :] == sent
    assert len(messages) <= len(sent) + 1, "noise passes for a message once in 2**32 at most"


@given(messages, st.randoms(use_true_random=False))
def test_a_corrupted_frame_is_passed_over_and_the_next_one_is_found(
    message: bytes, random: Random
) -> None:
    sent = bytearray(wire.frame(message))
    at = random.randrange(len(sent) - 1)
    sent[at] ^= random.randrange(1, 256)
    frames = wire.FrameDecoder()
    assert message not in frames.feed(bytes(sent))
    assert frames.feed(wire.END + wire.frame(b"next")) == [b"next"]
    assert frames.errors >= 1


def test_a_line_without_an_end_is_not_kept() -> None:
    frames = wire.FrameDecoder()
    for _ in range(100):
        assert frames.feed(b"\x55" * wire.MAX_FRAME) == []
        assert len(frames._rest) <= wire.MAX_FRAME
    assert frames.feed(wire.END + wire.frame(b"after it")) == [b"after it"]


@given(st.binary(max_size=40))
def test_whatever_a_message_holds_it_is_read_or_passed_over(message: bytes) -> None:
    fields = wire.unpack(message)
    if fields is not None:
        assert fields[0] == message[0]
        again = wire.pack(*fields)
        assert again == message[: len(again)]
    if fields and fields[0] == wire.EDGES:
        edges = wire.edges_of(message)
        assert (edges is None) == bool((len(message) - 13) % 5)


@pytest.mark.parametrize("message", [b"", b"\x00", b"\x15", b"\x11\x01", b"\x11\x01\x02\x03"])
def test_what_is_no_message_of_this_version_is_none(message: bytes) -> None:
    assert wire.unpack(message) is None


def test_the_version_is_read_whatever_the_version() -> None:
    assert wire.version_of(bytes((wire.HELLO, 1))) == 1
    assert wire.version_of(bytes((wire.GREETING, 9, 1, 2, 3))) == 9
    assert wire.version_of(wire.pack(wire.BEAT, HOST)) is None
    assert wire.version_of(bytes((wire.HELLO,))) is None


edges = st.lists(
    st.tuples(st.integers(0, 18), st.booleans(), st.integers(0, wire.TICKS - 1)), max_size=8
)


@given(edges)
def test_edges_come_out_as_they_went_in(sent: list[tuple[int, bool, int]]) -> None:
    assert wire.edges_of(wire.pack_edges(SESSION, 1, 0, sent)) == sent


@given(st.integers(0, wire.TICKS - 1), st.integers(0, wire.TICKS - 1))
def test_the_boards_clock_goes_on_over_its_beginning(earlier: int, passed: int) -> None:
    assert wire.ticks_between(earlier, (earlier + passed) % wire.TICKS) == passed
