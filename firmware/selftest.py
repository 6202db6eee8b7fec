"""The board's self-test of pixels and buttons.

Holding `undo` while the board starts begins it. A light walks along the chain in red, then green,
then blue. Each button lights its own pixels, white while it is held and green afterwards: a pool
its ring, a seat its place, `next` and `undo` one half of the places each. The test ends when `undo`
is held again for two seconds, or when a host connects.
"""

from firmware.link import UNDO, Layout
from pochboard import wire

_STEP_MS = 20
_HOLD_TO_END_MS = 2000
_WALK = (b"\x40\x00\x00", b"\x00\x40\x00", b"\x00\x00\x40")
_HELD = b"\x30\x30\x30"
_TESTED = b"\x00\x08\x00"


class SelfTest:
    """One run of the self-test. Times are readings of the board's clock."""

    def __init__(self, layout: Layout, now: int) -> None:
        self.layout, self.over = layout, False
        self._started_at, self._walking = now, True
        self._held: set[int] = set()
        self._tested: set[int] = set()
        self._undo_down_at: int | None = None
        # `undo` is still held from the start; only the next press can end the test.
        self._undo_released = False

    def edge(self, button: int, down: bool, at: int) -> None:
        """Handles a button that went down or up."""
        if down:
            self._held.add(button)
            if button == UNDO and self._undo_released:
                self._undo_down_at = at
            return
        if button in self._held:
            self._held.remove(button)
            self._tested.add(button)
        if button == UNDO:
            self._undo_released = True
            self._undo_down_at = None

    def frame(self, now: int) -> bytes:
        """The colours to show now: red, green and blue of each pixel."""
        down_at = self._undo_down_at
        if down_at is not None and wire.ticks_between(down_at, now) >= _HOLD_TO_END_MS:
            self.over = True
        colours = bytearray(3 * self.layout.pixels)
        for button in self._tested:
            self._paint(colours, button, _TESTED)
        for button in self._held:
            self._paint(colours, button, _HELD)
        pixels = self.layout.pixels
        step = wire.ticks_between(self._started_at, now) // _STEP_MS
        if self._walking and step < len(_WALK) * pixels:
            at = 3 * (step % pixels)
            colours[at : at + 3] = _WALK[step // pixels]
        else:
            self._walking = False
        return bytes(colours)

    def _paint(self, colours: bytearray, button: int, colour: bytes) -> None:
        ring, places = self.layout.ring, self.layout.places
        first, count = wire.RINGS * ring, places // 2
        if button < wire.RINGS:
            first, count = ring * button, ring
        elif button < 17:
            first, count = first + button - wire.RINGS, 1
            if button - wire.RINGS >= places:
                return
        elif button == UNDO:
            first, count = first + places // 2, places - places // 2
        colours[3 * first : 3 * (first + count)] = colour * count
