"""The encrypted line: both ends, and what a stranger on the network may try."""

from __future__ import annotations

import hashlib
import hmac as python_hmac
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pochboard.secure_line import ForgedError, SecureLine, hmac

KEY = bytes(range(32))


def ends(host_key: bytes = KEY, board_key: bytes = KEY, seed: int = 1) -> tuple[SecureLine, ...]:
    chance = random.Random(seed)
    host = SecureLine(host_key, is_host=True, nonce=chance.randbytes(16))
    board = SecureLine(board_key, is_host=False, nonce=chance.randbytes(16))
    assert board.receive(host.opening) == host.receive(board.opening) == b""
    return host, board


@given(st.binary(min_size=1, max_size=64), st.binary(max_size=200))
def test_hmac_is_that_of_rfc_2104(key: bytes, data: bytes) -> None:
    assert hmac(key, data) == python_hmac.new(key, data, hashlib.sha256).digest()


@given(st.lists(st.binary(min_size=1, max_size=5000), max_size=4), st.integers(1, 700))
def test_what_is_sealed_comes_out_at_the_other_end(sent: list[bytes], size: int) -> None:
    host, board = ends()
    for source, target in ((host, board), (board, host)):
        line = b"".join(map(source.seal, sent))
        out = b"".join(target.receive(line[at : at + size]) for at in range(0, len(line), size))
        assert out == b"".join(sent)
        assert target.is_proved == bool(sent)


def test_nothing_is_readable_on_the_line_and_nothing_repeats() -> None:
    host, board = ends()
    text = b"seat1 pressed " * 3
    records = [host.seal(text), host.seal(text), board.seal(text)]
    records.append(ends(seed=2)[0].seal(text))
    assert len({record[2:34] for record in records}) == len(records)
    assert not any(b"seat1" in record for record in records)


@pytest.mark.parametrize("at", [0, 2, 20, -1])
def test_a_changed_byte_is_noticed(at: int) -> None:
    host, board = ends()
    record = bytearray(host.seal(b"x" * 40))
    record[at] ^= 1
    with pytest.raises(ForgedError):
        board.receive(bytes(record) + bytes(70))


def test_another_key_is_noticed() -> None:
    host, board = ends(board_key=bytes(32))
    with pytest.raises(ForgedError, match="the keys differ"):
        board.receive(host.seal(b"hello"))
    assert not board.is_proved


def test_only_a_host_with_the_key_has_a_mark_in_its_opening() -> None:
    host, board = ends()
    assert board.is_marked
    assert board.other == host.opening[-16:]
    assert not ends(board_key=bytes(32))[1].is_marked
    stranger = SecureLine(KEY, is_host=False, nonce=bytes(16))
    assert not stranger.is_marked, "nothing has arrived"
    stranger.receive(b"pochboard 2\n" + bytes(range(16)))
    assert not stranger.is_marked
    assert ends(seed=2)[0].opening != host.opening, "it is another one each time"


@pytest.mark.parametrize("how", ["repeated", "reordered", "reflected", "from before"])
def test_a_recording_is_worth_nothing(how: str) -> None:
    host, board = ends()
    first, second = host.seal(b"first"), host.seal(b"second")
    if how == "repeated":
        board.receive(first)
        line = first
    elif how == "reordered":
        line = second
    elif how == "reflected":
        line, board = first, host
    else:
        line, board = first, ends(seed=7)[1]
    with pytest.raises(ForgedError):
        board.receive(line)


@pytest.mark.parametrize("line", [b"GET / HTTP/1.1\r\n", b"\x00", b"pochboard 1\n"])
def test_a_stranger_is_noticed_with_the_first_bytes(line: bytes) -> None:
    with pytest.raises(ForgedError, match="not a board"):
        SecureLine(KEY, is_host=True, nonce=bytes(16)).receive(line)


def test_a_record_that_is_too_long_is_not_waited_for() -> None:
    host, board = ends()
    host.seal(b"x")
    with pytest.raises(ForgedError, match="wrong length"):
        board.receive(b"\xff\xff")
