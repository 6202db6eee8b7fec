"""Noise on a line: bytes changed, doubled, inserted and dropped."""

from __future__ import annotations

from random import Random


def spoil(data: bytes, part: float, random: Random) -> bytes:
    """The bytes as they arrive when this fraction of them (0 to 1) is corrupted."""
    if not part:
        return data
    out = bytearray()
    for byte in data:
        if random.random() >= part:
            out.append(byte)
            continue
        match random.randrange(4):
            case 0:
                out.append(byte ^ (1 << random.randrange(8)))
            case 1:
                out += bytes((byte, byte))
            case 2:
                out += bytes((byte, random.randrange(256)))
            case _:
                pass
    return bytes(out)
