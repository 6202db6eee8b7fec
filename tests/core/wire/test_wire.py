"""The wire: the examples in docs/PROTOCOL.md, and lines surrounded by noise."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from pochboard import wire

DOC = Path(__file__).parents[3] / "docs" / "PROTOCOL.md"
LINK, BOOT = 0x1441AABB, 0x00C0FFEE
ABOUT = 0, 1, 0, wire.DISPLAY, 0xE6614C311B7D7A2F, 12, 3
"""What the board of the examples says about itself."""


def board_line(
    clock: int,
    *,
    version: int = wire.VERSION,
    boot: int = BOOT,
    link: int = LINK,
    spoiled: int = 0,
    about: tuple[int, ...] = ABOUT,
    presses: dict[int, int] | None = None,
    held: tuple[int, ...] = (),
    edges: tuple[tuple[int, bool, int], ...] = (),
) -> bytes:
    """The message of a board."""
    counts = [(presses or {}).get(button, 0) for button in range(wire.BUTTONS)]
    contacts = sum(1 << button for button in held)
    fields = version, boot, link, clock, spoiled, *about, contacts, *counts
    return wire.pack(wire.BOARD, *fields) + wire.edges_data(list(edges))


EXAMPLES = {
    "the board has just started": board_line(1000, link=wire.NOBODY),
    "the host takes link": wire.pack(wire.HOST, wire.VERSION, LINK, 12, 8, 3000, 3, 8, 2),
    "the board has heard of it": board_line(1260, spoiled=2),
    "frame 7 of two pixels": wire.pack(wire.PIXELS, 7) + bytes((255, 0, 0, 10, 27, 16)),
    "button 9 is down": board_line(1502, presses={9: 1}, held=(9,), edges=((9, True, 2),)),
    "it is up again": board_line(
        1580, presses={9: 1}, edges=((9, True, 80), (9, False, 1))
    ),
    "picture 9": wire.pack(wire.PICTURE, 9, 127) + b"\x00\xff\x81",
    "tune 3": wire.pack(wire.TUNE, 3, 128) + wire.notes_data(((660, 80), (0, 20), (880, 160))),
    "the host says goodbye": wire.pack(wire.HOST, wire.VERSION, wire.NOBODY, 12, 8, 3000, 3, 8, 2),
}  # fmt: skip


def documented() -> list[tuple[str, bytes, bytes]]:
    """The caption of each example, its message, and the bytes on the wire."""
    blocks = re.findall(
        r"^; (.+)\nmessage ([0-9a-f\s]+)wire([0-9a-f\s]+)", DOC.read_text("utf-8"), re.MULTILINE
    )
    return [(says, bytes.fromhex(message), bytes.fromhex(sent)) for says, message, sent in blocks]


def test_the_documented_examples_are_what_both_sides_send() -> None:
    examples = documented()
    assert len(examples) == len(EXAMPLES)
    for (says, message, sent), (known, made) in zip(examples, EXAMPLES.items(), strict=True):
        assert says.startswith(known)
        assert made == message, says
        assert wire.line(message) == sent, says
        assert wire.LineReader().feed(sent) == [message]
    kinds = {message[0] for _, message, _ in examples}
    assert kinds == {wire.HOST, wire.PIXELS, wire.PICTURE, wire.TUNE, wire.BOARD}


messages = st.binary(min_size=1, max_size=wire.MAX_LINE // 2 - 4) | st.lists(
    st.sampled_from((0, 1, 2, 10, 27)), min_size=1
).map(bytes)


@given(messages)
def test_what_is_sent_comes_out_again(message: bytes) -> None:
    sent = wire.line(message)
    assert sent.endswith(wire.END)
    assert wire.END not in sent[:-1]
    assert len(sent) <= wire.MAX_LINE + 1
    assert wire.LineReader().feed(sent) == [message]


@given(st.lists(messages, max_size=5), st.integers(min_value=1, max_value=50), st.binary())
def test_lines_are_found_however_they_arrive(sent: list[bytes], size: int, noise: bytes) -> None:
    data = noise + wire.END + b"".join(map(wire.line, sent))
    reader = wire.LineReader()
    found = [m for at in range(0, len(data), size) for m in reader.feed(data[at : at + size])]
    assert found[len(found) - len(sent) :] == sent
    assert len(found) <= len(sent) + 1, "noise passes for a message once in 2**32 at most"


@given(messages, st.randoms(use_true_random=False))
def test_a_corrupted_line_is_passed_over_and_the_next_one_is_found(
    message: bytes, random: Random
) -> None:
    sent = bytearray(wire.line(message))
    at = random.randrange(len(sent) - 1)
    sent[at] ^= random.randrange(1, 256)
    reader = wire.LineReader()
    assert message not in reader.feed(bytes(sent))
    assert reader.feed(wire.END + wire.line(b"next")) == [b"next"]
    assert reader.errors >= 1


@given(st.binary(max_size=90))
def test_whatever_a_message_holds_it_is_read_or_passed_over(message: bytes) -> None:
    for kind in (b"", *(bytes((kind,)) for kind in (wire.TUNE, wire.BOARD))):
        said = kind + message
        fields = wire.unpack(said)
        if fields is not None:
            assert wire.pack(*fields) + wire.data_of(said) == said
        if fields and fields[0] == wire.BOARD:
            edges = wire.edges_of(said)
            assert edges is None or wire.edges_data(edges) == wire.data_of(said)
        if fields and fields[0] == wire.TUNE:
            notes = wire.notes_of(said)
            assert notes is None or wire.notes_data(tuple(notes)) == wire.data_of(said)
    assert wire.version_of(message) in (None, message[1] if len(message) > 1 else None)


@given(st.integers(0, wire.TICKS - 1), st.integers(0, wire.TICKS - 1))
def test_the_boards_clock_goes_on_over_its_beginning(earlier: int, passed: int) -> None:
    assert wire.ticks_between(earlier, (earlier + passed) % wire.TICKS) == passed
