"""Helpers for the doctor's tests: a machine made of files, and a user who is not root."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pochboard.doctor.check import Check

NOBODY = 65534
PI4 = "Raspberry Pi 4 Model B Rev 1.4"
PI5 = "Raspberry Pi 5 Model B Rev 1.0"
GOOD = "dtparam=spi=on\ncore_freq=500\ncore_freq_min=500\n"


class Machine:
    """The files of a machine, below a folder."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def file(self, path: str, content: str | bytes = "") -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    def pi(self, model: str = PI4, config_txt: str = GOOD) -> None:
        """A 64-bit Pi with this boot configuration."""
        self.file("proc/device-tree/model", f"{model}\0")
        self.file("proc/self/exe", b"\x7fELF\x02\x01\x01")
        self.file("boot/firmware/config.txt", config_txt)

    def service(self) -> None:
        """Marks the service as running."""
        (self.root / "sys/fs/cgroup/system.slice/pochboard.service").mkdir(parents=True)


@contextmanager
def as_nobody(patch: pytest.MonkeyPatch, name: str = "anna") -> Iterator[None]:
    """Runs the block without root's rights, as a user of this name."""
    patch.setenv("LOGNAME", name)
    if os.geteuid() != 0:
        yield
        return
    os.setegid(NOBODY)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)


def named(checks: Iterable[Check]) -> dict[str, Check]:
    """The checks by name; each name must be unique."""
    listed = list(checks)
    by_name = {check.name: check for check in listed}
    assert len(by_name) == len(listed)
    for check in listed:
        assert check.found.endswith("."), check
        assert check.state != "fix" or check.fix, f"no fix for {check}"
        assert "\n" not in str(check)
    return by_name
