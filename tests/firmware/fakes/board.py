"""The pins of a Pico."""

from __future__ import annotations

board_id = "raspberry_pi_pico"


class Pin:
    def __init__(self, name: str) -> None:
        self.name = name
        self.used = False


GP0, GP1, GP2, GP3, GP4, GP5, GP6, GP7, GP8, GP9 = (Pin(f"GP{gp}") for gp in range(10))
GP10, GP11, GP12, GP13, GP14, GP15, GP16, GP17 = (Pin(f"GP{gp}") for gp in range(10, 18))
GP18, GP19, GP20, GP21, GP22 = (Pin(f"GP{gp}") for gp in range(18, 23))
GP25, GP26, GP27, GP28 = (Pin(f"GP{gp}") for gp in range(25, 29))
