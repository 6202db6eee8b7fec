"""The pictures of README and BUILD: the board from a chair and from above, and one deal as a film.

A daemon with the simulated board plays the deal. At each moment a phone's page is photographed, and
the board is traced with the lights, the chips and the display that the daemon says.

make pictures
make pictures ARGS="--samples 4 --out build/pictures"
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Final

import click
import numpy as np
from PIL import Image
from playwright.sync_api import Page, sync_playwright

from hardware.layout import Layout, layout
from hardware.rendering import Light, Moment, View, picture
from hardware.spec import BoardSpec
from pochboard.rules.accounts import POOLS

DOCS: Final = Path(__file__).parents[1] / "docs"
NIGHT: Final = {
    "do": "start",
    "ruleset": "family",
    "players": ["Anna", "Ben", "Clara", "Jens"],
    "places": [1, 3, 5, 7],
}
DEAL: Final[tuple[dict[str, Any], ...]] = (
    {"do": "deal"},
    {"do": "turn", "card": "8H"},
    {"do": "claim", "seat": 2, "pool": "ace"},
    {"do": "claim", "seat": 4, "pool": "marriage"},
    {"do": "next"},
    {"do": "stake", "seat": 2, "chips": 2},
    {"do": "stake", "seat": 3, "chips": 5},
    {"do": "pass", "seat": 4},
    {"do": "pass", "seat": 1},
    {"do": "stake", "seat": 2, "chips": 3},
    {"do": "showdown", "ranking": [3, 2]},
    {"do": "out", "seat": 3},
    {"do": "settle", "cards": {"1": 3, "2": 5, "4": 2}},
)
FILMED: Final = (0, 2, 4, 7, 10, 12)
"""The commands after which the film shows the table."""
STILL: Final = 6
"""The one after which the pictures of the board are taken: in the betting."""
PHONE: Final = (390, 844)
FILM: Final = (800, 450)
SHOWN_MS: Final = 2500
AT_REST_S: Final = 4.0
"""So long the board is watched; all counting has ended then."""


class _Table:
    """A daemon on a port of its own."""

    def __init__(self, port: int) -> None:
        self.port = port

    def do(self, command: dict[str, Any]) -> None:
        connection = HTTPConnection("localhost", self.port, timeout=30)
        kind = {"Content-Type": "application/json", "Connection": "close"}
        connection.request("POST", "/api/commands", json.dumps(command), kind)
        answer = connection.getresponse()
        said = answer.read().decode()
        connection.close()
        if answer.status != 200:
            raise click.ClickException(f"{command}: {said}")

    def moment(self) -> Moment:
        """What the board shows: the brightest of its frames, because lights pulse."""
        events: dict[str, Any] = {}
        connection = HTTPConnection("localhost", self.port, timeout=AT_REST_S)
        connection.request("GET", "/api/events?frames=1")
        answer = connection.getresponse()
        until, kind, brightest = time.monotonic() + AT_REST_S, "", 0
        try:
            while time.monotonic() < until:
                name, _, value = answer.readline().decode().strip().partition(": ")
                if name == "event":
                    kind = value
                elif name == "data":
                    event = json.loads(value)
                    light = sum(map(sum, _colours(event))) if kind == "frame" else 1
                    rest = until - time.monotonic() < AT_REST_S / 2
                    if kind != "frame" or light >= brightest or "frame" not in events or not rest:
                        events[kind] = event
                        brightest = light if rest else 0
        except TimeoutError:
            pass
        finally:
            connection.close()
        state = events["state"]
        places = {place: seat for seat, place in state["places"].items()}
        stacks = (state["stacks"].get(places.get(place), 0) for place in range(1, 9))
        return Moment(
            frame=tuple(_colours(events["frame"])),
            pools=tuple(state["pools"][pool] for pool in POOLS),
            stacks=tuple(stacks),
            dealer=state["places"][str(state["dealer"])],
        )


def _colours(frame: dict[str, Any]) -> list[tuple[float, float, float]]:
    shares = [[part / 255 for part in bytes.fromhex(pixel[1:])] for pixel in frame["pixels"]]
    return [(red, green, blue) for red, green, blue in shares]


@contextmanager
def _daemon() -> Iterator[_Table]:
    with tempfile.TemporaryDirectory() as folder:
        pochboard = Path(sys.executable).with_name("pochboard")
        program = [pochboard, "run", "--data", folder, "--port", "0"]
        with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - fixed words
            assert process.stdout is not None
            port = next(
                found for line in process.stdout if (found := re.search(r"localhost:(\d+)", line))
            )
            try:
                yield _Table(int(port[1]))
            finally:
                process.terminate()


@contextmanager
def _phone(table: _Table) -> Iterator[Page]:
    path = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        width, height = PHONE
        page = browser.new_page(viewport={"width": width, "height": height}, device_scale_factor=1)
        page.goto(f"http://localhost:{table.port}/?lang=en")
        yield page
        browser.close()


def moments(table: _Table, page: Page) -> Iterator[tuple[Moment, Image.Image]]:
    """The board and the phone after each command of the deal."""
    for command in DEAL:
        table.do(command)
        moment = table.moment()
        shot = Path(tempfile.gettempdir()) / "pochboard-phone.png"
        page.screenshot(path=shot)
        yield moment, Image.open(shot).convert("RGB")
        shot.unlink()


@click.command()
@click.option("--out", type=click.Path(path_type=Path), default=DOCS, help="The folder.")
@click.option("--samples", default=4, help="Light paths for each dot; fewer are quicker.")
@click.option("--film/--no-film", default=True, help="The film of a deal, too.")
def main(out: Path, samples: int, *, film: bool) -> None:
    """Traces the pictures of the whole board."""
    out.mkdir(parents=True, exist_ok=True)
    board = layout(BoardSpec())
    width, height = FILM
    phone_width = round(height * PHONE[0] / PHONE[1])
    frames = []
    with _daemon() as table, _phone(table) as page:
        table.do(NIGHT)
        played = list(moments(table, page))
    old = layout(BoardSpec(), design="1713")
    views: dict[str, tuple[Layout, View, tuple[int, int], Light]] = {
        "board.jpg": (board, "chair", (1200, 800), "day"),
        "board-above.jpg": (board, "above", (900, 900), "day"),
        "board-evening.jpg": (board, "chair", (1200, 800), "lamp"),
        "board-1713.jpg": (old, "chair", (1200, 800), "day"),
    }
    for name, (drawn, view, size, light) in views.items():
        click.echo(f"Tracing {name} …")
        traced = picture(drawn, played[STILL][0], view, size, samples, light)
        Image.fromarray(traced).save(out / name, quality=86, optimize=True)
    if not film:
        return
    for number in FILMED:
        moment, shot = played[number]
        click.echo(f"Tracing the deal after command {number} …")
        traced = picture(board, moment, "chair", (width - phone_width, height), samples)
        frame = np.concatenate([np.array(shot.resize((phone_width, height))), traced], axis=1)
        frames.append(Image.fromarray(frame))
    frames[0].save(
        out / "deal.webp", save_all=True, append_images=frames[1:], duration=SHOWN_MS, loop=0,
        quality=82, method=6,
    )  # fmt: skip
    click.echo(f"Wrote {', '.join([*views, 'deal.webp'])} to {out}.")


if __name__ == "__main__":
    main()
