"""The light sensor of the board, on a bus in memory."""

from __future__ import annotations

from firmware.light_sensor import Bus, LightSensor
from pochboard import bh1750, wire


class Recorded(Bus):
    """A sensor in a room of 25 lux, and what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def writeto(self, address: int, buffer: bytes) -> None:
        assert (address, buffer) == (bh1750.ADDRESS, bh1750.MEASURE)
        self.asked.append("measure")

    def readfrom_into(self, address: int, buffer: bytearray) -> None:
        self.asked.append("read")
        buffer[:] = (30).to_bytes(2, "big")


def test_a_measurement_is_read_once_it_has_been_made() -> None:
    bus = Recorded()
    sensor = LightSensor(bus, wire.TICKS - 200)
    seen = [sensor.step((wire.TICKS - 200 + ms) % wire.TICKS) for ms in range(0, 1_500, 10)]
    assert bus.asked == ["measure", "read"] * 2
    assert {light for light in seen if light is not None} == {250}
