"""What a board needs of the machine it runs on, looked at one thing at a time."""

from __future__ import annotations

from collections.abc import Iterable

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
    """What mends it, as a sentence; empty where nothing needs to be mended."""

    @property
    def said(self) -> str:
        """The whole in one line."""
        return f"{self.found} {self.mend}".rstrip()


def require(checks: Iterable[Check]) -> None:
    """Raises BoardError with the first check that failed."""
    for check in checks:
        if not check.ok:
            raise BoardError(check.said)
