"""The display and the piezo on the header, and a display that does not work."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from pochboard.boards.base import Tune
from tests.shell.boards.gpio_rig import GpioRig
from tests.shell.boards.kit import LOOK, FakeSink
from tests.shell.boards.test_conformance import frame_of, picture_of
from tests.shell.server_kit import wait_until


@pytest.fixture
def rig() -> Iterator[GpioRig]:
    rig = GpioRig()
    rig.board.start(FakeSink())
    yield rig
    rig.bus_works.set()
    rig.board.close()
    rig.close()


def answers(rig: GpioRig, within_s: float = 0.2) -> bool:
    """Whether the display's thread answers."""
    answered = threading.Event()
    rig.board.ping_display(answered.set)
    return answered.wait(within_s)


def test_a_bus_that_hangs_keeps_only_the_display_from_answering(rig: GpioRig) -> None:
    wait_until("it answers", lambda: answers(rig))
    wait_until("it answers again", lambda: answers(rig))
    rig.bus_works.clear()
    rig.board.show_screen(picture_of(1))
    wait_until("it hangs", lambda: not answers(rig))
    rig.board.show(frame_of(5))
    wait_until("the lights work", lambda: rig.shown()[-1] == frame_of(5))
    answered = threading.Event()

    def board_answers() -> bool:
        rig.board.ping(answered.set)
        return answered.wait(0.05)

    wait_until("the board answers", board_answers)
    rig.bus_works.set()
    wait_until("it answers again", lambda: answers(rig))
    wait_until("the picture is there", lambda: rig.screen() == picture_of(1))


def test_a_display_whose_plug_is_loose_answers(rig: GpioRig) -> None:
    rig.unplug_display(True)
    rig.board.show_screen(picture_of(1))
    for _ in range(3):
        wait_until("it answers", lambda: answers(rig))


def test_a_bus_that_hangs_delays_the_end_only_a_little(
    rig: GpioRig, caplog: pytest.LogCaptureFixture
) -> None:
    assert rig.board._screen is not None
    rig.board._screen._join_s = 0.1
    rig.board.show(frame_of(5))
    wait_until("it is lit", lambda: rig.shown()[-1] == frame_of(5))
    rig.bus_works.clear()
    rig.board.show_screen(picture_of(1))
    wait_until("it hangs", lambda: not answers(rig))
    rig.board.close()
    assert not any(rig.shown()[-1]), "the lights are off"
    assert "The display does not respond, so it may stay lit." in caplog.text


def test_a_note_lasts_as_long_as_its_tune_says(rig: GpioRig) -> None:
    minute_ms = 60_000
    rig.board.play(Tune(((300, minute_ms), (400, 10))))
    wait_until("the first note is heard", lambda: list(rig.heard()) == [300])
    for level in range(1, 21):
        frame = bytes([level]) * (3 * LOOK.pixels)
        rig.board.show(frame)
        wait_until("the frame is shown", lambda: rig.shown()[-1:] == [frame])  # noqa: B023
    assert list(rig.heard()) == [300]
    assert not rig.is_silent()
    rig.board.play(Tune(((500, 1), (600, minute_ms))))
    wait_until("a short note is over", lambda: list(rig.heard()) == [300, 500, 600])
