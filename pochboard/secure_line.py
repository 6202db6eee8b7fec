"""Encrypts and authenticates a line with a shared key (docs/PROTOCOL.md 7).

Both sides use this module. It runs on CPython, MicroPython and CircuitPython. CircuitPython has
neither TLS with a shared key nor an authenticated cipher, and Python's library has no cipher at
all. Both have SHA-256, so HMAC-SHA-256 makes the keys, the stream of key bytes (counter mode) and
the tags (encrypt, then authenticate).
"""

import hashlib
import struct

KEY_SIZE = 32
"""Bytes of the shared key."""
MAGIC = b"pochboard 2\n"
_NONCE_SIZE = 16
_RANDOM_SIZE = 8
"""How many bytes of the host's nonce are random; the others show that it has the key."""
_OPENING = len(MAGIC) + _NONCE_SIZE
_TAG_SIZE = 16
_MOST = 2048
"""The most plain bytes in a record."""


class ForgedError(ValueError):
    """What arrived was not sent by somebody with the key, or not in this order."""


class SecureLine:
    """One end of a line, from its connection on. Bytes in and out; it does no I/O."""

    def __init__(self, key: bytes, *, is_host: bool, nonce: bytes) -> None:
        """`nonce` is 16 random bytes, new for each connection."""
        if is_host:
            nonce = _marked(key, nonce[:_RANDOM_SIZE])
        self.opening = MAGIC + nonce
        """What to send first."""
        self.other = b""
        """The nonce of the other end, once it has arrived."""
        self.is_open = False
        """Whether the opening of the other end has arrived, so that `seal` may be called."""
        self.is_proved = False
        """Whether the other end has the key: it has sent a record on this connection."""
        self._key = key
        self._is_host = is_host
        self._nonce = nonce
        self._rest = b""
        self._sent = 0
        self._received = 0
        self._mine = self._theirs = b"", b""

    def seal(self, data: bytes) -> bytes:
        """Encrypts bytes to send."""
        out = b""
        while data:
            part, data = data[:_MOST], data[_MOST:]
            hidden = _encrypt(self._mine[0], self._sent, part)
            out += _header(part) + hidden + _tag(self._mine[1], self._sent, hidden)
            self._sent += 1
        return out

    def receive(self, data: bytes) -> bytes:
        """Decrypts the complete records among the received bytes. Raises ForgedError."""
        self._rest += data
        if not self.is_open:
            if not self._rest.startswith(MAGIC[: len(self._rest)]):
                raise ForgedError("the other end is not a board with this protocol")
            if len(self._rest) < _OPENING:
                return b""
            self.other = self._rest[len(MAGIC) : _OPENING]
            self._derive_keys(self.other)
            self._rest = self._rest[_OPENING:]
        out = b""
        while len(self._rest) >= 2:
            size = struct.unpack("<H", self._rest[:2])[0]
            if not 0 < size <= _MOST:
                raise ForgedError("a record has a wrong length")
            end = 2 + size + _TAG_SIZE
            if len(self._rest) < end:
                break
            hidden, tag = self._rest[2 : 2 + size], self._rest[2 + size : end]
            if not _equal(tag, _tag(self._theirs[1], self._received, hidden)):
                raise ForgedError("the keys differ")
            out += _encrypt(self._theirs[0], self._received, hidden)
            self._received += 1
            self._rest = self._rest[end:]
            self.is_proved = True
        return out

    @property
    def is_marked(self) -> bool:
        """Whether the other end's nonce is that of a host with the key, or a copy of one."""
        return _equal(self.other, _marked(self._key, self.other[:_RANDOM_SIZE]))

    def _derive_keys(self, other: bytes) -> None:
        nonces = self._nonce + other if self._is_host else other + self._nonce
        both = hmac(self._key, MAGIC + nonces)
        host = hmac(both, b"host, encrypt"), hmac(both, b"host, authenticate")
        board = hmac(both, b"board, encrypt"), hmac(both, b"board, authenticate")
        self._mine, self._theirs = (host, board) if self._is_host else (board, host)
        self.is_open = True


def _marked(key: bytes, random: bytes) -> bytes:
    """A host's nonce, which nobody without the key can make."""
    return random + hmac(key, MAGIC + b"nonce" + random)[: _NONCE_SIZE - _RANDOM_SIZE]


def hmac(key: bytes, data: bytes) -> bytes:
    """HMAC-SHA-256 (RFC 2104) with a key of at most 64 bytes."""
    key += bytes(64 - len(key))
    inner = _sha256(bytes([byte ^ 0x36 for byte in key]) + data)
    return _sha256(bytes([byte ^ 0x5C for byte in key]) + inner)


def _sha256(data: bytes) -> bytes:
    # CircuitPython has only `new`, MicroPython does not have it.
    if hasattr(hashlib, "new"):
        return hashlib.new("sha256", data).digest()
    return hashlib.sha256(data).digest()


def _encrypt(key: bytes, number: int, data: bytes) -> bytes:
    """The bytes of a record, combined with its stream of key bytes; twice gives them back."""
    stream = b""
    for block in range((len(data) + 31) // 32):
        stream += hmac(key, struct.pack("<QI", number, block))
    size = len(data)
    mixed = int.from_bytes(data, "big") ^ int.from_bytes(stream[:size], "big")
    return mixed.to_bytes(size, "big")


def _header(data: bytes) -> bytes:
    return struct.pack("<H", len(data))


def _tag(key: bytes, number: int, hidden: bytes) -> bytes:
    return hmac(key, struct.pack("<QH", number, len(hidden)) + hidden)[:_TAG_SIZE]


def _equal(first: bytes, second: bytes) -> bool:
    """Whether two tags are equal, in a time that does not tell where they differ."""
    differences = 0
    for one, other in zip(first, second):  # noqa: B905 - MicroPython has no `strict`
        differences |= one ^ other
    return len(first) == len(second) and not differences
