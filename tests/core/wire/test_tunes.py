"""Tunes over a line that loses messages: each is played once, or not at all."""

from __future__ import annotations

import random

import pytest

from firmware.buzzer import Buzzer, Tone
from pochboard import wire
from pochboard.boards.base import Tune
from pochboard.boards.pico.link import TUNE_AGAIN_US, TUNE_LATE_US, Tunes

TUNE = Tune(((660, 80), (0, 20), (880, 160)), 200)


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


def tune(number: int, *notes: tuple[int, int], volume: int = 200) -> bytes:
    return wire.pack_tune(number, volume, notes)


def test_notes_have_their_pitches_and_durations_across_the_wraparound_of_the_clock() -> None:
    tone = RecordingTone()
    buzzer = Buzzer(tone)
    tone.now = begin = wire.TICKS - 50
    assert buzzer.take(tune(1, *TUNE.notes)) == 1
    play(buzzer, tone, begin + 400)
    assert [(now - begin, hz) for now, hz, _ in tone.heard if hz] == [(0, 660), (100, 880)]
    assert tone.heard[-1] == (begin + 260, 0, 0)
    assert {volume for _, hz, volume in tone.heard if hz} == {200}


@pytest.mark.parametrize("seed", range(20))
def test_a_tune_is_played_once_however_many_messages_are_lost(seed: int) -> None:
    chance, tone, host = random.Random(seed), RecordingTone(), Tunes()
    buzzer, decoder = Buzzer(tone), wire.FrameDecoder()
    host.play(TUNE, 0)
    sent = 0
    for now in range(2000):
        tone.now = now
        for message in decoder.feed(host.to_send(now * 1000)):
            sent += 1
            number = buzzer.take(message) if chance.random() < 0.5 else None
            if number is not None and chance.random() < 0.5:
                host.played(number)
        buzzer.step(now, lit=True)
    assert [hz for _, hz, _ in tone.heard if hz] in ([660, 880], [])
    assert 1 <= sent <= TUNE_LATE_US // TUNE_AGAIN_US
    assert host.due_us() is None


def test_a_newer_tune_takes_the_place_of_one_that_is_not_answered() -> None:
    host = Tunes()
    host.play(TUNE, 0)
    host.to_send(0)
    newer = Tune(((500, 10),))
    host.play(newer, 10)
    host.played(1)
    assert host.to_send(10) == wire.frame(wire.pack_tune(2, newer.volume, newer.notes))
    host.played(2)
    assert host.due_us() is None


def test_without_a_host_the_board_is_silent_and_forgets_numbers() -> None:
    tone = RecordingTone()
    buzzer = Buzzer(tone)
    buzzer.take(tune(1, (500, 1000), (600, 1000)))
    play(buzzer, tone, 10)
    play(buzzer, tone, 20, lit=False)
    assert [hz for _, hz, _ in tone.heard] == [500, 0]
    play(buzzer, tone, 30)
    assert len(tone.heard) == 2
    # The next host begins with 1 too.
    assert buzzer.take(tune(1, (700, 10))) == 1
    play(buzzer, tone, 60)
    assert [hz for _, hz, _ in tone.heard[2:]] == [700, 0]


@pytest.mark.parametrize(
    "message",
    [
        tune(1), tune(1, (49, 10)), tune(1, (20_001, 10)), tune(1, (440, 1001)),
        tune(1, *[(440, 10)] * 33), tune(1, (440, 10))[:-1], tune(1, (440, 10)) + b"\0",
    ],
)  # fmt: skip
def test_a_wrong_tune_is_neither_played_nor_answered(message: bytes) -> None:
    tone = RecordingTone()
    buzzer = Buzzer(tone)
    assert buzzer.take(message) is None
    play(buzzer, tone, 50)
    assert tone.heard == []


def test_silence_takes_its_time_but_is_not_heard() -> None:
    tone = RecordingTone()
    buzzer = Buzzer(tone)
    buzzer.take(tune(1, (440, 10), volume=0))
    play(buzzer, tone, 50)
    assert not any(hz for _, hz, _ in tone.heard)
