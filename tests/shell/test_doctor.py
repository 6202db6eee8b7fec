"""`pochboard doctor` as people run it: its report, and trying out boards, simulated and real."""

from __future__ import annotations

import itertools
import json
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import pytest

from pochboard.boards.base import Board
from pochboard.boards.gpio import piezo as gpio_piezo
from pochboard.boards.gpio.gpio_board import GpioBoard
from pochboard.boards.pico.link import Layout
from pochboard.boards.pico.pico import Pico
from pochboard.boards.simulator import Simulator
from pochboard.buttons.press import BUTTONS
from pochboard.config import Gpio
from pochboard.daemon.sound_driver import TUNES, Notes
from pochboard.doctor import board_tests
from pochboard.doctor.board_tests import (
    ButtonTest,
    FramePrinter,
    PixelStep,
    chain_steps,
    count_steps,
    in_colour,
    play_tunes,
    show_steps,
)
from pochboard.doctor.checked_board import opened_board
from pochboard.doctor.recording import RecordingSink
from pochboard.errors import BoardError
from pochboard.lights.frame import Frame, estimate_ma
from pochboard.lights.lights_config import LightsConfig, dark_frame
from pochboard.rules.accounts import POOLS
from pochboard.screen.drawing import Screen, draw
from tests.count_reader import read_counts
from tests.firmware.board_process import FirmwareBoard
from tests.shell.boards.gpio_rig import GpioRig
from tests.shell.boards.kit import LOOK, Rig
from tests.shell.boards.pico_rig import PicoRig, accept_late_edges, wait_longer
from tests.shell.daemons import PATIENT_PROGRAM, Home
from tests.shell.server_kit import LONG_S, wait_until

PLACES = tuple(f"seat{place}" for place in range(1, 9))
SMALL = LightsConfig(pixels_per_ring=4, places=3)


@pytest.fixture(params=[GpioRig, PicoRig])
def rig(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rig]:
    wait_longer(monkeypatch)
    accept_late_edges(monkeypatch)
    made = request.param()
    yield made
    made.close()


# What is shown.


def lit_pixels(frame: Frame) -> dict[int, tuple[int, int, int]]:
    """The pixels that are not dark, by their number in the chain."""
    pixels = [tuple(frame[at : at + 3]) for at in range(0, len(frame), 3)]
    return {number: (r, g, b) for number, (r, g, b) in enumerate(pixels) if r or g or b}


@pytest.mark.parametrize(
    "look",
    [
        LOOK,
        SMALL,
        LightsConfig(pixels_per_ring=24, limit_ma=2000),
        LightsConfig(night=True, brightness=0.5),
    ],
)
def test_the_pixel_test_shows_every_pixel_in_every_colour_then_rings_then_all(
    look: LightsConfig,
) -> None:
    steps = list(chain_steps(look))
    frames = iter(step.frame for step in steps)
    for colour in range(3):
        for number in range(look.pixels):
            (only,) = lit_pixels(next(frames)).items()
            assert only[0] == number
            assert [value > 0 for value in only[1]] == [at == colour for at in range(3)]
    size = look.pixels_per_ring
    rings = [range(at, at + size) for at in range(0, 9 * size, size)]
    for pixels in (*rings, range(9 * size, look.pixels), range(look.pixels)):
        lit = lit_pixels(next(frames))
        assert set(lit) == set(pixels)
        assert len(set(lit.values())) == 1
        assert len(set(next(iter(lit.values())))) == 1, "white is red, green and blue alike"
    assert not any(next(frames))
    assert next(frames, None) is None
    assert max(estimate_ma(step.frame) for step in steps) <= look.limit_ma
    titles = [step.title for step in steps if step.title]
    assert len(titles) == 3 * 10 + 10 + 2
    assert titles[0].startswith(
        "Red: one pixel after the other, ring ace, clockwise from the top (pixels 0 to "
    )


@pytest.mark.parametrize(
    "look", [LOOK, SMALL, LightsConfig(pixels_per_ring=16, night=True, places=6)]
)
def test_the_counts_can_be_read_off_every_ring(look: LightsConfig) -> None:
    *steps, last = count_steps(look)
    most = 6 * look.pixels_per_ring
    assert [read_counts(step.frame, look) for step in steps] == [
        (chips,) * 9 for chips in range(1, most + 1)
    ]
    assert [int(step.title.partition(":")[0]) for step in steps] == list(range(1, most + 1))
    assert last.frame == dark_frame(look)


# On the boards.


class Trying:
    """Somebody who tries a board out, step by step."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.over = threading.Event()
        self.said: list[str] = []
        self.seen: list[Frame] = []

    def until_shown(self, step: PixelStep) -> bool:
        """Waits until the pixels show it, and records what they show."""

        def arrived() -> bool:
            return bool(self.rig.shown()) and self.rig.shown()[-1] == step.frame

        wait_until(f"{step.title} is shown", arrived)
        if step.frame == dark_frame(LOOK) and step.title:
            drawn = draw(Screen("Test", lines=("Dark: all pixels",)))
            wait_until("the display says it", lambda: self.rig.screen() == drawn)
        self.seen.append(self.rig.shown()[-1])
        return self.over.is_set()

    def walk(
        self, steps: Iterator[PixelStep], pause: Callable[[PixelStep], bool] | None = None
    ) -> bool:
        with opened_board(self.rig.board, RecordingSink(BUTTONS), LOOK, self.over):
            return show_steps(
                self.rig.board,
                steps,
                echo=self.said.append,
                pause=pause or self.until_shown,
            )

    def wait_until_dark(self) -> None:
        wait_until("the board is dark", lambda: not any(self.rig.shown()[-1]))

    @contextmanager
    def pressing(self, pins: dict[str, str]) -> Iterator[ButtonTest]:
        """The buttons, tested in a thread, until the context ends."""
        sink, test = RecordingSink(BUTTONS), ButtonTest(BUTTONS, pins, LOOK)
        with opened_board(self.rig.board, sink, LOOK, self.over):
            thread = threading.Thread(
                target=test.run, args=(self.rig.board, sink, self.said.append, self.over)
            )
            thread.start()
            try:
                yield test
            finally:
                self.over.set()
                thread.join()


def test_every_count_is_on_the_rings_of_a_real_board(rig: Rig) -> None:
    trying = Trying(rig)
    assert trying.walk(count_steps(LOOK))
    assert [read_counts(frame, LOOK) for frame in trying.seen] == [
        (chips,) * 9 for chips in [*range(1, 73), 0]
    ]
    trying.wait_until_dark()


def test_every_pixel_is_lit_on_a_real_board(rig: Rig) -> None:
    trying = Trying(rig)
    # Every third step: as 116 is not a multiple of three, all pixels are among them.
    colours = itertools.compress(chain_steps(LOOK), itertools.cycle([1, 0, 0]))
    assert trying.walk(colours)
    assert {number for frame in trying.seen for number in lit_pixels(frame)} == set(range(116))
    trying.wait_until_dark()


def test_it_can_be_stopped_and_the_board_is_dark(rig: Rig) -> None:
    trying = Trying(rig)

    def stop(step: PixelStep) -> bool:
        trying.until_shown(step)
        trying.over.set()
        return True

    assert not trying.walk(chain_steps(LOOK), stop)
    assert len(lit_pixels(trying.seen[0])) == 1
    trying.wait_until_dark()


def test_whatever_goes_wrong_the_board_is_dark(rig: Rig) -> None:
    trying = Trying(rig)

    def fail(step: PixelStep) -> bool:
        trying.until_shown(step)
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        trying.walk(chain_steps(LOOK), fail)
    assert any(trying.seen[0])
    trying.wait_until_dark()


def test_a_board_that_goes_meanwhile_ends_it_with_a_sentence(rig: Rig) -> None:
    trying = Trying(rig)

    def lose(_: PixelStep) -> bool:
        rig.lose_link()
        wait_until("the link is lost", lambda: not rig.board.link)
        return False

    with pytest.raises(BoardError, match=r"^The (buttons of the )?board .*\."):
        trying.walk(chain_steps(LOOK), lose)


def test_every_tune_is_played_and_named(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board_tests, "GAP_S", 0.3)
    trying = Trying(rig)
    with opened_board(rig.board, RecordingSink(BUTTONS), LOOK, trying.over):
        assert play_tunes(rig.board, 0.5, echo=trying.said.append, pause=trying.over.wait)
        pitches = [hz for notes in _in_order(trying.said) for hz, _ in notes if hz]
        wait_until("all of them were heard", lambda: list(rig.heard()) == pitches)
        # The test can be stopped, and says why nothing can be heard.
        trying.over.set()
        assert not play_tunes(rig.board, 0.5, echo=trying.said.append, pause=trying.over.wait)
        with pytest.raises(BoardError, match=r"^volume is 0, .* config\.toml\.$"):
            play_tunes(rig.board, 0, echo=trying.said.append, pause=trying.over.wait)


def _in_order(said: list[str]) -> list[Notes]:
    """The tunes that were named."""
    named = {str(title): TUNES[name] for name, title in board_tests.TITLES.items()}
    assert sorted(named) == sorted(said)
    assert len(named) == len(TUNES)
    return [named[str(one)] for one in said]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda: GpioBoard(Gpio(), LOOK),
            r"^No piezo is configured\. .* piezo = true in \[gpio\] ",
        ),
        (
            lambda: Pico(Layout(12, 8, 3000)),
            r"^The board has no piezo, .* PIEZO = True in settings\.py ",
        ),
    ],
)
def test_a_board_without_a_piezo_says_what_to_configure(
    make: Callable[[], Board], said: str
) -> None:
    board = make()
    with pytest.raises(BoardError, match=said):
        play_tunes(board, 0.5, echo=str, pause=bool)
    if isinstance(board, Pico):
        board.close()


def test_a_piezo_that_fails_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    rig, over = GpioRig(), threading.Event()

    def busy() -> None:
        raise OSError("GPIO busy")

    monkeypatch.setattr(gpio_piezo, "header", busy)
    try:
        with opened_board(rig.board, RecordingSink(BUTTONS), LOOK, over):

            def until_failed(_: float) -> bool:
                wait_until("it fails", lambda: rig.board.sound_problem is not None)
                return False

            with pytest.raises(BoardError, match=r"^The piezo does not work: GPIO busy\. It needs"):
                play_tunes(rig.board, 0.5, echo=str, pause=until_failed)
    finally:
        rig.close()


def test_every_press_is_printed_and_lit(rig: Rig) -> None:
    trying = Trying(rig)
    pins = {button: f"pin {number}" for number, button in enumerate(BUTTONS)}
    with trying.pressing(pins) as test:
        for number, button in enumerate(BUTTONS, start=1):
            assert test.missing == list(BUTTONS[number - 1 :])
            rig.move(button, down=True)
            wait_until("it is reported", lambda n=number: len(test.pressed) == n)
            wait_until("it is lit", lambda b=button: white(rig.shown()[-1]) == pixels_of(b))
            time.sleep(0.05)
            rig.move(button, down=False)
            wait_until("it is released", lambda n=number: len(trying.said) >= 2 * n)
            wait_until("nothing is white", lambda: not white(rig.shown()[-1]))
    presses = [line for line in trying.said if " down" in line or " up" in line]
    for number, button in enumerate(BUTTONS):
        down, up = presses[2 * number : 2 * number + 2]
        assert re.match(rf"{button} \(pin {number}\) +down   {number + 1} of 19$", down), down
        held = re.match(rf"{button} \(pin {number}\) +up, held for (\d+\.\d\d) s$", up)
        assert held, up
        assert 0.02 <= float(held[1]) < LONG_S
    assert "All 19 buttons have been pressed. Press Ctrl-C to stop." in trying.said
    assert trying.said[-1] == "All 19 buttons have been pressed."
    trying.wait_until_dark()


def green(frame: Frame) -> set[int]:
    return {number for number, (r, g, b) in lit_pixels(frame).items() if g > 0 and r == b == 0}


def white(frame: Frame) -> set[int]:
    return {number for number, (r, g, b) in lit_pixels(frame).items() if r == g == b}


def pixels_of(button: str) -> set[int]:
    """The pixels of a button: a ring or a place; for `next` and `undo` half of the places each."""
    places = range(9 * 12, 9 * 12 + 8)
    if button in POOLS:
        first = 12 * POOLS.index(button)
        return set(range(first, first + 12))
    if button in PLACES:
        return {places[PLACES.index(button)]}
    return set(places[:4]) if button == "next" else set(places[4:])


def test_what_was_pressed_stays_green_and_what_was_not_is_named(rig: Rig) -> None:
    trying = Trying(rig)
    with trying.pressing({}) as test:
        moves = [(b, down) for b in ("king", "seat8", "king") for down in (True, False)]
        for count, (button, down) in enumerate(moves, 1):
            rig.move(button, down=down)
            wait_until("it is printed", lambda n=count: len(trying.said) == n)
        pressed = pixels_of("king") | pixels_of("seat8")
        wait_until("it stays green", lambda: green(rig.shown()[-1]) == pressed)
        assert test.pressed == {"king", "seat8"}
    assert [line.split()[:2] for line in trying.said[:2]] == [["king", "down"], ["king", "up,"]]
    assert trying.said[4].split() == ["king", "down"], "it is counted once"
    missing = [button for button in BUTTONS if button not in ("king", "seat8")]
    assert trying.said[-1] == f"Not pressed: {', '.join(missing)}."


def test_a_lost_link_is_printed_and_buttons_count_again_afterwards(rig: Rig) -> None:
    trying = Trying(rig)
    with trying.pressing({}) as test:
        rig.move("ace", down=True)
        wait_until("it is reported", lambda: "ace" in test.pressed)
        rig.lose_link()
        wait_until("that too", lambda: any("The link is lost" in line for line in trying.said))
        rig.move("ace", down=False)
        rig.regain_link()
        wait_until("and that", lambda: "The board is back." in trying.said)
        rig.move("poch", down=True)
        wait_until("it is reported", lambda: "poch" in test.pressed)
        rig.move("poch", down=False)
    trying.wait_until_dark()


def test_a_board_that_is_not_there_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pochboard.doctor.checked_board.CONNECT_S", 0.3)
    rig = PicoRig()
    rig.lose_link()
    try:
        with pytest.raises(BoardError, match=r"No board is plugged in: .*"):
            Trying(rig).walk(count_steps(LOOK))
    finally:
        rig.close()


def test_a_board_whose_hardware_fails_says_what_has_failed() -> None:
    rig = GpioRig()
    trying = Trying(rig)

    def fail(_: PixelStep) -> bool:
        rig.break_down()
        rig.board.show(frame_of_grey())
        wait_until("the loss is noticed", lambda: not rig.board.link)
        return False

    try:
        with pytest.raises(
            BoardError, match=r"^The pixels of the board have failed: .*-14.*doctor"
        ):
            trying.walk(chain_steps(LOOK), fail)
    finally:
        rig.close()


def frame_of_grey() -> Frame:
    return bytes([9]) * 3 * LOOK.pixels


@contextmanager
def told_at_once() -> Iterator[threading.Event]:
    over = threading.Event()
    over.set()
    yield over


@pytest.mark.parametrize("words", ["--pixels", "--count", "--buttons"])
def test_what_is_stopped_while_the_board_is_looked_for_shows_nothing(
    home: Home, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    home.configure('board = "pico"\n[pico]\nport = "/dev/none"\n')
    monkeypatch.setattr("pochboard.cli.doctor.stop_event", told_at_once)
    ran = home.here("doctor", words)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == "Stopped before the board was found.\n"


def test_a_problem_of_the_board_is_printed_once(home: Home, tmp_path: Path) -> None:
    with FirmwareBoard(tmp_path) as board:
        board.freeze()  # so that nobody answers
        home.configure(f'board = "pico"\nport = 0\n[pico]\nport = "{board.port}"\n')
        ran = home.cli("doctor")
        assert ran.out.count(f"No board answers on {board.port}") == 1
        assert ran.err == ""
        ran = home.cli("doctor", "--pixels")
        assert ran.said.startswith("No board answers on")
        assert ran.err.count("No board answers on") == 1


# The simulated board in the terminal.


def blocks(out: str) -> list[tuple[str, dict[str, str]]]:
    """What was said, each with the rows of letters below it."""
    found: list[tuple[str, dict[str, str]]] = []
    for line in out.splitlines():
        if row := re.fullmatch(r"  (.+?) +(\S+)", line):
            found[-1][1][row[1]] = found[-1][1].get(row[1], "") + row[2]
        else:
            found.append((line, {}))
    return found


def test_the_simulated_board_counts_in_letters(home: Home) -> None:
    ran = home.here("doctor", "--count", "--step", "0.001")
    assert (ran.status, ran.err) == (0, "")
    *counts, last = blocks(ran.out)
    assert last == ("Dark: all pixels", {})
    for chips, (said, rows) in enumerate(counts, start=1):
        assert said.startswith(f"{chips}: ")
        assert list(rows) == [f"ring {pool}" for pool in POOLS]
        for row in rows.values():
            assert len(row) == 12
            assert sum(int(letter) for letter in row.replace(".", "0")) == chips
    assert len(counts) == 72


def test_the_simulated_board_walks_in_letters(home: Home) -> None:
    home.configure("places = 3\n[lights]\npixels_per_ring = 4\n")
    ran = home.here("doctor", "--pixels", "--step", "0.001")
    assert (ran.status, ran.err) == (0, "")
    walks = blocks(ran.out)
    one_of_four = "".join("." * at + "x" + "." * (3 - at) for at in range(4))
    for letter, colour in (("r", "Red"), ("g", "Green"), ("b", "Blue")):
        mine = [rows for said, rows in walks if said.startswith(f"{colour}: ")]
        assert [list(rows) for rows in mine] == [[f"ring {p}"] for p in POOLS] + [["the places"]]
        for (row,) in [rows.values() for rows in mine[:-1]]:
            assert row == one_of_four.replace("x", letter)
        assert mine[-1]["the places"] == "x...x...x".replace("x", letter)
    everything = walks[-2]
    assert everything[0] == "White: all 39 pixels equally bright, within 3000 mA"
    assert list(everything[1].values()) == ["wwww"] * 9 + ["www"]


def test_on_a_terminal_the_board_is_drawn_in_place_in_colour() -> None:
    board = Simulator()
    said: list[str] = []
    screen = FramePrinter(lambda: board.frame, in_colour(LOOK), said.append, in_place=True)
    with opened_board(board, RecordingSink(BUTTONS), LOOK, threading.Event()):
        steps = itertools.islice(count_steps(LOOK), 13)
        show_steps(board, steps, echo=screen.set_title, pause=lambda _: False, shown=screen.refresh)
    assert len(said) == 13
    assert "\x1b[11F" not in said[0]
    for chips, drawn in enumerate(said, start=1):
        title, *rows = drawn.removeprefix("\x1b[11F").split("\n")
        assert title.startswith(f"{chips}: ")
        assert [row.count("●") for row in rows] == [min(chips, 12)] * 9 + [0]
        assert [row.count("·") for row in rows] == [12 - min(chips, 12)] * 9 + [8]
    assert len({*re.findall(r"38;2;\d+;\d+;\d+", said[12])}) == 2, "the second lap's colour, too"
    assert all(drawn.startswith("\x1b[11F") for drawn in said[1:])


def test_the_simulated_board_has_no_contacts_to_press(home: Home) -> None:
    ran = home.here("doctor", "--buttons")
    assert (ran.status, ran.err) == (0, "")
    assert "on the page of `pochboard run`" in ran.out
    assert ran.out.count("\n") == 1
    ran = home.here("doctor", "--sound")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == (
        "The simulated board has no piezo: the page of `pochboard run` plays its tunes.\n"
    )


# The command.


def test_the_report_is_text_or_json(home: Home) -> None:
    home.configure("port = 0\n")
    ran = home.here("doctor")
    assert (ran.status, ran.err) == (0, "")
    *rows, empty, last = ran.out.splitlines()
    assert (empty, last) == ("", "Everything is fine.")
    assert all(re.match(r"(ok   |note |     ) ", row) for row in rows)
    assert f"{home.settings / 'config.toml'} is valid." in rows[0]
    data = json.loads(home.here("doctor", "--json").out)
    assert data["ok"] is True
    assert {"name", "ok", "state", "found", "fix"} == {key for row in data["checks"] for key in row}
    assert [row["name"] for row in data["checks"]] == [
        row[6:24].strip() for row in rows if row.strip() and row[0] != " "
    ]


def test_problems_are_counted(home: Home) -> None:
    home.configure('board = "gpio"\nport = 0\n[gpio.pins]\nace = 17\n')
    ran = home.here("doctor")
    assert ran.status == 1
    assert "fix   buttons: pins     GPIO 17 has two buttons, ace and king.\n" in ran.out
    assert "\n                        Give each button its own pin in [gpio.pins]" in ran.out
    count = len(re.findall(r"^fix  ", ran.out, re.MULTILINE))
    assert ran.out.endswith(f"\n{count} problems to fix.\n")
    data = json.loads(home.here("doctor", "--json").out)
    assert (data["ok"], home.here("doctor", "--json").status) == (False, 1)
    assert sum(row["state"] == "fix" for row in data["checks"]) == count


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "[gpio.pins]\nace = 30\n",
            "Expected `int` <= 27 - at `$.gpio.pins.ace`",
        ),
        ("board = 3\n", "Expected `str`, got `int` - at `$.board`"),
        ("board\n", "is not TOML"),
    ],
)
def test_a_configuration_that_cannot_be_used_is_the_first_line(
    home: Home, text: str, says: str
) -> None:
    home.configure(text)
    ran = home.here("doctor")
    assert ran.status == 1
    first, fix, *others = ran.out.splitlines()
    assert first.startswith(f"fix   configuration     {home.settings / 'config.toml'}")
    assert says in first
    assert "docs/CONFIG.md" in fix
    assert any("ledger" in row for row in others)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ("--json", "--pixels"),
            "Use only one of --buttons, --pixels, --colours, --count, --sound and --json.",
        ),
        (("--count", "--pixels"), "Use only one of"),
        (("--sound", "--pixels"), "Use only one of"),
        (("--sound", "--step", "1"), "--step is for --pixels or --count."),
        (("--step", "1"), "--step is for --pixels or --count."),
        (("--buttons", "--step", "1"), "--step is for --pixels or --count."),
        (("--count", "--step", "0"), "Invalid value for '--step': 0.0 is not in the range"),
    ],
)
def test_wrong_use(home: Home, words: tuple[str, ...], says: str) -> None:
    assert home.here("doctor", *words).misused.startswith(says)


# Real boards by the command.


def test_the_board_on_the_header_by_the_command(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    # Seven places: the pin of the eighth is free for another button.
    home.configure('board = "gpio"\nplaces = 7\n[gpio.pins]\nace = 21\n')
    rig = GpioRig()  # records its wire: the command opens the board itself
    try:
        ran = home.here("doctor", "--count", "--step", "0.03")
        shown = rig.shown()
    finally:
        rig.close()
    assert (ran.status, ran.err) == (0, "")
    assert [line.partition(":")[0] for line in ran.out.splitlines()] == [
        *map(str, range(1, 73)), "Dark",
    ]  # fmt: skip
    counts = [
        counts[0] for counts in (read_counts(frame, LightsConfig(places=7)) for frame in shown)
    ]
    lit = [count for count in counts if count]
    assert lit == sorted(lit)
    assert len(set(lit)) > 36, "a frame may be passed over where the next one comes at once"
    assert not any(shown[-1])


class Doctor:
    """The command as a process, with a board on USB."""

    def __init__(self, home: Home, port: Path, *words: str) -> None:
        home.configure(f'board = "pico"\n[pico]\nport = "{port}"\n')
        self.process = subprocess.Popen(
            [*PATIENT_PROGRAM, "doctor", *words],
            env=home.environment({"PYTHONUNBUFFERED": "1"}),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.lines: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(LONG_S)
        assert self.process.stdout is not None
        self.process.stdout.close()

    def line(self) -> str:
        assert self.process.stdout is not None
        self.lines.append(self.process.stdout.readline().rstrip("\n"))
        return self.lines[-1]

    def stop(self, how: signal.Signals) -> tuple[int, list[str]]:
        self.process.send_signal(how)
        out, _ = self.process.communicate(timeout=LONG_S)
        return self.process.returncode, out.splitlines()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_the_board_on_usb_s_buttons_by_the_command(
    home: Home, tmp_path: Path, how: signal.Signals
) -> None:
    with FirmwareBoard(tmp_path) as board, Doctor(home, board.port, "--buttons") as doctor:
        assert doctor.line() == "Press each of the 19 buttons. Ctrl-C ends the test."
        board.press("ace")
        assert doctor.line() == f"{'ace (GP0)':<20} down   1 of 19"
        board.wait_pixels(lambda colours: white(colours) == pixels_of("ace"))
        board.release("ace")
        assert doctor.line().startswith(f"{'ace (GP0)':<20} up, held for ")
        status, last = doctor.stop(how)
        assert (status, last) == (0, [f"Not pressed: {', '.join(BUTTONS[1:])}."])
        board.wait_pixels(lambda colours: not any(colours))


def test_the_board_on_usb_is_dark_after_ctrl_c(home: Home, tmp_path: Path) -> None:
    words = ("--pixels", "--step", "30")
    with FirmwareBoard(tmp_path) as board, Doctor(home, board.port, *words) as doctor:
        assert doctor.line().startswith("Red: one pixel after the other, ring ace")
        board.wait_pixels(lambda colours: set(lit_pixels(colours)) == {0})
        status, last = doctor.stop(signal.SIGINT)
        assert (status, last) == (0, ["Stopped; the board is dark."])
        assert not any(board.wait_pixels(lambda colours: not any(colours)))


def test_beside_a_daemon_the_board_is_left_alone(home: Home, tmp_path: Path) -> None:
    with FirmwareBoard(tmp_path) as board:
        home.configure(f'board = "pico"\nport = 0\n[pico]\nport = "{board.port}"\n')
        with home.daemon() as daemon:
            wait_until("it is linked", lambda: daemon.state["board"]["link"])
            sentence = f"The daemon (process {daemon.process.pid}) is running and uses the board."
            for words in ("--buttons", "--pixels", "--count"):
                ran = home.here("doctor", words)
                assert ran.status == 1
                assert (
                    ran.said
                    == f"{sentence} Stop it with Ctrl-C where it was started, then try again."
                )
            report = home.here("doctor")
            assert f"note  daemon            {sentence} The board was not tested.\n" in report.out
            assert "board: greeting" not in report.out
            assert report.status == 0, report.out
            assert daemon.state["board"]["link"]
            assert daemon.errors == ""
        report = home.here("doctor")
        sentence = f"The board E6614C311B7D7A2F on {board.port} answers."
        assert f"ok    board: greeting   {sentence}" in report.out


def test_without_hardware_it_still_reports(home: Home, tmp_path: Path) -> None:
    (tmp_path / "bare").mkdir()
    blocked = ("serial", "gpiozero", "neopixel", "adafruit_blinka")
    text = f"import sys\nsys.modules.update(dict.fromkeys({blocked!r}))\n"
    (tmp_path / "bare/sitecustomize.py").write_text(text)
    bare: dict[str, Any] = {"PYTHONPATH": str(tmp_path / "bare")}
    for board, package in (("pico", "pyserial"), ("gpio", "gpiozero")):
        home.configure(f'board = "{board}"\nport = 0\n')
        ran = home.cli("doctor", environment=bare)
        assert ran.status == 1
        assert f"The Python package {package} is not installed.\n" in ran.out
        fix = f'--board {board}, in a clone .venv/bin/pip install -e ".[{board}]".'
        assert f"sudo systemd/install.sh {fix}\n" in ran.out
        ran = home.cli("doctor", "--pixels", environment=bare)
        assert ran.status == 1
        assert fix in ran.said or "not a Raspberry Pi" in ran.said
