"""Two boards and a collection, with the real Syncthing between them, as docs/COLLECTION.md says."""

from __future__ import annotations

import json
import os
import subprocess
import urllib.error
import urllib.request
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import randrange
from typing import Any, Final

import pytest

from tests.shell.daemons import Daemon, Home
from tests.shell.server_kit import wait_until

OFF: Final = {
    "globalAnnounceEnabled": "false",
    "localAnnounceEnabled": "false",
    "relaysEnabled": "false",
    "natEnabled": "false",
    "urAccepted": "-1",
    "crashReportingEnabled": "false",
    "autoUpgradeIntervalH": "0",
    "startBrowser": "false",
    "reconnectionIntervalS": "1",
}
"""Nothing is announced or sent beyond this machine."""


class Syncthing:
    """A Syncthing on loopback, set up by the commands of the document."""

    def __init__(self, home: Path) -> None:
        self.home = home
        # An address of its own, of which nobody else takes a port.
        self.host = f"127.{randrange(1, 255)}.{randrange(256)}.{randrange(1, 255)}"
        made = ["syncthing", "generate", "--home", str(home)]
        subprocess.run(made, check=True, capture_output=True, env=self._environment())
        file = home / "config.xml"
        tree = ET.parse(file)
        options, gui = tree.find("options"), tree.find("gui")
        assert options is not None
        assert gui is not None
        for old in options.findall("listenAddress"):
            options.remove(old)
        for name, value in {**OFF, "listenAddress": f"tcp://{self.host}:22000"}.items():
            found = options.find(name)
            (ET.SubElement(options, name) if found is None else found).text = value
        self.api = f"{self.host}:8384"
        for name, value in {"address": self.api}.items():
            found = gui.find(name)
            assert found is not None
            found.text = value
        key = gui.find("apikey")
        assert key is not None
        assert key.text
        self._key = key.text
        tree.write(file)

    def _environment(self) -> dict[str, str]:
        return {**os.environ, "HOME": str(self.home), "STNODEFAULTFOLDER": "1", "STNOUPGRADE": "1"}

    @contextmanager
    def running(self) -> Iterator[None]:
        """Runs until the context ends."""
        command = ["syncthing", "serve", "--home", str(self.home), "--no-browser", "--no-restart"]
        with (self.home / "log.txt").open("ab") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, env=self._environment())
        try:
            wait_until("it answers", lambda: self._answers(process))
            self.id = str(self.get("/rest/system/status")["myID"])
            yield
        finally:
            process.terminate()
            process.wait(60)

    def _answers(self, process: subprocess.Popen[bytes]) -> bool:
        assert process.poll() is None, (self.home / "log.txt").read_text()
        try:
            self.get("/rest/system/ping")
        except OSError:
            return False
        return True

    def get(self, path: str) -> Any:
        request = urllib.request.Request(
            f"http://{self.api}{path}", headers={"X-API-Key": self._key}
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read())

    def config(self, *words: str) -> None:
        """`syncthing cli config`."""
        command = ["syncthing", "cli", "--home", str(self.home), "config", *words]
        done = subprocess.run(
            command, capture_output=True, check=False, text=True, env=self._environment()
        )
        assert done.returncode == 0, done

    def meet(self, other: Syncthing) -> None:
        self.config("devices", "add", "--device-id", other.id, "--name", "other")
        address = f"tcp://{other.host}:22000"
        self.config("devices", other.id, "addresses", "0", "set", address)

    def share(self, name: str, path: Path, kind: str, other: Syncthing) -> None:
        self.config(
            "folders", "add", "--id", name, "--path", str(path), "--type", kind,
            "--fswatcher-delays", "1",
        )  # fmt: skip
        self.config("folders", name, "devices", "add", "--device-id", other.id)


def play(daemon: Daemon, *players: str) -> None:
    daemon.do(do="start", ruleset="modern", players=list(players))
    daemon.do(do="deal")
    daemon.do(do="turn", card="9H")
    daemon.do(do="void")
    daemon.do(do="end")


def collected(daemon: Daemon) -> list[tuple[str, int]]:
    """The first player of each night and how many entries it has, in the order of the players."""
    nights = [daemon.get(f"/api/nights/{one['number']}") for one in daemon.get("/api/nights")]
    return sorted((night["names"]["1"], night["entries"]) for night in nights)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[tuple[Daemon, Daemon, Daemon, Path]]:
    """A board in the kitchen, one in the cellar, and their collection."""
    machines = {name: tmp_path / name for name in ("kitchen", "cellar", "collection")}
    for folder in machines.values():
        folder.mkdir()
    sync = {name: Syncthing(folder / "syncthing") for name, folder in machines.items()}
    homes = {name: Home(folder) for name, folder in machines.items()}
    received = {name: tmp_path / "received" / name for name in ("kitchen", "cellar")}
    for name, folder in received.items():
        folder.mkdir(parents=True)
        (machines[name] / "sheets").mkdir()
        homes[name].configure(f'[sheets]\nto = "{machines[name]}/sheets"\n')
    homes["collection"].configure(
        'board = "none"\n[sheets]\nfrom = ' + json.dumps([*map(str, received.values())]) + "\n"
    )
    with (
        sync["kitchen"].running(),
        sync["cellar"].running(),
        sync["collection"].running(),
        homes["kitchen"].daemon() as kitchen,
        homes["cellar"].daemon() as cellar,
        homes["collection"].daemon() as collection,
    ):
        centre = sync["collection"]
        for name, folder in received.items():
            sync[name].meet(centre)
            centre.meet(sync[name])
            sync[name].share(name, machines[name] / "sheets", "sendonly", centre)
            centre.share(name, folder, "receiveonly", sync[name])
        yield kitchen, cellar, collection, tmp_path


def test_nights_of_two_boards_arrive_once_and_go_on(
    house: tuple[Daemon, Daemon, Daemon, Path],
) -> None:
    kitchen, cellar, collection, folder = house
    play(kitchen, "Anna", "Ben", "Clara")
    play(cellar, "Dora", "Emil", "Frida")
    wait_until("both are there", lambda: collected(collection) == [("Anna", 5), ("Dora", 5)])
    for command in ("undo", "end"):
        kitchen.do(do=command)
    play(cellar, "Gerd", "Hanna", "Ina")
    wait_until(
        "all are there",
        lambda: collected(collection) == [("Anna", 7), ("Dora", 5), ("Gerd", 5)],
    )
    received = folder / "received"
    assert {path.name for path in (received / "kitchen").glob("*.jsonl")} == {
        path.name for path in (folder / "kitchen" / "sheets").iterdir() if path.suffix == ".jsonl"
    }
    assert collection.ask("GET", "/healthz").status == 200


def test_a_board_cannot_send_the_nights_of_another(
    house: tuple[Daemon, Daemon, Daemon, Path],
) -> None:
    kitchen, cellar, collection, folder = house
    play(kitchen, "Anna", "Ben", "Clara")
    play(cellar, "Dora", "Emil", "Frida")
    wait_until("both are there", lambda: len(collected(collection)) == 2)
    (sheet,) = (folder / "kitchen" / "sheets").glob("*.jsonl")
    forged = folder / "cellar" / "sheets" / sheet.name
    forged.write_text(sheet.read_text().replace("Anna", "Liar"))
    arrived = folder / "received" / "cellar" / sheet.name
    wait_until(
        "it is refused",
        lambda: f"{arrived} is refused: It belongs to another ledger" in collection.errors,
    )
    play(cellar, "Gerd", "Hanna", "Ina")
    wait_until(
        "the rest goes on",
        lambda: collected(collection) == [("Anna", 5), ("Dora", 5), ("Gerd", 5)],
    )
