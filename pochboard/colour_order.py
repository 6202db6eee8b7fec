"""The order in which pixels expect their colours: how one is put right, and what it does to frames.

Both follow from what people see. It knows nothing of boards or settings.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

ColourOrder = Literal["RGB", "RBG", "GRB", "GBR", "BRG", "BGR"]
Colour = Literal["red", "green", "blue"]
_NAMES: dict[str, Colour] = {"R": "red", "G": "green", "B": "blue"}
_ORDERS: dict[str, ColourOrder] = {
    "RGB": "RGB", "RBG": "RBG", "GRB": "GRB", "GBR": "GBR", "BRG": "BRG", "BGR": "BGR",
}  # fmt: skip


def order_seen(sent: ColourOrder, seen: Mapping[Colour, Colour]) -> ColourOrder | None:
    """The order that pixels have, by what people saw of each colour that was sent in another order.

    None if they saw one colour twice.
    """
    letters = {name: letter for letter, name in _NAMES.items()}
    return _ORDERS.get("".join(letters[seen[_NAMES[letter]]] for letter in sent))


def reordered(frame: bytes, sent: ColourOrder, expected: ColourOrder) -> bytes:
    """The frame that is shown right by pixels that expect one order, when it is sent in another."""
    if sent == expected:
        return frame
    made = bytearray(len(frame))
    for sent_as, shown_as in zip(sent, expected, strict=True):
        made["RGB".index(sent_as) :: 3] = frame["RGB".index(shown_as) :: 3]
    return bytes(made)
