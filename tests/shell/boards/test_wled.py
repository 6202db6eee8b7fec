"""Pixels on WLED: the bytes on the wire, what WLED is told, and what happens if it is away."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Self

import pytest

from pochboard.boards.gpio import dark, wled
from pochboard.boards.gpio.gpio_board import GpioBoard
from pochboard.boards.gpio.wled import UnreachableError, WledStrip, packets
from pochboard.config import Gpio, Wled
from pochboard.doctor.gpio import gpio_checks
from pochboard.errors import BoardError
from pochboard.lights.frame import estimate_ma
from tests.shell.boards.gpio_rig import Copper
from tests.shell.boards.kit import LOOK, FakeSink
from tests.shell.boards.wled_rig import WledReceiver
from tests.shell.doctor_kit import named
from tests.shell.server_kit import wait_until

WHITE = bytes([255]) * 3 * LOOK.pixels
DARK = bytes(3 * LOOK.pixels)


@pytest.fixture
def receiver() -> Iterator[WledReceiver]:
    made = WledReceiver()
    made.start()
    yield made
    made.stop()


def board_on(where: Wled) -> GpioBoard:
    return GpioBoard(Gpio(driver="wled", wled=where), LOOK, make_header=Copper().header)


def test_a_frame_is_one_packet_with_the_header_of_ddp() -> None:
    frame = bytes(range(9))
    assert packets(frame) == [bytes((0x41, 0, 0x0B, 1, 0, 0, 0, 0, 0, 9)) + frame]


def test_a_long_frame_is_sent_in_packets_and_shown_with_the_last_one() -> None:
    frame = bytes(number % 251 for number in range(3 * 584))
    first, last = packets(frame)
    assert first == bytes((0x40, 0, 0x0B, 1, 0, 0, 0, 0, 1440 >> 8, 1440 & 255)) + frame[:1440]
    assert last == bytes((0x41, 0, 0x0B, 1, 0, 0, 1440 >> 8, 1440 & 255, 1, 56)) + frame[1440:]


def test_wled_is_made_dark_on_its_own_before_the_first_frame(receiver: WledReceiver) -> None:
    strip = WledStrip(receiver.wled, LOOK.pixels)
    try:
        assert receiver.states == [{"on": False, "bri": 255, "transition": 0}]
    finally:
        strip.close()
    wait_until("it is dark", lambda: receiver.frames == [DARK] * 3)


def test_frames_stay_within_the_limit_are_repeated_and_end_dark(receiver: WledReceiver) -> None:
    board, sink = board_on(receiver.wled), FakeSink()
    board.start(sink)
    try:
        board.show(WHITE)
        wait_until("it is sent again", lambda: len(set(receiver.frames[-3:-1])) == 1)
        wait_until("it is white", lambda: max(receiver.frames[-1]) > 0)
        lit = receiver.frames[-1]
        assert LOOK.limit_ma * 0.95 < estimate_ma(lit) <= LOOK.limit_ma
    finally:
        board.close()
    wait_until("it is dark", lambda: receiver.frames[-1] == DARK)


def test_a_wled_that_is_switched_on_later_is_found(receiver: WledReceiver) -> None:
    receiver.states.append("it keeps its ports")
    receiver.stop()
    board, sink = board_on(receiver.wled), FakeSink()
    board.start(sink)
    try:
        assert sink.link is None
        assert "WLED at 127.0.0.1 does not answer" in str(board.problem)
        receiver.start()
        wait_until("the link is up", lambda: sink.link is True)
        assert board.problem is None
    finally:
        board.close()


class Odd:
    """A device that answers each connection with these bytes, or in a trickle."""

    def __init__(self, answer: bytes, *, trickle: bool = False) -> None:
        self._answer, self._trickle = answer, trickle
        self._over = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.wled = Wled(host="127.0.0.1", http_port=self._listener.getsockname()[1])
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listener.close()

    def _run(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                line, _ = self._listener.accept()
                with line, contextlib.suppress(OSError):
                    line.recv(1000)
                    if self._trickle:
                        line.sendall(self._answer)
                    while self._trickle and not self._over.wait(0.02):
                        line.sendall(b"x")
                    line.sendall(self._answer)


def answer(body: str) -> bytes:
    return f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()


@pytest.mark.parametrize(
    "said",
    [
        answer('{"leds": {"count": Infinity}}'),
        answer('{"leds": {"count": NaN}}'),
        answer('{"leds": {"count": 1e400}}'),
        answer('{"leds": {"count": 116.5}}'),
        answer('{"leds": {"count": "116"}}'),
        answer('{"leds": {"count": -1}}'),
        answer('{"leds": {"count": null}}'),
        answer('{"leds": []}'),
        answer('{"leds": {"count": 116}, "x": ' + "[" * 60_000 + "]" * 200),
        answer('{"leds": {"count": ' + "9" * 5_000 + "}}"),
        answer("\xff"),
        answer("{" + " " * 1_000_000),
        answer(""),
        b"SSH-2.0-OpenSSH\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 1000,
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ],
)  # fmt: skip
def test_a_device_that_answers_something_else_keeps_the_board_waiting(said: bytes) -> None:
    with Odd(said) as odd:
        board, sink = board_on(odd.wled), FakeSink()
        board.start(sink)
        try:
            assert sink.link is None
            assert "The device at 127.0.0.1 does not run WLED." in str(board.problem)
        finally:
            board.close()


@pytest.mark.parametrize("before", [b"", b"HTTP/1.1 200 OK\r\n\r\n"])
def test_an_answer_that_trickles_in_is_not_waited_for(
    before: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wled, "_HTTP_S", 0.2)
    # Without a limit for the whole answer, this would never end.
    with Odd(before, trickle=True) as odd, pytest.raises(UnreachableError, match="timed out"):
        wled.led_count(odd.wled)


@pytest.mark.parametrize("how", ["stop", "stop_web_server"])
def test_a_wled_that_is_switched_off_is_missed(
    how: str, receiver: WledReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if the network does not say that its packets do not arrive."""
    monkeypatch.setattr(wled, "_LOOK_S", 0.05)
    strip = WledStrip(receiver.wled, LOOK.pixels)
    strip.write(WHITE)
    getattr(receiver, how)()

    def is_missed() -> bool:
        try:
            strip.write(WHITE)
        except UnreachableError:
            return True
        return False

    wait_until("it is missed", is_missed)
    strip.close()


def test_wled_is_not_looked_for_with_each_frame(
    receiver: WledReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wled, "_LOOK_S", 3600.0)
    with contextlib.closing(WledStrip(receiver.wled, LOOK.pixels)) as strip:
        receiver.stop_web_server()  # a look would be refused
        for _ in range(20):
            strip.write(WHITE)
        wait_until("they are shown", lambda: receiver.frames == 20 * [WHITE])


def test_a_wled_that_takes_no_connections_is_missed(
    receiver: WledReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one that has lost its power: nothing refuses, and nothing answers."""
    monkeypatch.setattr(wled, "_LOOK_S", 0.05)
    strip = WledStrip(receiver.wled, LOOK.pixels)
    receiver.stop_web_server()
    with socket.socket() as full, socket.socket() as waiting:
        full.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        full.bind(("127.0.0.1", receiver.wled.http_port))
        full.listen(0)  # has room for a single connection, and drops what comes after it
        waiting.connect(full.getsockname())
        reasons: list[str] = []

        def is_missed() -> bool:
            try:
                strip.write(WHITE)
            except UnreachableError as error:
                reasons.append(str(error))
            return bool(reasons)

        wait_until("it is missed", is_missed)
        strip.close()
    assert reasons == ["WLED at 127.0.0.1 does not answer (it does not take connections)."]


def test_a_name_that_nothing_has_is_said() -> None:
    nowhere = Wled(host="no-wled.invalid")
    for ask in (wled.led_count, lambda table: wled.darken(table, 8)):
        with pytest.raises(UnreachableError, match=r"WLED at no-wled\.invalid does not answer \("):
            ask(nowhere)


def test_too_few_pixels_keep_the_board_from_starting(receiver: WledReceiver) -> None:
    receiver.leds = 100
    with pytest.raises(BoardError, match="set up for 100 pixels, but the board has 116"):
        board_on(receiver.wled).start(FakeSink())


def test_the_doctor_asks_wled(receiver: WledReceiver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    gpio = Gpio(driver="wled", wled=receiver.wled)

    def check(gpio: Gpio = gpio, *, talk: bool = True) -> tuple[bool, str]:
        made = named(gpio_checks(gpio, LOOK, talk=talk))["pixels: WLED"]
        return made.ok, str(made)

    assert check() == (True, "WLED at 127.0.0.1 is set up for 116 pixels; the board has 116.")
    receiver.leds = 100
    assert check()[0] is False
    assert "Correct the length" in check()[1]
    receiver.stop()
    assert check()[0] is False
    assert "does not answer" in check()[1]
    # The daemon starts anyway: WLED may be switched on later.
    assert check(talk=False)[0]
    assert check(Gpio(driver="wled"), talk=False) == (
        False,
        "The address of WLED is missing. Set host in [gpio.wled] of config.toml.",
    )


def test_the_pixels_are_darkened_after_a_daemon_that_was_killed(
    receiver: WledReceiver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config.toml").write_text(
        f'board = "gpio"\n[gpio]\ndriver = "wled"\n[gpio.wled]\nhost = "127.0.0.1"\n'
        f"port = {receiver.wled.port}\n"
    )
    monkeypatch.setenv("POCHBOARD_CONFIG", str(tmp_path))
    dark.main()
    wait_until("it is dark", lambda: receiver.frames == [DARK] * 3)
    assert receiver.states == []


def test_a_name_that_cannot_be_one_is_refused_with_a_sentence() -> None:
    for ask in (wled.led_count, lambda table: wled.darken(table, 8)):
        with pytest.raises(UnreachableError, match="does not run WLED"):
            ask(Wled(host=60 * "ü"))
