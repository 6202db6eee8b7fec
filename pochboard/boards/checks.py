"""What a board needs of the machine it runs on, looked at one thing at a time."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

import msgspec

from pochboard.errors import BoardError


class Check(msgspec.Struct, frozen=True):
    """One thing that was looked at."""

    name: str
    """What it was, in a word or two, as in `buttons: library`."""
    ok: bool
    found: str
    """What there is, as a sentence."""
    mend: str = ""
    """What mends it, as a sentence; empty where nothing needs to be mended.

    Where all is well, and it is given nevertheless, it is what would be better still.
    """

    @property
    def state(self) -> Literal["ok", "note", "mend"]:
        """How it stands in one word."""
        if not self.ok:
            return "mend"
        return "note" if self.mend else "ok"

    @property
    def said(self) -> str:
        """The whole in one line."""
        return f"{self.found} {self.mend}".rstrip()


def failed(name: str, sentence: str, mend: str = "") -> Check:
    """A check that failed with "what there is. What mends it.", or with a colon between.

    `mend` is for sentences that only say what there is.
    """
    found, *rest = re.split(r"(?<=[\w)])[.;] ", sentence, maxsplit=1)
    if not rest and mend:
        return Check(name, ok=False, found=sentence, mend=mend)
    if not rest:
        found, *rest = re.split(r"(?<=[\w)]): ", sentence, maxsplit=1)
    if not rest:
        return Check(name, ok=False, found=sentence)
    return Check(name, ok=False, found=f"{found}.", mend=rest[0][:1].upper() + rest[0][1:])


def install_mend(board: str) -> str:
    """What brings the packages of a board, whichever way the program was installed."""
    return (
        f"Install its packages: for the service sudo systemd/install.sh --board {board},"
        f' in a clone .venv/bin/pip install -e ".[{board}]".'
    )


def require(checks: Iterable[Check]) -> None:
    """Raises BoardError with the first check that failed."""
    for check in checks:
        if not check.ok:
            raise BoardError(check.said)
