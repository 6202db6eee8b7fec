"""The serial protocol between host and board: frames and messages (docs/PROTOCOL.md).

Both sides use this module. It runs on CPython, MicroPython and CircuitPython, and imports only what
all three have.
"""

import struct
from binascii import crc32

VERSION = 2
"""The version of the protocol: a hello or greeting of another one is refused."""
PORT_NAME = "pochboard"
"""The board's USB product name."""

END = b"\x00"
"""The byte that ends every frame and occurs in none."""
MAX_PIXELS = 584
"""The most pixels a board can have: nine rings of 64, and eight places."""
MAX_MESSAGE = 3 + 3 * MAX_PIXELS
"""Bytes of the longest message, without its checksum."""
MAX_FRAME = MAX_MESSAGE + 4 + (MAX_MESSAGE + 4) // 254 + 1
"""Bytes of the longest frame, without its end byte."""
TICKS = 1 << 29
"""The board's clock counts milliseconds and wraps around at this value."""
MAX_NUMBER = 65_535
"""The largest number of a message; the next one is 1."""
MAX_NOTES = 32
"""The most notes of a tune."""
MAX_EDGES = 128
"""The most unacknowledged edges that the board keeps: 64 presses."""
EDGES_PER_MESSAGE = 8
NO_HOST = 0
"""In a greeting: the board has received no hello from the sender."""
DISPLAY, SOUND = 1, 2
"""Capabilities in a greeting, one bit each."""

# From the host, below 0x80.
HELLO, BEAT, PIXELS, SEEN, BYE = 0x10, 0x11, 0x12, 0x13, 0x14
BAND = 0x23
TUNE = 0x24
CONTRAST = 8
"""Instead of a band of the picture: the data is one byte, the contrast."""
# From the board, 0x80 and above.
GREETING, ALIVE, EDGES, SHOWN = 0x90, 0x91, 0x92, 0x93
DONE, PLAYED = 0xA1, 0xA2

_FORMATS = {
    HELLO: "<BBIBBHBB",
    BEAT: "<BI",
    PIXELS: "<BH",
    SEEN: "<BII",
    BYE: "<BI",
    GREETING: "<BBIIBBBBHHHQHBB",
    ALIVE: "<BIIHH",
    EDGES: "<BIII",
    SHOWN: "<BIH",
    BAND: "<BHB",
    TUNE: "<BHB",
    DONE: "<BIH",
    PLAYED: "<BIH",
}
_EDGE = "<BI"
_EDGE_SIZE = 5
_DOWN = 0x80


def frame(message: bytes) -> bytes:
    """The frame of a message: the message and its checksum, COBS-encoded, and the end byte."""
    data = message + struct.pack("<I", crc32(message) & 0xFFFFFFFF)
    out = bytearray()
    for block in data.split(END):
        while len(block) >= 254:
            out.append(255)
            out += block[:254]
            block = block[254:]  # noqa: PLW2901 - the rest of the block
        out.append(len(block) + 1)
        out += block
    out += END
    return bytes(out)


def unframe(data: bytes) -> bytes | None:
    """The message in a frame, given without its end byte; None if the frame is damaged."""
    out = bytearray()
    at, size = 0, len(data)
    while at < size:
        code = data[at]
        end = at + code
        if code == 0 or end > size:
            return None
        out += data[at + 1 : end]
        at = end
        if code != 255 and at < size:
            out.append(0)
    if len(out) < 5:
        return None
    message = bytes(out[:-4])
    if struct.unpack("<I", out[-4:])[0] != crc32(message) & 0xFFFFFFFF:
        return None
    return message


class FrameDecoder:
    """Splits a stream of bytes into messages, and skips damaged frames."""

    def __init__(self) -> None:
        self._rest = b""
        self._skipping = False
        self.errors = 0
        """How many frames were damaged."""

    def restart(self) -> None:
        """Forgets a partial frame. The count of damaged frames continues."""
        self._rest = b""
        self._skipping = False

    def feed(self, data: bytes) -> list[bytes]:
        """The messages that these bytes complete."""
        found: list[bytes] = []
        blocks = (self._rest + data).split(END)
        self._rest = blocks.pop()
        for block in blocks:
            message = None
            if not self._skipping and len(block) <= MAX_FRAME:
                message = unframe(block)
            self._skipping = False
            if message is not None:
                found.append(message)
            elif block:
                self.errors += 1
        if len(self._rest) > MAX_FRAME:
            # No frame is this long: discard it, and skip the rest up to the next end byte.
            self._rest = b""
            self._skipping = True
        return found


def pack(kind: int, *fields: int) -> bytes:
    """A message of one kind, its fields in the order of docs/PROTOCOL.md."""
    return struct.pack(_FORMATS[kind], kind, *fields)


def unpack(message: bytes) -> tuple[int, ...] | None:
    """Kind and fields of a message; None if its kind is unknown or it is too short.

    `PIXELS`, `EDGES`, `BAND` and `TUNE` end in data: see `pixels_of`, `edges_of` and `data_of`.
    """
    format_ = _FORMATS.get(message[0]) if message else None
    if format_ is None:
        return None
    size = struct.calcsize(format_)
    return struct.unpack(format_, message[:size]) if len(message) >= size else None


def data_of(message: bytes) -> bytes:
    """What follows the fields of a message that ends in data."""
    return message[struct.calcsize(_FORMATS[message[0]]) :]


def pack_tune(number: int, volume: int, notes: tuple[tuple[int, int], ...]) -> bytes:
    """A tune: the pitch of each note in Hz (0: a rest), and how many ms it takes."""
    out = pack(TUNE, number, volume)
    for note in notes:
        out += struct.pack("<HH", *note)
    return out


def notes_of(message: bytes) -> list[tuple[int, int]] | None:
    """The notes of a tune; None if its length is wrong."""
    start = struct.calcsize(_FORMATS[TUNE])
    if (len(message) - start) % 4:
        return None
    found: list[tuple[int, int]] = []
    for at in range(start, len(message), 4):
        hz, ms = struct.unpack("<HH", message[at : at + 4])
        found.append((hz, ms))
    return found


def version_of(message: bytes) -> int | None:
    """The protocol version of a hello or greeting: always its second byte, in every version."""
    if len(message) < 2 or message[0] not in (HELLO, GREETING):
        return None
    return message[1]


def pack_pixels(number: int, colours: bytes) -> bytes:
    """A frame of pixels: red, green and blue of each, one byte per colour."""
    return pack(PIXELS, number) + colours


def pixels_of(message: bytes) -> bytes:
    """The colours in a frame of pixels."""
    return data_of(message)


def pack_edges(session: int, first: int, now: int, edges: list[tuple[int, bool, int]]) -> bytes:
    """Edges, numbered from `first`: button, whether it went down, and the clock in ms."""
    out = pack(EDGES, session, first, now)
    for button, down, ticks in edges:
        out += struct.pack(_EDGE, button | (_DOWN if down else 0), ticks)
    return out


def edges_of(message: bytes) -> list[tuple[int, bool, int]] | None:
    """The edges in a message; None if its length is wrong."""
    start = struct.calcsize(_FORMATS[EDGES])
    if (len(message) - start) % _EDGE_SIZE:
        return None
    found: list[tuple[int, bool, int]] = []
    for at in range(start, len(message), _EDGE_SIZE):
        code, ticks = struct.unpack(_EDGE, message[at : at + _EDGE_SIZE])
        found.append((code & ~_DOWN, bool(code & _DOWN), ticks))
    return found


def ticks_between(earlier: int, later: int) -> int:
    """Milliseconds between two readings of the board's clock, across its wraparound."""
    return (later - earlier) % TICKS
