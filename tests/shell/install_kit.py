"""A folder that stands in for the system of a Pi, and the install script run on it.

The files are real. Only what needs root, or a whole system, is replaced: chroot, chown and id.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
SCRIPT: Final = ROOT / "systemd/install.sh"
CONFIG_TXT: Final = "# see the documentation\ndtparam=audio=on\n[cm4]\notg_mode=1\n"
PROGRAMS: Final = ("systemctl", "gcc", "apt-get", "avahi-daemon", "dnsmasq")

# Runs Python for real, keeps users and groups as files, and records every call.
_CHROOT: Final = """#!/bin/sh
root=$1
shift
echo "$*" >>"$root/calls"
case $1 in
/usr/bin/python3)
    shift
    if [ "$2" = venv ]; then
        mkdir -p "$root$3/bin"
    else
        exec PYTHON "$@"
    fi
    ;;
*/python) [ "$4" != --version ] || [ -d "$root/opt/pochboard/.venv" ] ;;
getent) [ -e "$root/users/$3" ] ;;
useradd)
    for name; do :; done
    touch "$root/users/$name"
    ;;
userdel) rm "$root/users/$2" ;;
esac
"""


class System:
    """A system in a folder, to install into."""

    def __init__(self, folder: Path, *, pi: bool = True, wifi: bool = True) -> None:
        self.root = folder / "system"
        self._tools = folder / "tools"
        self._tools.mkdir()
        for name, script in {
            "chroot": _CHROOT.replace("PYTHON", sys.executable),
            "chown": "#!/bin/sh\n",
            "id": "#!/bin/sh\necho 0\n",
        }.items():
            self._program(self._tools / name, script)
        for name in (*PROGRAMS, *(["NetworkManager"] if wifi else [])):
            self._program(self.root / "usr/bin" / name, "#!/bin/sh\n")
        self._write("users/gpio", "")
        self._write("users/spi", "")
        self._write("usr/include/python3.11/Python.h", "")
        self._write("etc/hostname", "raspberrypi\n")
        self._write("etc/hosts", "127.0.0.1\tlocalhost\n127.0.1.1\traspberrypi\n")
        if pi:
            self._write("boot/firmware/config.txt", CONFIG_TXT)

    def _program(self, path: Path, script: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(script)
        path.chmod(0o755)

    def _write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def install(self, *options: str) -> subprocess.CompletedProcess[str]:
        """Runs the script on this system."""
        return self.run(SCRIPT, "--root", self.root, *options)

    def run(self, *command: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
        """Runs a command with the tools that stand in for those that need root."""
        return subprocess.run(
            command,
            env=os.environ | variables | {"PATH": f"{self._tools}:{os.environ['PATH']}"},
            check=False,
            capture_output=True,
            text=True,
        )

    def read(self, name: str) -> str:
        """The contents of a file."""
        return (self.root / name).read_text()

    def calls(self) -> list[str]:
        """What was run within the system."""
        return self.read("calls").splitlines()

    def files(self) -> dict[str, str]:
        """All files outside the program's folder, with their contents."""
        return {
            str(path.relative_to(self.root)): path.read_text()
            for path in sorted(self.root.rglob("*"))
            if path.is_file() and path.name != "calls" and "opt" not in path.parts
        }
