"""The piezo of the board: plays short tunes, note by note, between all other work."""

from pochboard import wire

_LOWEST_HZ, _HIGHEST_HZ = 50, 20_000
_LONGEST_MS = 1000
"""The longest note, in ms. A longer one would no longer belong to what has just happened."""


class Tone:
    """What drives the piezo."""

    def sound(self, hz: int, volume: int) -> None:
        """Sounds at this pitch until the next call; 0 Hz is silence. The volume is 1 to 255."""
        raise NotImplementedError


class Buzzer:
    """Plays the newest tune, and is silent without a host."""

    def __init__(self, tone: Tone) -> None:
        self._tone = tone
        self._notes: list[tuple[int, int]] = []
        """The notes still to play."""
        self._volume = self._ends_at = 0
        self._is_playing = False

    def take(self, message: bytes) -> None:
        """Begins a tune, if it is valid, and ends the current one."""
        fields, notes = wire.unpack(message), wire.notes_of(message)
        if fields is None or not notes or len(notes) > wire.MAX_NOTES:
            return
        for hz, ms in notes:
            if (hz and not _LOWEST_HZ <= hz <= _HIGHEST_HZ) or ms > _LONGEST_MS:
                return
        self._volume, self._notes = fields[2], notes
        self._stop()

    def step(self, now: int, *, lit: bool) -> None:
        """Begins and ends notes. Call it often."""
        if not lit:
            self._notes = []
            self._stop()
            return
        if self._is_playing and wire.ticks_between(self._ends_at, now) < wire.TICKS // 2:
            self._stop()
        if self._notes and not self._is_playing:
            hz, ms = self._notes[0]
            self._notes = self._notes[1:]
            self._is_playing = True
            self._ends_at = (now + ms) % wire.TICKS
            if hz and self._volume:
                self._tone.sound(hz, self._volume)

    def _stop(self) -> None:
        if self._is_playing:
            self._is_playing = False
            self._tone.sound(0, 0)
