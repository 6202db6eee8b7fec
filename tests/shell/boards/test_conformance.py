"""What every board does (BOARD.md 6): edges in, frames out, the link, the end."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest

from pochboard.boards.base import Tune
from pochboard.boards.gpio import gpio_board
from pochboard.boards.pico.link import LOST_US
from pochboard.buttons.press import BUTTONS, PressTimes
from pochboard.buttons.settings import BoardSettings
from pochboard.lights.frame import Frame, estimate_ma, limit
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.seating import resolve_among
from pochboard.screen import BLANK, SIZE
from pochboard.store import Store
from pochboard.table.snapshot import BoardInfo, Setup
from pochboard.table.table import Table
from tests.shell.boards.gpio_rig import GpioRig
from tests.shell.boards.kit import LOOK, FakeSink, Rig
from tests.shell.boards.pico_rig import PicoRig, accept_late_edges
from tests.shell.server_kit import wait_until

RIGS: Final[Mapping[str, Callable[[], Rig]]] = {
    "gpio": GpioRig,
    "pico": PicoRig,
}
"""The rigs of the boards that have contacts and a link, by the board's name."""
DARK = bytes(3 * LOOK.pixels)
CENTRE = slice(3 * 8 * LOOK.pixels_per_ring, -3 * LOOK.places)


@pytest.fixture(params=RIGS)
def rig(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rig]:
    accept_late_edges(monkeypatch)
    rig = RIGS[request.param]()
    yield rig
    rig.board.close()
    rig.close()


@pytest.fixture
def sink(rig: Rig) -> FakeSink:
    """The sink of a board that is started and whose link is up."""
    sink = FakeSink()
    rig.board.start(sink)
    wait_until("the link is up", lambda: rig.board.link)
    return sink


def tapped(rig: Rig, sink: FakeSink, button: str, chatter: random.Random | None = None) -> None:
    """Presses and releases a button, and waits until each has been handed in."""
    for down in (True, False):
        before = len(sink.edges)
        rig.move(button, down, chatter)
        wait_until(f"{button} {down} arrives", lambda count=before: len(sink.edges) > count)


def frame_of(number: int) -> Frame:
    """A frame that is below the power limit and unlike those of all other numbers."""
    return bytes([number % 40, number // 40 % 40, number // 1600]) * LOOK.pixels


def test_it_says_what_it_is(rig: Rig) -> None:
    assert rig.board.kind == rig.name
    assert not rig.board.simulated


@pytest.mark.parametrize("seed", [None, 1])
def test_presses_arrive_once_in_order_and_with_their_times(
    rig: Rig, sink: FakeSink, seed: int | None
) -> None:
    chance = random.Random(seed or 0)
    chatter = None if seed is None else random.Random(seed)
    down: set[str] = set()
    moves: list[tuple[str, bool]] = []
    spans: list[tuple[int, int]] = []
    for _ in range(30):
        button = chance.choice(BUTTONS)
        moves.append((button, button not in down))
        down ^= {button}
        began_us = rig.now_us()
        rig.move(button, button in down, chatter)
        spans.append((began_us, rig.now_us()))
        wait_until("it arrives", lambda: len(sink.edges) >= len(moves))
    assert sink.presses == moves
    times = [edge.at_us for edge in sink.edges]
    assert times == sorted(times)
    for at_us, (began_us, ended_us) in zip(times, spans, strict=True):
        assert began_us - rig.slack_us <= at_us <= ended_us + rig.slack_us


def test_every_button_arrives_under_its_own_name(rig: Rig, sink: FakeSink) -> None:
    for button in BUTTONS:
        tapped(rig, sink, button)
    assert sink.presses == [(button, down) for button in BUTTONS for down in (True, False)]


def test_fingers_overlap(rig: Rig, sink: FakeSink) -> None:
    moves = [("seat1", True), ("ace", True), ("seat1", False), ("king", True), ("ace", False)]
    for count, (button, down) in enumerate(moves):
        rig.move(button, down)
        wait_until("it arrives", lambda count=count: len(sink.edges) > count)
    assert sink.presses == moves


def test_a_closed_contact_is_known_even_if_its_press_does_not_count(
    rig: Rig, sink: FakeSink
) -> None:
    rig.lose_link()
    wait_until("the loss is reported", lambda: sink.link is False)
    rig.move("king", True)
    rig.regain_link()
    wait_until("it is back", lambda: sink.link is True)
    wait_until("it is known", lambda: rig.board.closed == {"king"})
    rig.move("king", False)
    wait_until("it is open", lambda: rig.board.closed == set())


def test_the_newest_frame_wins_and_none_is_torn(rig: Rig, sink: FakeSink) -> None:
    frames = [frame_of(number) for number in range(1, 200)]
    for frame in frames:
        rig.board.show(frame)
    wait_until("the last is shown", lambda: rig.shown() and rig.shown()[-1] == frames[-1])
    assert set(rig.shown()) <= {DARK, b"", *frames}
    numbers = [frames.index(frame) for frame in rig.shown() if frame in frames]
    assert numbers == sorted(numbers)


def test_no_frame_draws_more_than_the_limit(rig: Rig, sink: FakeSink) -> None:
    white = bytes([255]) * 3 * LOOK.pixels
    assert estimate_ma(white) > LOOK.limit_ma
    if rig.board.simulated:
        return  # it draws nothing, and shows what real pixels would receive
    rig.board.show(white)
    expected = limit(white, LOOK.limit_ma)
    wait_until("it is shown", lambda: rig.shown() and rig.shown()[-1] == expected)
    assert estimate_ma(expected) <= LOOK.limit_ma


def picture_of(number: int) -> bytes:
    return random.Random(number).randbytes(SIZE)


def test_the_display_shows_the_newest_picture(rig: Rig, sink: FakeSink) -> None:
    for number in range(1, 30):
        rig.board.show_screen(picture_of(number))
    wait_until("the last is shown", lambda: rig.screen() == picture_of(29))
    # A loose plug affects neither lights nor buttons, and the picture comes back.
    rig.unplug_display(True)
    rig.board.show_screen(picture_of(30), 31)
    rig.board.show(frame_of(5))
    wait_until("the frame is shown", lambda: rig.shown() and rig.shown()[-1] == frame_of(5))
    tapped(rig, sink, "king")
    assert rig.board.link
    rig.unplug_display(False)
    wait_until("it is shown again", lambda: rig.screen() == picture_of(30))
    wait_until("it is as dim as wanted", lambda: rig.contrast() == 31)
    rig.lose_link()
    wait_until("the loss is reported", lambda: sink.link is False)
    rig.board.show_screen(picture_of(31), 15)
    rig.regain_link()
    wait_until("the newest is shown", lambda: rig.screen() == picture_of(31))
    wait_until("it is dimmer", lambda: rig.contrast() == 15)
    rig.board.close()
    wait_until("it is dark", lambda: rig.screen() == BLANK)


def test_the_lights_are_dimmed_at_the_board(rig: Rig, tmp_path: Path) -> None:
    """`next` held on after its long press, and `undo`: from the contacts to the pixels."""
    # A short press is never long, even on a busy machine.
    times = PressTimes(next_long_us=200_000, long_us=600_000_000)
    with Store.open(tmp_path / "ledger.db") as store:
        setup = Setup(resolve=resolve_among(shipped_rulesets()), times=times)
        has_sound = rig.board.has_sound
        info = BoardInfo(rig.name, link=True, simulated=False, has_sound=has_sound)
        table = Table(store, setup, info, rig.board.show)
        table.start()
        try:
            rig.board.start(table)
            wait_until("the link is up", lambda: rig.board.link)

            def move(button: str, down: bool) -> None:
                rig.move(button, down)
                threading.Event().wait(0.02)  # longer than debouncing takes

            move("next", True)
            wait_until("it acts as long", lambda: table.snapshot.pairing_code is not None)
            for darker, light in ((BoardSettings("medium"), 128), (BoardSettings("dim"), 64)):
                for down in (True, False):
                    move("undo", down)
                wait_until("it is stepped", lambda want=darker: table.snapshot.settings == want)
                gauge = bytes([light]) * 3
                wait_until("it shows", lambda first=gauge: rig.shown()[-1][CENTRE][:3] == first)
            move("next", False)
            # Nothing else was pressed.
            assert table.snapshot.pending is None
            for down in (True, False):
                move("seat1", down)
            wait_until("the press arrives", lambda: table.snapshot.pending is not None)
            assert store.all_nights() == []
        finally:
            rig.board.close()
            table.stop()


def test_a_tune_is_played_once_and_never_late(rig: Rig, sink: FakeSink) -> None:
    assert rig.board.has_sound
    # A board that is found only after the start has told the table.
    assert sink.has_sound is (True if rig.name == "pico" else None)
    rig.board.play(Tune(((660, 30), (0, 10), (880, 30))))
    wait_until("it is heard", lambda: list(rig.heard()) == [660, 880])
    wait_until("it is over", rig.is_silent)
    # A newer tune replaces a long one; silence makes no sound.
    rig.board.play(Tune(((200, 1000), (300, 1000), (400, 1000))))
    wait_until("it begins", lambda: rig.heard()[-1] in (200, 400))
    rig.board.play(Tune(((500, 1000),), volume=60))
    wait_until("the newer one is heard", lambda: rig.heard()[-1] == 500)
    rig.board.play(Tune(((600, 10),), volume=0))
    wait_until("it is silent", rig.is_silent)
    # Presses arrive and frames are shown meanwhile; without a link nothing is played, nor later.
    rig.board.play(Tune(((700, 1000),)))
    rig.board.show(frame_of(6))
    tapped(rig, sink, "ten")
    wait_until("the frame is shown", lambda: rig.shown() and rig.shown()[-1] == frame_of(6))
    wait_until("it is heard", lambda: rig.heard()[-1] == 700)
    rig.lose_link()
    wait_until("the loss is reported", lambda: sink.link is False)
    rig.board.play(Tune(((800, 10),)))
    rig.regain_link()
    wait_until("the return is reported", lambda: sink.link is True)
    rig.board.play(Tune(((900, 10),)))
    wait_until("only this is heard", lambda: rig.heard()[-1] == 900)
    assert 800 not in rig.heard()
    rig.board.play(Tune(((950, 1000),)))
    wait_until("it is heard", lambda: rig.heard()[-1] == 950)
    rig.board.close()
    wait_until("the end is silent", rig.is_silent)


@pytest.mark.parametrize("how", ["link", "hardware"])
def test_a_lost_link_is_told_and_comes_back(rig: Rig, sink: FakeSink, how: str) -> None:
    lose, regain = (
        (rig.lose_link, rig.regain_link) if how == "link" else (rig.break_down, rig.repair)
    )
    rig.board.show(frame_of(1))
    reported = len(sink.links)
    for count in (1, 2):
        lose()
        wait_until("the loss is reported", lambda: sink.link is False)
        assert not rig.board.link
        assert sink.released >= count
        rig.board.show(frame_of(count + 1))
        regain()
        wait_until("the return is reported", lambda: sink.link is True)
        assert rig.board.link
        newest = frame_of(count + 1)
        wait_until("it is shown", lambda newest=newest: rig.shown()[-1] == newest)
    # Each was reported exactly once.
    assert sink.links[reported:] == [False, True] * 2
    tapped(rig, sink, "jack")
    assert sink.presses == [("jack", True), ("jack", False)]


LOSS_S = {
    # Nobody presses, and no frame is new: then levels are read and the frame is sent so often.
    "gpio": gpio_board.READ_S + gpio_board.REFRESH_S,
    # A port that is gone is noticed at once; one that stays may be silent for so long.
    "pico": LOST_US / 1_000_000,
}
"""The longest time until each board reports that its link is lost."""


def test_a_loss_is_told_within_two_seconds(rig: Rig, sink: FakeSink) -> None:
    rig.lose_link()
    assert LOSS_S[rig.name] <= 2
    wait_until("the loss is reported", lambda: sink.link is False)


@pytest.mark.parametrize("how", ["link", "hardware"])
def test_without_a_link_no_press_counts(rig: Rig, sink: FakeSink, how: str) -> None:
    lose, regain = (
        (rig.lose_link, rig.regain_link) if how == "link" else (rig.break_down, rig.repair)
    )
    rig.move("ace", True)
    wait_until("it arrives", lambda: sink.presses == [("ace", True)])
    lose()
    wait_until("the loss is reported", lambda: sink.link is False)
    rig.wait_until_presses_are_dropped()
    for button, down in (("king", True), ("king", False), ("ten", True)):
        rig.move(button, down)
        threading.Event().wait(0.05)
    regain()
    wait_until("the return is reported", lambda: sink.link is True)
    # One was held all the time, one since then: they count again once released.
    for button in ("ace", "ten"):
        rig.move(button, False)
        threading.Event().wait(0.05)
    tapped(rig, sink, "ten")
    tapped(rig, sink, "ace")
    assert sink.presses == [
        ("ace", True), ("ten", True), ("ten", False), ("ace", True), ("ace", False),
    ]  # fmt: skip


@pytest.mark.parametrize("how", ["up", "lost", "broken"])
def test_its_threads_show_that_they_run(rig: Rig, sink: FakeSink, how: str) -> None:
    if how == "lost":
        rig.lose_link()
    elif how == "broken":
        rig.break_down()
    for _ in range(3):
        answered = threading.Event()

        def asked(answered: threading.Event = answered) -> bool:
            rig.board.ping(answered.set)
            return answered.wait(0.05)

        wait_until("it answers", asked)
    assert rig.board.is_alive()
    rig.board.close()
    assert not rig.board.is_alive()


def test_a_failure_is_logged_once(
    rig: Rig, sink: FakeSink, caplog: pytest.LogCaptureFixture
) -> None:
    rig.break_down()
    rig.board.show(frame_of(7))
    wait_until("the loss is reported", lambda: sink.link is False)
    rig.board.show(frame_of(8))
    threading.Event().wait(0.3)
    warnings = [record.message for record in caplog.records if record.levelname == "WARNING"]
    assert len(warnings) == 1, warnings
    assert not [record for record in caplog.records if record.exc_info]


def test_a_table_that_has_ended_is_no_failure(
    rig: Rig, sink: FakeSink, caplog: pytest.LogCaptureFixture
) -> None:
    sink.stopped = True
    if not rig.board.simulated:  # on the simulated board, the presser is told
        rig.move("ace", True)
        threading.Event().wait(0.1)
        rig.lose_link()
        rig.regain_link()
    rig.board.show(frame_of(9))
    rig.board.close()
    assert sink.presses == []
    assert not [record for record in caplog.records if record.exc_info]


def files() -> set[str]:
    """The open files of this process, by number and name."""
    descriptors = set()
    for entry in Path("/proc/self/fd").iterdir():
        try:
            descriptors.add(f"{entry.name} {entry.readlink()}")
        except OSError:
            continue
    return {name for name in descriptors if "/proc/" not in name}


@pytest.mark.parametrize("state", ["up", "link", "hardware"])
def test_the_end_leaves_nothing_behind(state: str, request: pytest.FixtureRequest) -> None:
    for name, make in RIGS.items():
        make().close()  # what is loaded on the first use stays
        open_before, threads = files(), threading.enumerate()
        rig, sink = make(), FakeSink()
        rig.board.start(sink)
        wait_until(f"the link of {name} is up", lambda rig=rig: rig.board.link)
        rig.board.show(frame_of(3))
        wait_until("it is shown", lambda rig=rig: rig.shown() and rig.shown()[-1] == frame_of(3))
        if state == "link":
            rig.lose_link()
            wait_until("the loss is reported", lambda sink=sink: sink.link is False)
        elif state == "hardware":
            rig.break_down()
            wait_until("the loss is reported", lambda sink=sink: sink.link is False)
        rig.board.close()
        handed = (list(sink.edges), list(sink.links))
        rig.board.show(frame_of(4))
        if state == "up":
            # The pixels of a board on the network are in another thread.
            wait_until(f"{name} is dark", lambda rig=rig: rig.shown()[-1] == DARK)
        rig.close()
        assert (sink.edges, sink.links) == handed
        assert threading.enumerate() == threads
        assert files() == open_before


def test_closed_before_it_was_started_and_closed_again(rig: Rig) -> None:
    rig.board.close()
    rig.board.close()
    assert frame_of(1) not in rig.shown()
    assert not rig.board.link
