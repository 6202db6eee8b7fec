"""The test of the sound: the board plays each of its tunes, so that people hear what it means."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from pochboard.boards.base import LOUDEST, Board, Tune
from pochboard.daemon.sound_driver import TUNES, SoundName
from pochboard.doctor.board import why_no_link
from pochboard.doctor.check import Echo
from pochboard.errors import BoardError
from pochboard.text.lazy import LazyText, lazy_gettext

GAP_S: Final = 0.7
"""The silence after each tune."""
TITLES: Final[Mapping[SoundName, LazyText]] = {
    "knock": lazy_gettext("Two low knocks: somebody opens the betting or raises"),
    "chips": lazy_gettext("Two short high beeps: other chips move"),
    "claim": lazy_gettext("Four rising beeps: a claim"),
    "turn": lazy_gettext("Two rising notes: in the betting, it is another player's turn"),
    "refused": lazy_gettext("Two falling low notes: something is refused"),
    "end": lazy_gettext("Four rising notes: the end of a night"),
    "volume": lazy_gettext("One high note: the volume was changed"),
}
"""What each tune sounds like, and what it means."""


def play_tunes(board: Board, volume: float, *, echo: Echo, pause: Callable[[float], bool]) -> bool:
    """Plays every tune at the configured volume, 0 to 1; returns whether all were played.

    `pause` waits for this many seconds, and returns whether to stop. Raises BoardError if nothing
    can be heard.
    """
    _require_sound(board, volume)
    for name, title in TITLES.items():
        notes = TUNES[name]
        echo(title)
        board.play(Tune(notes, round(LOUDEST * volume)))
        if pause(sum(ms for _, ms in notes) / 1000 + GAP_S):
            return False
        if not board.link:
            raise BoardError(why_no_link(board))
        if board.sound_problem is not None:
            raise BoardError(board.sound_problem.text)
    return True


def _require_sound(board: Board, volume: float) -> None:
    if not volume:
        raise BoardError(
            lazy_gettext("volume is 0, so nothing is played. Change it in config.toml.")
        )
    if board.has_sound:
        return
    if board.kind == "pico":
        raise BoardError(
            lazy_gettext(
                "The board has no piezo, or does not know about it. If one is connected, set PIEZO "
                "="
                " True in settings.py on the board's drive."
            )
        )
    raise BoardError(
        lazy_gettext(
            "No piezo is configured. If one is connected, set piezo = true in [gpio] of"
            " config.toml."
        )
    )
