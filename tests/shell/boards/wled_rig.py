"""The rig of the board on the header with its pixels on WLED, and a simulated WLED."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from pochboard.config import Gpio, Wled
from pochboard.lights.frame import Frame
from tests.shell.boards.gpio_rig import GpioRig
from tests.shell.boards.kit import LOOK


class WledReceiver:
    """Takes DDP as WLED does: it shows a frame when its last packet, with PUSH, has arrived."""

    def __init__(self, leds: int = LOOK.pixels) -> None:
        self.leds = leds
        self.frames: list[Frame] = []
        """The frames that it has shown."""
        self.packets: list[bytes] = []
        self.states: list[Any] = []
        """The requests to its JSON API."""
        self.wled = Wled(host="127.0.0.1")
        self._buffer = bytearray(3 * leds)
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Opens its ports: any free ones, and the same ones again after `stop`."""
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                assert self.path == "/json/info"
                self._answer({"ver": "0.15.0", "leds": {"count": receiver.leds, "rgbw": False}})

            def do_POST(self) -> None:
                assert self.path == "/json/state"
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.states.append(json.loads(body))
                self._answer({"success": True})

            def _answer(self, body: object) -> None:
                data = json.dumps(body).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        first = not self.states
        ports = (0, 0) if first else (self.wled.http_port, self.wled.port)
        self._server = ThreadingHTTPServer(("127.0.0.1", ports[0]), Handler)
        self._line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._line.bind(("127.0.0.1", ports[1]))
        self.wled = Wled(
            host="127.0.0.1",
            port=self._line.getsockname()[1],
            http_port=self._server.server_address[1],
        )
        self._over = False
        self._threads = [
            threading.Thread(target=self._server.serve_forever, args=(0.01,)),
            threading.Thread(target=self._receive),
        ]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """It is switched off."""
        if not self._threads:
            return
        self.stop_web_server()
        self._over = True
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as waker:
            waker.sendto(b"", ("127.0.0.1", self.wled.port))
        for thread in self._threads:
            thread.join()
        self._threads = []
        self._line.close()

    def stop_web_server(self) -> None:
        """It no longer answers, although packets to it are not refused."""
        self._server.shutdown()
        self._server.server_close()

    def _receive(self) -> None:
        while True:
            packet = self._line.recv(2000)
            if self._over:
                return
            self.packets.append(packet)
            flags, number, kind, target, offset, length = struct.unpack(">BBBBIH", packet[:10])
            assert (flags & 0xFE, number, kind, target) == (0x40, 0, 0x0B, 1)
            data = packet[10:]
            assert len(data) == length <= 1440
            self._buffer[offset : offset + length] = data
            if flags & 1:
                self.frames.append(bytes(self._buffer))


class WledRig(GpioRig):
    """Mock pins, and pixels on a simulated WLED."""

    def __init__(self) -> None:
        self.receiver = WledReceiver()
        self.receiver.start()
        super().__init__(Gpio(driver="wled", wled=self.receiver.wled))

    def break_down(self) -> None:
        self.receiver.stop()

    def repair(self) -> None:
        self.receiver.start()

    def shown(self) -> Sequence[Frame]:
        return list(self.receiver.frames)

    def close(self) -> None:
        super().close()
        self.receiver.stop()
