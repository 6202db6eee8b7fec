"""Runs a program with as much memory as the service gets: in a cgroup, else by limits."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

_UNIT: Final = Path(__file__).parents[2] / "systemd" / "pochboard.service"
_V1: Final = Path("/sys/fs/cgroup/memory")
_V2: Final = Path("/sys/fs/cgroup")


def unit_limit() -> int:
    """`MemoryMax` of the service, in bytes."""
    match = re.search(r"^MemoryMax=(\d+)M$", _UNIT.read_text("utf-8"), re.MULTILINE)
    assert match is not None
    return int(match[1]) * 1024 * 1024


@contextmanager
def limited(program: Path, folder: Path) -> Iterator[Path]:
    """A script that starts the program with the memory of the service; it ends all that is left."""
    group = _cgroup(f"pochboard-test-{os.getpid()}")
    if group is None:
        # Without root: the kernel counts what is written to, as a cgroup does.
        joins = f"ulimit -s 1024; ulimit -d {unit_limit() // 1024}"
    else:
        joins = f"echo $$ > {group}/cgroup.procs"
    script = folder / "limited"
    script.write_text(f'#!/bin/sh\nset -e\n{joins}\nexec {program} "$@"\n')
    script.chmod(0o755)
    try:
        yield script
    finally:
        if group is not None:
            group.rmdir()


def _cgroup(name: str) -> Path | None:
    """A new cgroup with the limit of the service; None if this user may not make one."""
    if (_V1 / "memory.limit_in_bytes").exists():
        folder, limits = _V1 / name, {"memory.limit_in_bytes": str(unit_limit())}
    elif (_V2 / "cgroup.controllers").exists():
        folder = _V2 / name
        limits = {"memory.max": str(unit_limit()), "memory.swap.max": "0"}
        with suppress(OSError):
            (_V2 / "cgroup.subtree_control").write_text("+memory")
    else:
        return None
    try:
        folder.mkdir()
    except OSError:
        return None
    try:
        for file, value in limits.items():
            (folder / file).write_text(value)
    except OSError:
        folder.rmdir()
        return None
    return folder
