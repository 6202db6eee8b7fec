"""Which serial ports may be the board's."""

from __future__ import annotations

import pytest
from serial.tools import list_ports
from serial.tools.list_ports_common import ListPortInfo

from pochboard.boards.pico.ports import Port, find_ports, ports_of
from pochboard.config import PicoTable

FIRST, SECOND = "E6614C311B7D7A2F", "E6614C311B7D7A30"


def plugged_in(device: str, product: str, serial: str, interface: str) -> ListPortInfo:
    info = ListPortInfo(device)
    info.vid, info.product, info.serial_number = 0x239A, product, serial
    info.interface = interface
    return info


@pytest.fixture(autouse=True)
def two_boards_and_a_strange_pico(monkeypatch: pytest.MonkeyPatch) -> None:
    modem = ListPortInfo("/dev/ttyUSB0")
    modem.vid = 0x1234
    plugged = [
        modem,
        plugged_in("/dev/ttyACM0", "pochboard", FIRST, "CircuitPython CDC control"),
        plugged_in("/dev/ttyACM1", "pochboard", FIRST, "CircuitPython CDC2 data"),
        plugged_in("/dev/ttyACM2", "Pico", "E66164084319", "CircuitPython CDC control"),
        plugged_in("/dev/ttyACM3", "pochboard", SECOND.lower(), "CircuitPython CDC2 data"),
    ]
    monkeypatch.setattr(list_ports, "comports", lambda: plugged)


def test_ports_of_all_boards_are_found_with_their_ids() -> None:
    assert find_ports() == [
        Port("/dev/ttyACM1", id=FIRST),
        Port("/dev/ttyACM3", id=SECOND),
        Port("/dev/ttyACM0", console=True, id=FIRST),
        Port("/dev/ttyACM2", console=True, ours=False, id="E66164084319"),
    ]


@pytest.mark.parametrize(
    ("wanted", "usable"),
    [
        ("", ["/dev/ttyACM1", "/dev/ttyACM3"]),
        (FIRST, ["/dev/ttyACM1"]),
        (SECOND.lower(), ["/dev/ttyACM3"]),
    ],
)
def test_the_id_in_the_configuration_chooses_among_boards(wanted: str, usable: list[str]) -> None:
    ports = ports_of(PicoTable(id=wanted))()
    assert [port.device for port in ports if port.usable] == usable
