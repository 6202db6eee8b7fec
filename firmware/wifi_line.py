"""The encrypted line to the daemon over Wi-Fi, instead of the serial port (docs/PROTOCOL.md 7).

A new connection replaces the present one only once it has proved that it has the key. So nobody
without the key can disturb the daemon's connection.
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
_CHUNK = 1024


class Connection:
    """A connection to somebody who may or may not have the key. Raises OSError, ForgedError."""

    def __init__(self, socket: socketpool.Socket, key: bytes) -> None:
        self.began_at = time.monotonic()
        self._socket = socket
        self._buffer = bytearray(_CHUNK)
        self.line = SecureLine(key, is_host=False, nonce=os.urandom(16))
        self._out = self.line.opening
        self.send()

    def receive(self) -> bytes:
        """The bytes that have arrived."""
        try:
            count = self._socket.recv_into(self._buffer, _CHUNK)
        except OSError as error:
            if error.errno == 11:  # EAGAIN: nothing has arrived
                return b""
            raise
        if not count:
            raise OSError("closed")
        return self.line.receive(bytes(self._buffer[:count]))

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
        self._join_at = time.monotonic()
        self._pool: socketpool.SocketPool | None = None
        self._listener: socketpool.Socket | None = None
        self._present: Connection | None = None
        self._newcomer: Connection | None = None
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
            listener.listen(2)
            listener.settimeout(0)
            self._listener = listener
            print("Waiting for the daemon at", wifi.radio.ipv4_address, "port", self._port)
        except (OSError, RuntimeError) as error:
            print("No connection to the Wi-Fi:", error)
            self._join_at = time.monotonic() + _JOIN_AGAIN_S

    def _accept(self, listener: socketpool.Socket) -> None:
        try:
            socket, _ = listener.accept()
        except OSError:
            return  # no client has connected
        if self._newcomer is not None:
            self._newcomer.close()
        socket.settimeout(0)
        try:
            self._newcomer = Connection(socket, self._key)
        except OSError:
            socket.close()
            self._newcomer = None

    def _hear_newcomer(self) -> None:
        newcomer = self._newcomer
        if newcomer is None:
            return
        try:
            newcomer.send()
            received = newcomer.receive()
        except (OSError, ForgedError) as error:
            print("A connection was refused:", error)
            newcomer.close()
            self._newcomer = None
            return
        if newcomer.line.is_proved:
            self._drop_present()
            self._present, self._newcomer, self._received = newcomer, None, received
        elif time.monotonic() - newcomer.began_at > _PROVE_S:
            newcomer.close()
            self._newcomer = None

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
