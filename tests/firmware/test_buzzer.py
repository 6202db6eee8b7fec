"""Tunes on the piezo: the pitches and durations of their notes, and data that is not a tune."""

from __future__ import annotations

import pytest

from firmware.buzzer import Buzzer, Tone
from pochboard import wire


class RecordingTone(Tone):
    """Records the sounds, with the time on the board's clock."""

    def __init__(self) -> None:
        self.now = 0
        self.heard: list[tuple[int, int, int]] = []

    def sound(self, hz: int, volume: int) -> None:
        self.heard.append((self.now, hz, volume))


def play(buzzer: Buzzer, tone: RecordingTone, until: int, *, lit: bool = True) -> None:
    while tone.now < until:
        buzzer.step(tone.now % wire.TICKS, lit=lit)
        tone.now += 1


def tune(*notes: tuple[int, int], volume: int = 200) -> bytes:
    return wire.pack(wire.TUNE, 1, volume) + wire.notes_data(notes)


def test_notes_have_their_pitches_and_durations_across_the_wraparound_of_the_clock() -> None:
    tone = RecordingTone()
    buzzer = Buzzer(tone)
    tone.now = begin = wire.TICKS - 50
    buzzer.take(tune((660, 80), (0, 20), (880, 160)))
    play(buzzer, tone, begin + 400)
    assert [(now - begin, hz) for now, hz, _ in tone.heard if hz] == [(0, 660), (100, 880)]
    assert tone.heard[-1] == (begin + 260, 0, 0)
    assert {volume for _, hz, volume in tone.heard if hz} == {200}


def test_a_newer_tune_takes_the_place_of_one_that_plays_and_a_lost_host_ends_it() -> None:
    tone = RecordingTone()
    buzzer = Buzzer(tone)
    buzzer.take(tune((500, 1000), (600, 1000)))
    play(buzzer, tone, 10)
    buzzer.take(tune((700, 1000), (800, 1000)))
    play(buzzer, tone, 20)
    play(buzzer, tone, 30, lit=False)
    play(buzzer, tone, 3000)
    assert [hz for _, hz, _ in tone.heard] == [500, 0, 700, 0]


@pytest.mark.parametrize(
    "message",
    [
        tune(), tune((49, 10)), tune((20_001, 10)), tune((440, 1001)),
        tune(*[(440, 10)] * 33), tune((440, 10))[:-1], tune((440, 10)) + b"\0",
        tune((440, 10), volume=0),
    ],
)  # fmt: skip
def test_a_wrong_or_silent_tune_is_not_heard(message: bytes) -> None:
    tone = RecordingTone()
    buzzer = Buzzer(tone)
    buzzer.take(message)
    play(buzzer, tone, 50)
    assert not any(hz for _, hz, _ in tone.heard)
