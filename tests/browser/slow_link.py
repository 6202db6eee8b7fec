"""A slow network between a browser and the daemon: TCP with a delay, and a plug to pull."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

HOST: Final = "127.0.0.1"
_PIECE: Final = 65_536
_HOST: Final = HOST.encode()


class SlowLink:
    """Forwards everything in both directions, each piece after a delay."""

    def __init__(self, port: int, delay_s: float) -> None:
        self.port = 0
        """Where the browser connects."""
        self.is_cut = False
        """While this is set, sent data is lost, as from a phone out of reach."""
        self.cut_after = b""
        """The link is cut once something that contains this has been delivered."""
        self._daemon_port = port
        self._delay_s = delay_s

    async def serve(self, ready: threading.Event, end: asyncio.Event) -> None:
        """Listens until it is closed."""
        tasks: set[asyncio.Task[None]] = set()

        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            there = await asyncio.open_connection(HOST, self._daemon_port)
            for pair in ((reader, there[1]), (there[0], writer)):
                tasks.add(asyncio.create_task(self._pass_on(*pair)))

        server = await asyncio.start_server(accept, HOST, 0)
        self.port = server.sockets[0].getsockname()[1]
        ready.set()
        async with server:
            await end.wait()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        loop, daemon = asyncio.get_running_loop(), self._daemon_port
        with contextlib.closing(writer), contextlib.suppress(OSError):
            while piece := await reader.read(_PIECE):
                # Host and Origin name the daemon's port: this is a network, not a proxy.
                piece = piece.replace(b"%s:%d" % (_HOST, self.port), b"%s:%d" % (_HOST, daemon))
                loop.call_later(self._delay_s, self._deliver, writer, piece)
            await asyncio.sleep(self._delay_s)

    def _deliver(self, writer: asyncio.StreamWriter, piece: bytes) -> None:
        if not self.is_cut and not writer.is_closing():
            writer.write(piece)
            self.is_cut = bool(self.cut_after) and self.cut_after in piece


@contextmanager
def slow_link(port: int, delay_s: float) -> Iterator[SlowLink]:
    """A link to the daemon at this port, in its own thread."""
    link, ready = SlowLink(port, delay_s), threading.Event()
    loops: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    async def run() -> None:
        end = asyncio.Event()
        loops.append((asyncio.get_running_loop(), end))
        await link.serve(ready, end)

    thread = threading.Thread(target=lambda: asyncio.run(run()), name="slow link")
    thread.start()
    try:
        assert ready.wait(60)
        yield link
    finally:
        loop, end = loops[0]
        loop.call_soon_threadsafe(end.set)
        thread.join()
