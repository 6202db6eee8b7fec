"""The encrypted line to the daemon over Wi-Fi, instead of the serial port (docs/PROTOCOL.md 7).

A new connection replaces the present one only once it has proved that it has the key. So nobody
without the key can disturb the daemon's connection. Until then it waits in a small queue, where
nobody takes its place before its opening has been read. The opening of a daemon with the key has a
mark, and keeps its place: so nobody without the key can keep the daemon from connecting either.
"""

import os
import time

import socketpool
import wifi

from pochboard.secure_line import ForgedError, SecureLine, hmac

JOIN_S = 4
"""How long to try to join the Wi-Fi. Nothing else runs meanwhile."""
_JOIN_AGAIN_S = 10.0
_PROVE_S = 3.0
_SAY_AGAIN_S = 10.0
_NEWCOMERS = 4
"""The most connections that wait to prove themselves. CircuitPython has 8 sockets on a Pico W
(MAX_SOCKETS in its socketpool); one listens and one belongs to the daemon."""
_ARRIVALS = 8
"""The most connections that are taken in at once."""
_MARKS_KEPT = 32
"""How many marked openings are remembered: a copy of one is not worth a place."""
_CHUNK = 1024


_BUFFER = bytearray(_CHUNK)
"""What was received last; one for all connections."""


class Connection:
    """A connection to somebody who may or may not have the key. Raises OSError, ForgedError."""

    def __init__(self, socket: socketpool.Socket, address: str, key: bytes) -> None:
        self.began_at = time.monotonic()
        self.address = address
        self.is_heard = False
        """Whether it has been read, so that a daemon's opening would have arrived."""
        self.is_marked = False
        """Whether its opening has the mark of a daemon with the key, and is no copy."""
        self._socket = socket
        self.line = SecureLine(key, is_host=False, nonce=os.urandom(16))
        self._out = self.line.opening
        self.send()

    def receive(self) -> bytes:
        """The bytes that have arrived."""
        self.is_heard = True
        try:
            count = self._socket.recv_into(_BUFFER, _CHUNK)
        except OSError as error:
            if error.errno == 11:  # EAGAIN: nothing has arrived
                return b""
            raise
        if not count:
            raise OSError("closed")
        return self.line.receive(bytes(_BUFFER[:count]))

    def send(self, data: bytes = b"") -> bool:
        """Sends bytes after those that still wait. Returns whether there is room for more."""
        if data:
            self._out += self.line.seal(data)
        if self._out:
            try:
                self._out = self._out[self._socket.send(self._out) :]
            except OSError as error:
                if error.errno != 11:
                    raise
        return not self._out

    def close(self) -> None:
        """Ends it."""
        self._socket.close()


class WifiLine:
    """Looks like a serial port: `connected`, `in_waiting`, `read` and `write`.

    It never blocks, except for up to `JOIN_S` seconds while the Wi-Fi is out of reach. Raises
    RuntimeError if CircuitPython is too old.
    """

    def __init__(self, ssid: str, password: str, key: bytes, port: int) -> None:
        try:
            hmac(key, b"")
        except ValueError:
            raise RuntimeError("the line over Wi-Fi needs CircuitPython 10.1 or later") from None
        self._ssid = ssid
        self._password = password
        self._key = key
        self._port = port
        self._join_at = self._say_at = time.monotonic()
        self._pool: socketpool.SocketPool | None = None
        self._listener: socketpool.Socket | None = None
        self._present: Connection | None = None
        self._newcomers: list[Connection] = []
        """Those that have not proved that they have the key, the oldest first."""
        self._marks: list[bytes] = []
        """The marked openings of late."""
        self._received = b""

    @property
    def connected(self) -> bool:
        """Whether the daemon is connected. False once after each change of the connection."""
        if self._listener is None:
            self._join()
            return False
        before = self._present
        self._accept(self._listener)
        self._hear_newcomer()
        self._hear_present()
        return self._present is not None and self._present is before

    @property
    def in_waiting(self) -> int:
        """How many bytes have been received."""
        return len(self._received)

    def read(self, count: int) -> bytes:
        """The first of the received bytes."""
        out, self._received = self._received[:count], self._received[count:]
        return out

    def write(self, data: bytes) -> int:
        """Sends bytes; returns how many it has taken: all, or none if earlier ones wait."""
        present = self._present
        try:
            if present is None or not present.send():
                return 0
            present.send(data)
        except OSError:
            self._drop_present()
            return 0
        return len(data)

    def _join(self) -> None:
        if time.monotonic() < self._join_at:
            return
        try:
            if not wifi.radio.connected:
                wifi.radio.connect(self._ssid, self._password, timeout=JOIN_S)
            if self._pool is None:
                # There can be only one.
                self._pool = socketpool.SocketPool(wifi.radio)
            pool = self._pool
            listener = pool.socket(pool.AF_INET, pool.SOCK_STREAM)
            listener.setsockopt(pool.SOL_SOCKET, pool.SO_REUSEADDR, 1)
            listener.bind((str(wifi.radio.ipv4_address), self._port))
            listener.listen(_NEWCOMERS)
            listener.settimeout(0)
            self._listener = listener
            print("Waiting for the daemon at", wifi.radio.ipv4_address, "port", self._port)
        except (OSError, RuntimeError) as error:
            print("No connection to the Wi-Fi:", error)
            self._join_at = time.monotonic() + _JOIN_AGAIN_S

    def _accept(self, listener: socketpool.Socket) -> None:
        for _ in range(_ARRIVALS):
            try:
                socket, address = listener.accept()
            except OSError:
                return  # no further client has connected
            if not self._make_room(address[0]):
                socket.close()
                continue
            socket.settimeout(0)
            try:
                self._newcomers.append(Connection(socket, address[0], self._key))
            except OSError:
                socket.close()

    def _make_room(self, address: str) -> bool:
        """Whether there is room for a newcomer from this address, if need be in another's place."""
        newcomers = self._newcomers
        if len(newcomers) < _NEWCOMERS:
            return True
        many = [newcomer.address for newcomer in newcomers]
        for newcomer in newcomers:
            if newcomer.is_marked:
                continue
            # An address with several connections gives one up to an address with fewer.
            if newcomer.is_heard or many.count(newcomer.address) > many.count(address) + 1:
                self._refuse(newcomer)
                return True
        return False

    def _refuse(self, newcomer: Connection) -> None:
        newcomer.close()
        self._newcomers.remove(newcomer)

    def _hear_newcomer(self) -> None:
        """Reads one of them, because reading takes time in which more arrive."""
        if not self._newcomers:
            return
        marked = [newcomer for newcomer in self._newcomers if newcomer.is_marked]
        unheard = [newcomer for newcomer in self._newcomers if not newcomer.is_heard]
        newcomer = (marked or unheard or self._newcomers)[0]
        # The others come first the next time.
        self._newcomers.remove(newcomer)
        self._newcomers.append(newcomer)
        try:
            newcomer.send()
            received = newcomer.receive()
        except (OSError, ForgedError) as error:
            self._say_refused(error)
            self._refuse(newcomer)
            return
        if newcomer.line.is_proved:
            self._newcomers.remove(newcomer)
            self._drop_present()
            self._present, self._received = newcomer, received
        elif time.monotonic() - newcomer.began_at > _PROVE_S:
            self._refuse(newcomer)
        elif newcomer.line.is_open and not newcomer.is_marked:
            self._recognise(newcomer)

    def _recognise(self, newcomer: Connection) -> None:
        other = newcomer.line.other
        newcomer.is_marked = newcomer.line.is_marked and other not in self._marks
        if newcomer.is_marked:
            self._marks = self._marks[1 - _MARKS_KEPT :] + [other]

    def _say_refused(self, error: Exception) -> None:
        """Says it on the console, but only now and then: printing takes time."""
        now = time.monotonic()
        if now >= self._say_at:
            self._say_at = now + _SAY_AGAIN_S
            print("A connection was refused:", error)

    def _hear_present(self) -> None:
        present = self._present
        # Leave the rest to TCP until the program has read what has arrived.
        if present is None or len(self._received) > 4 * _CHUNK:
            return
        try:
            present.send()
            self._received += present.receive()
        except (OSError, ForgedError) as error:
            print("The connection has ended:", error)
            self._drop_present()

    def _drop_present(self) -> None:
        if self._present is not None:
            self._present.close()
        self._present, self._received = None, b""
