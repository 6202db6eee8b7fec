"""The serial protocol between host and board: lines and messages (docs/PROTOCOL.md).

Both sides use this module. It runs on CPython, MicroPython and CircuitPython, and imports only what
all three have.
"""

import struct
from binascii import crc32
from math import asin, pi

VERSION = 1
"""The version of the protocol: a line of another one is refused."""
PORT_NAME = "pochboard"
"""The board's USB product name."""

END = b"\n"
"""The byte that ends every line and occurs in none."""
_ESCAPE, _END_ESCAPED, _ESCAPE_ESCAPED = b"\x1b", b"\x1b\x01", b"\x1b\x02"

BUTTONS = 19
RINGS = 9
MAX_PIXELS = 584
"""The most pixels a board can have: nine rings of 64, and eight places."""
MAX_LINE = 2 * (3 + 3 * MAX_PIXELS + 4)
"""Bytes of the longest line, without its end byte: a frame of escaped bytes, and its checksum."""
TICKS = 1 << 29
"""The board's clock counts milliseconds and wraps around at this value."""
MAX_NUMBER = 65_535
"""The largest number of a message; the next one is 1."""
MAX_NOTES = 32
"""The most notes of a tune."""
PERIOD = 65_536
"""A whole period of a note, in the units of `high_share`."""
MAX_EDGES = 32
"""The most edges in a line of the board."""
ORDERS = ("RGB", "RBG", "GRB", "GBR", "BRG", "BGR")
"""The orders in which pixels may expect their colours, by their number in the host's line."""
NOBODY = 0
"""Instead of a link: there is none."""
DISPLAY, SOUND = 1, 2
"""Capabilities of a board, one bit each."""

# From the host, then from the board.
HOST, PIXELS, PICTURE, TUNE = 0x10, 0x11, 0x12, 0x13
BOARD = 0x90

_FORMATS = {
    HOST: "<BBIBBHBBB",
    PIXELS: "<BH",
    PICTURE: "<BHB",
    TUNE: "<BHB",
    BOARD: "<BBIIIHBBBBQBBI19B",
}
_DOWN = 0x80


def line(message: bytes) -> bytes:
    """The line of a message: the message and its checksum, escaped, and the end byte."""
    data = message + struct.pack("<I", crc32(message) & 0xFFFFFFFF)
    return data.replace(_ESCAPE, _ESCAPE_ESCAPED).replace(END, _END_ESCAPED) + END


def message_of(data: bytes) -> bytes | None:
    """The message in a line, given without its end byte; None if the line is damaged."""
    data = data.replace(_END_ESCAPED, END).replace(_ESCAPE_ESCAPED, _ESCAPE)
    message = data[:-4]
    if not message or struct.unpack("<I", data[-4:])[0] != crc32(message) & 0xFFFFFFFF:
        return None
    return message


class LineReader:
    """Splits a stream of bytes into messages, and skips damaged lines."""

    def __init__(self) -> None:
        self._rest = b""
        self._skipping = False
        self.errors = 0
        """How many lines were damaged."""

    def restart(self) -> None:
        """Forgets a partial line. The count of damaged lines continues."""
        self._rest = b""
        self._skipping = False

    def feed(self, data: bytes) -> list[bytes]:
        """The messages that these bytes complete."""
        found: list[bytes] = []
        lines = (self._rest + data).split(END)
        self._rest = lines.pop()
        for one in lines:
            message = None
            if not self._skipping and len(one) <= MAX_LINE:
                message = message_of(one)
            self._skipping = False
            if message is not None:
                found.append(message)
            elif one:
                self.errors += 1
        if len(self._rest) > MAX_LINE:
            # No line is this long: discard it, and skip the rest up to the next end byte.
            self._rest = b""
            self._skipping = True
        return found


def pack(kind: int, *fields: int) -> bytes:
    """A message of one kind, its fields in the order of docs/PROTOCOL.md."""
    return struct.pack(_FORMATS[kind], kind, *fields)


def unpack(message: bytes) -> tuple[int, ...] | None:
    """Kind and fields of a message; None if its kind is unknown or it is too short.

    All but `HOST` end in data: see `data_of`, `notes_of` and `edges_of`.
    """
    format_ = _FORMATS.get(message[0]) if message else None
    if format_ is None:
        return None
    size = struct.calcsize(format_)
    return struct.unpack(format_, message[:size]) if len(message) >= size else None


def data_of(message: bytes) -> bytes:
    """What follows the fields of a message."""
    return message[struct.calcsize(_FORMATS[message[0]]) :]


def version_of(message: bytes) -> int | None:
    """The protocol version of a line of host or board: always its second byte, in every version."""
    return message[1] if len(message) > 1 and message[0] in (HOST, BOARD) else None


def notes_data(notes: tuple[tuple[int, int], ...]) -> bytes:
    """The notes of a tune: the pitch of each in Hz (0: a rest), and how many ms it takes."""
    return b"".join([struct.pack("<HH", hz, ms) for hz, ms in notes])


def notes_of(message: bytes) -> list[tuple[int, int]] | None:
    """The notes of a tune; None if their length is wrong."""
    data = data_of(message)
    if len(data) % 4:
        return None
    return [struct.unpack("<HH", data[at : at + 4]) for at in range(0, len(data), 4)]


def high_share(volume: int) -> int:
    """For how much of each period a piezo's pin is high, at a volume of 0 to 255.

    The fundamental of a pulse that is high for a share d of its period has the amplitude sin(πd).
    """
    return round(asin(volume / 255) / pi * PERIOD)


def edges_data(edges: list[tuple[int, bool, int]]) -> bytes:
    """Edges, the oldest first: button, whether it went down, and how many ms ago."""
    return b"".join(
        [struct.pack("<BH", button | (_DOWN if down else 0), ago) for button, down, ago in edges]
    )


def edges_of(message: bytes) -> list[tuple[int, bool, int]] | None:
    """The edges in a line of the board; None if they are damaged."""
    data = data_of(message)
    if len(data) % 3:
        return None
    found: list[tuple[int, bool, int]] = []
    for at in range(0, len(data), 3):
        code, ago = struct.unpack("<BH", data[at : at + 3])
        if code & ~_DOWN >= BUTTONS:
            return None
        found.append((code & ~_DOWN, bool(code & _DOWN), ago))
    return found


def ticks_between(earlier: int, later: int) -> int:
    """Milliseconds between two readings of the board's clock, across its wraparound."""
    return (later - earlier) % TICKS
