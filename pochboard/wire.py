"""The wire between host and board: frames and messages (docs/PROTOCOL.md).

One module for both sides: it runs under CPython, MicroPython and CircuitPython alike, and imports
only what all three have.
"""

import struct
from binascii import crc32

VERSION = 1
"""The version of the protocol; both sides must speak the same."""
PORT_NAME = "pochboard"
"""What the board calls itself on USB."""

END = b"\x00"
"""The byte that ends every frame and stands in none."""
MOST_PIXELS = 584
"""Nine rings of 64 pixels and eight places: the most that a board can have."""
MOST_MESSAGE = 3 + 3 * MOST_PIXELS
"""Bytes of the longest message, without its check sum."""
MOST_FRAME = MOST_MESSAGE + 4 + (MOST_MESSAGE + 4) // 254 + 1
"""Bytes of the longest frame, without its end."""
TICKS = 1 << 29
"""The board's clock counts milliseconds and begins anew at this many."""
MOST_EDGES = 128
"""Edges that the board keeps until they are acknowledged: 64 presses."""
EDGES_A_MESSAGE = 8
NO_HOST = 0
"""In a greeting: the board has not been greeted by whoever asks."""

# From the host, below 0x80.
HELLO, BEAT, PIXELS, SEEN, BYE = 0x10, 0x11, 0x12, 0x13, 0x14
# From the board, 0x80 and above.
GREETING, ALIVE, EDGES, SHOWN = 0x90, 0x91, 0x92, 0x93

_FORMS = {
    HELLO: "<BBIBBHB",
    BEAT: "<BI",
    PIXELS: "<BH",
    SEEN: "<BII",
    BYE: "<BI",
    GREETING: "<BBIIBBBBHH",
    ALIVE: "<BIIH",
    EDGES: "<BIII",
    SHOWN: "<BIH",
}
_EDGE = "<BI"
_EDGE_SIZE = 5
_DOWN = 0x80


def frame(message: bytes) -> bytes:
    """A message with its check sum, as it goes over the wire: COBS, then the end."""
    data = message + struct.pack("<I", crc32(message) & 0xFFFFFFFF)
    out = bytearray()
    for block in data.split(END):
        while len(block) >= 254:
            out.append(255)
            out += block[:254]
            block = block[254:]  # noqa: PLW2901 - what is left of it
        out.append(len(block) + 1)
        out += block
    out += END
    return bytes(out)


def unframe(data: bytes) -> bytes | None:
    """The message of a frame without its end; None if a byte of it is wrong."""
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


class Frames:
    """Cuts what comes over the wire into messages; what is no whole frame is passed over."""

    def __init__(self) -> None:
        self._rest = b""
        self._lost = False
        self.faults = 0
        """Frames that were no good: noise, halves, the echo of another speed."""

    def feed(self, data: bytes) -> list[bytes]:
        """The messages that have become whole with these bytes."""
        found: list[bytes] = []
        blocks = (self._rest + data).split(END)
        self._rest = blocks.pop()
        for block in blocks:
            message = None
            if not self._lost and len(block) <= MOST_FRAME:
                message = unframe(block)
            self._lost = False
            if message is not None:
                found.append(message)
            elif block:
                self.faults += 1
        if len(self._rest) > MOST_FRAME:
            # No frame is as long: nothing of it is kept, and its end not taken for a frame's.
            self._rest = b""
            self._lost = True
        return found


def pack(kind: int, *fields: int) -> bytes:
    """A message of a kind with its fields, in the order of docs/PROTOCOL.md."""
    return struct.pack(_FORMS[kind], kind, *fields)


def unpack(message: bytes) -> tuple[int, ...] | None:
    """Kind and fields of a message; None if it is of no kind of this version, or too short.

    `PIXELS` and `EDGES` are followed by more, which `pixels_of` and `edges_of` read.
    """
    if not message:
        return None
    form = _FORMS.get(message[0])
    if form is None:
        return None
    size = struct.calcsize(form)
    longer = message[0] in (PIXELS, EDGES)
    if len(message) < size or (len(message) > size and not longer):
        return None
    return struct.unpack(form, message[:size])


def version_of(message: bytes) -> int | None:
    """The version that a hello or greeting of any version names: its second byte, for ever."""
    if len(message) < 2 or message[0] not in (HELLO, GREETING):
        return None
    return message[1]


def pack_pixels(number: int, colours: bytes) -> bytes:
    """A frame of pixels: three bytes each, red, green, blue."""
    return pack(PIXELS, number) + colours


def pixels_of(message: bytes) -> bytes:
    """The colours of a frame of pixels."""
    return message[3:]


def pack_edges(session: int, first: int, now: int, edges: list[tuple[int, bool, int]]) -> bytes:
    """Edges numbered from `first` on: button, whether it went down, and when, in ticks."""
    out = pack(EDGES, session, first, now)
    for button, down, ticks in edges:
        out += struct.pack(_EDGE, button | (_DOWN if down else 0), ticks)
    return out


def edges_of(message: bytes) -> list[tuple[int, bool, int]] | None:
    """The edges of a message; None if it does not hold whole ones."""
    start = struct.calcsize(_FORMS[EDGES])
    if (len(message) - start) % _EDGE_SIZE:
        return None
    found: list[tuple[int, bool, int]] = []
    for at in range(start, len(message), _EDGE_SIZE):
        code, ticks = struct.unpack(_EDGE, message[at : at + _EDGE_SIZE])
        found.append((code & ~_DOWN, bool(code & _DOWN), ticks))
    return found


def ticks_between(earlier: int, later: int) -> int:
    """Milliseconds from one reading of the board's clock to a later one, over its beginning."""
    return (later - earlier) % TICKS
