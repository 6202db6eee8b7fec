"""What people have chosen for the board, on a phone or with the gesture (BOARD.md 3 and 4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, get_args

from msgspec.structs import replace

from pochboard.buttons.settings import (
    SIGN_US,
    BoardSettings,
    DisplayLanguage,
    SettingName,
    SettingsGesture,
    SettingSign,
)
from pochboard.errors import Refusal
from pochboard.runtime.threads import Change, now_us
from pochboard.store import Store, keep_small, read_small
from pochboard.table.pairing import Pairings, PairingWindow
from pochboard.table.snapshot import Setup
from pochboard.time_zone import find_zone, use_zone

KEEP_US: Final = 1_000_000
"""How long after the last choice it is stored, so that no press waits for a memory card."""


class Settings:
    """The settings of the board, and the gesture that steps them.

    `change` and `adopt` are for any thread, the rest for the table's.
    """

    def __init__(self, store: Store, setup: Setup, pairing: Pairings, change: Change) -> None:
        """What `setup` says applies until somebody chooses."""
        self._change = change
        self._file = store.beside("board")
        self._pairing = pairing
        self.gesture = SettingsGesture(setup.times.long_us)
        """The buttons held at the board to change a setting."""
        self._language = setup.language
        self._opened: PairingWindow | None = None
        """The pairing window that the current press of `next` has opened."""
        self.current = self._kept = read_small(self._file, BoardSettings) or setup.first_settings
        use_zone(self.current.zone)
        self.keep_us: int | None = None
        """When `keep` is due, after nobody has chosen for a moment; None if nothing has changed."""
        self.sign: SettingSign | None = None
        """The step that was just chosen at the board, while the board shows it."""

    @property
    def shown(self) -> BoardSettings:
        """What applies now: where nobody has chosen a language, the configured one."""
        return replace(self.current, language=self.current.language or self._language)

    def open_pairing(self) -> None:
        """The long press of `next` opens pairing. If it is held longer, it can change settings."""
        was_open = self._pairing.window is not None
        self._pairing.open_window()
        self._opened = None if was_open else self._pairing.window
        self.gesture.arm()

    def consumes(self, button: str, down: bool, at_us: int, *, has_sound: bool) -> bool:
        """A button goes down or up. Returns whether the panel must not see it. `tick` first."""
        taken = self.gesture.consumes(button, down, at_us, has_sound=has_sound)
        if isinstance(taken, bool):
            return taken
        self._step(taken)
        return True

    def tick(self, clock_us: int) -> None:
        """Changes the setting of a button that has been held for long enough by now."""
        setting = self.gesture.tick(clock_us)
        if setting is not None:
            self._step(setting)

    def set(self, settings: BoardSettings) -> None:
        """These settings hold from now on."""
        use_zone(settings.zone)
        self.current = settings
        self.keep_us = now_us() + KEEP_US

    def _step(self, setting: SettingName) -> None:
        if self._opened is not None and self._pairing.window == self._opened:
            # Who changes a setting wants to see the gauge and the counts, not the code.
            self._pairing.close()
        self.set(self.current.stepped(setting))
        self.sign = SettingSign(setting, *self.current.step(setting), now_us() + SIGN_US)

    def sign_due_us(self) -> int | None:
        """When the sign has to be ended; None if there is none."""
        return self.sign.until_us if self.sign else None

    def end_sign(self) -> None:
        """The board no longer shows the step that was chosen."""
        self.sign = None

    def keep(self) -> None:
        """Stores what has changed, if anything."""
        self.keep_us = None
        if self.current != self._kept:
            self._kept = self.current
            keep_small(self._file, self._kept)

    def change(self, change: Callable[[BoardSettings], BoardSettings]) -> None:
        """Changes what people have chosen, at once and for later."""
        self._change(lambda: self.set(change(self.current)))

    def adopt(self, *, language: str = "", zone: str = "") -> None:
        """Takes over language and time zone of a phone where nobody has chosen any before."""

        def adopt() -> None:
            current = self.current
            if self.shown.language is None and language in get_args(DisplayLanguage):
                current = replace(current, language=language)
            hidden = zone in ("", "UTC", "Etc/UTC")  # some browsers hide where they are
            if current.zone is None and not hidden and not isinstance(find_zone(zone), Refusal):
                current = replace(current, zone=zone)
            if current != self.current:
                self.set(current)

        self._change(adopt)
