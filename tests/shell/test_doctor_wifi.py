"""What the doctor says about the radio of a Pi."""

from __future__ import annotations

from pathlib import Path

import pytest

from pochboard.config import WifiTable
from pochboard.doctor.machine import wifi_checks, wifi_firmware

ZERO, FOUR, FIVE = "Raspberry Pi Zero 2 W Rev 1.0", "Raspberry Pi 4 Model B", "Raspberry Pi 5"
OWN = WifiTable()
SILENT = "9.88.4.77 (test)"
AS_SHIPPED = "options brcmfmac roamoff=1 feature_disable=0x282000\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for folder in ("sys/class/net/wlan0", "usr/lib/modprobe.d", "etc/modprobe.d", "proc"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "usr/lib/modprobe.d/rpi-brcmfmac.conf").write_text(AS_SHIPPED)
    return tmp_path


def names(
    root: Path, model: str, firmware: str = "7.45.96.s1", table: WifiTable = OWN
) -> list[str]:
    checks = [*wifi_checks(table, model, root, lambda: firmware)]
    assert all(check.state == "note" for check in checks)
    return [check.name for check in checks]


def test_the_chip_that_passes_no_data_in_an_encrypted_wifi_of_its_own_is_named(root: Path) -> None:
    assert names(root, ZERO, SILENT) == ["wifi: own", "wifi: router"]
    assert names(root, ZERO, SILENT, WifiTable(open=True)) == ["wifi: router"]
    assert names(root, ZERO, SILENT, WifiTable(own=False)) == ["wifi: router"]
    assert names(root, ZERO) == names(root, FOUR, SILENT) == ["wifi: router"]
    assert names(root, FIVE, SILENT) == []
    (root / "sys/class/net/wlan0").rmdir()
    assert names(root, ZERO, SILENT) == []


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("proc/cmdline", "console=tty1 brcmfmac.feature_disable=0x2282000 rootwait\n"),
        ("etc/modprobe.d/brcmfmac.conf", "options brcmfmac feature_disable=0x2282000\n"),
    ],
)
def test_the_way_out_for_mixed_routers_ends_the_note(root: Path, file: str, text: str) -> None:
    (root / file).write_text(text)
    assert names(root, FOUR) == []


def test_a_device_that_is_not_there_has_no_firmware() -> None:
    assert wifi_firmware("nowhere0") == ""
    assert wifi_firmware("lo") == ""
