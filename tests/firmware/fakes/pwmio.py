"""Pins that are switched on and off quickly, with a piezo to hear them."""

from __future__ import annotations

from functools import partial

from tests.firmware.fakes.board import Pin
from tests.firmware.fakes.world import HERE


class PWMOut:
    def __init__(
        self,
        pin: Pin,
        *,
        duty_cycle: int = 0,
        frequency: int = 500,
        variable_frequency: bool = False,
    ) -> None:
        assert pin.name == "GP19"
        if pin.used:
            raise ValueError(f"{pin.name} in use")
        pin.used = True
        HERE.at_reload.append(partial(setattr, pin, "used", False))
        self._is_variable = variable_frequency
        self._frequency = frequency
        self._duty_cycle = duty_cycle

    @property
    def frequency(self) -> int:
        return self._frequency

    @frequency.setter
    def frequency(self, value: int) -> None:
        assert self._is_variable, "PWM frequency not writable when variable_frequency is False"
        self._frequency = value

    @property
    def duty_cycle(self) -> int:
        return self._duty_cycle

    @duty_cycle.setter
    def duty_cycle(self, value: int) -> None:
        assert 0 <= value <= 65_535
        if value or self._duty_cycle:
            with HERE.port.with_name("sounds").open("a") as heard:
                heard.write(f"{self._frequency if value else 0}\n")
        self._duty_cycle = value
