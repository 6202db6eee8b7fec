"""A board at a real MQTT broker, as Home Assistant would see it (docs/HOME.md)."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from pochboard.errors import BrokerError
from pochboard.mqtt import broker as connecting
from pochboard.mqtt import publisher as publishing
from pochboard.mqtt.publisher import Publisher, check
from tests.outside.mosquitto import Home, Mosquitto
from tests.shell.daemons import Home as user_home  # noqa: N813 - the folders of a user
from tests.shell.server_kit import House, running_house, wait_until

LEDGER = "0123456789abcdef0123456789abcdef"
ID = "pochboard_0123456789ab"
SETTINGS = f"pochboard/{ID}"
DISCOVERY = f"homeassistant/device/{ID}/config"


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    with Mosquitto(tmp_path / "broker") as running:
        yield running


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with running_house(tmp_path / "home") as running:
        yield running


@pytest.fixture
def publisher(house: House, broker: Mosquitto) -> Iterator[Publisher]:
    publisher = Publisher(house.table, broker.for_board, LEDGER)
    publisher.start()
    yield publisher
    publisher.close()


@pytest.fixture
def home(broker: Mosquitto) -> Iterator[Home]:
    with Home(broker) as listening:
        yield listening


def bet(house: House) -> None:
    """Anna, Ben and Clara play until Ben has opened the betting with two chips."""
    house.start_night("Anna", "Ben", "Clara")
    house.command(do="deal")
    house.command(do="claim", seat=2, pool="ace")
    house.command(do="next")
    house.command(do="stake", seat=2, chips=2)


@pytest.mark.usefixtures("publisher")
def test_a_board_is_found_and_followed(house: House, home: Home, broker: Mosquitto) -> None:
    home.wait_for("the board", home.state)
    assert home.ending("/availability")[-1] == "online"
    document = json.loads(home.kept[DISCOVERY])
    assert document["dev"]["ids"] == [ID]
    parts = document["cmps"]
    names = [part["uniq_id"] for part in parts.values() if len(part) > 1]
    assert len(set(names)) == len(names) == 9
    # The simulated board has no piezo, so its volume is taken away.
    assert parts["volume"] == {"p": "select"}
    assert "object_id" not in home.kept[DISCOVERY]
    assert home.state()["phase"] == "none"
    assert home.state()["night"] == "OFF"

    bet(house)
    home.wait_for("Clara's turn", lambda: home.state().get("turn") == "Clara")
    table = house.table.snapshot.state
    now = home.state()
    assert now == {
        "turn": "Clara", "place": 3, "need": 2, "phase": "pochen", "pot": table.pool("poch"),
        "deal": 1, "night": "ON", "board": "ON", "night_mode": "OFF", "brightness": "bright",
        "volume": "loud",
    }  # fmt: skip
    home.wait_for("all events", lambda: ("turn", ["Clara"]) in home.events())
    assert ("claim", ["Ben"]) in home.events()
    assert ("knock", ["Ben"]) in home.events()
    house.command(do="pass", seat=3)
    house.command(do="pass", seat=1)
    home.wait_for("no turn", lambda: home.state()["turn"] is None)

    # Who comes later hears what holds, and nothing that has passed.
    with Home(broker) as later:
        later.wait_for("the state", later.state)
        topics = [topic for topic, _, kept in later.heard if kept]
        assert sorted(topics) == sorted(
            [DISCOVERY, f"{SETTINGS}/availability", f"{SETTINGS}/state"]
        )


@pytest.mark.usefixtures("publisher")
def test_the_home_changes_settings_and_nothing_else(house: House, home: Home) -> None:
    home.wait_for("the board", home.state)
    for name, value in [
        ("brightness", "blinding"), ("brightness", ""), ("night_mode", "on"), ("volume", "\0"),
        ("night_mode", "ON"), ("brightness", "dim"), ("volume", "quiet"),
    ]:  # fmt: skip
        home.say(f"{SETTINGS}/{name}/set", value)
    home.wait_for("the volume", lambda: home.state()["volume"] == "quiet")
    settings = house.table.snapshot.settings
    assert (settings.night, settings.brightness, settings.volume) == (True, "dim", "quiet")
    assert house.table.snapshot.entry == 0


@pytest.mark.usefixtures("publisher")
def test_a_home_assistant_that_starts_is_told_everything(home: Home) -> None:
    home.wait_for("the board", home.state)
    before = len(home.ending("/config")), len(home.ending("/availability"))
    home.say("homeassistant/status", "offline")
    home.say("homeassistant/status", "online")
    home.wait_for("the board again", lambda: len(home.ending("/state")) > 1)
    assert (len(home.ending("/config")), len(home.ending("/availability"))) == (
        before[0] + 1, before[1] + 1,
    )  # fmt: skip


def test_a_board_that_stops_says_goodbye(house: House, home: Home, broker: Mosquitto) -> None:
    publisher = Publisher(house.table, broker.for_board, LEDGER)
    publisher.start()
    home.wait_for("the board", home.state)
    publisher.close()
    home.wait_for("goodbye", lambda: home.ending("/availability")[-1] == "offline")


def test_a_board_comes_and_goes_as_the_documentation_says(
    tmp_path: Path, home: Home, broker: Mosquitto
) -> None:
    user, at = user_home(tmp_path / "user"), broker.for_board
    user.configure(
        f'[mqtt]\nhost = "{at.host}"\nport = {at.port}\n'
        f'user = "{at.user}"\npassword = "{at.password}"\n'
    )
    with user.daemon() as daemon:
        home.wait_for("the board", home.state)
        daemon.do(do="start", ruleset="modern", players=["Anna", "Ben", "Clara"])
        home.wait_for("the night", lambda: home.state()["night"] == "ON")
        assert "The daemon is running" in user.cli("mqtt", "remove").err
        daemon.kill()
    # Without a goodbye, the broker publishes the will.
    home.wait_for("its end", lambda: home.ending("/availability")[-1] == "offline")
    assert "accepts this machine" in user.cli("doctor").out
    forgotten = user.cli("mqtt", "remove")
    assert (forgotten.status, forgotten.err) == (0, "")
    with Home(broker) as later:
        later.say("probe", "x")
        later.wait_for("the probe", lambda: later.ending("probe"))
        assert [topic for topic, _, _ in later.heard] == ["probe"]


@pytest.mark.usefixtures("publisher")
def test_a_broker_that_hangs_keeps_nobody_waiting_and_then_gets_the_newest_state(
    house: House, home: Home, broker: Mosquitto
) -> None:
    home.wait_for("the board", home.state)
    with broker.hanging():
        bet(house)
        for _ in range(100):
            house.command(do="undo")
            house.command(do="redo")
        assert house.table.snapshot.entry > 200
    home.wait_for("the newest state", lambda: home.state().get("turn") == "Clara")
    # Of all the states between, at most the one that was under way when it hung.
    assert len(home.ending("/state")) <= 3 + 1


def test_a_broker_that_was_away_is_found_again(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(publishing, "_AGAIN_S", (0.02,))
    broker = Mosquitto(tmp_path / "broker")
    publisher = Publisher(house.table, broker.for_board, LEDGER)
    publisher.start()
    try:
        wait_until("it has been tried", lambda: caplog.records)
        with broker, Home(broker) as home:
            home.wait_for("the board", home.state)
        house.start_night()
        with broker, Home(broker) as home:
            home.wait_for("the night", lambda: home.state().get("night") == "ON")
    finally:
        publisher.close()
    told = [record.getMessage() for record in caplog.records]
    # Each trouble is told once, however often it is tried.
    assert [text for text, after in zip(told, [*told[1:], ""], strict=True) if text == after] == []
    assert "Connection refused" in told[0]
    assert {record.levelno for record in caplog.records} == {logging.WARNING}
    assert "secret" not in "".join(told)


def test_an_event_that_is_late_is_not_told(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publishing, "_AGAIN_S", (0.02,))
    monkeypatch.setattr(publishing, "_STALE_S", 0.0)
    broker = Mosquitto(tmp_path / "broker")
    publisher = Publisher(house.table, broker.for_board, LEDGER)
    publisher.start()
    try:
        bet(house)
        with broker, Home(broker) as home:
            home.wait_for("the turn", lambda: home.state().get("turn") == "Clara")
            assert home.events() == []
    finally:
        publisher.close()


def test_a_wrong_password_is_said(broker: Mosquitto) -> None:
    check(broker.for_board)
    with pytest.raises(BrokerError, match="it refuses the user or the password"):
        check(replace(broker.for_board, password="guess"))


def test_a_broker_that_does_not_answer_is_said(
    broker: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connecting, "ANSWER_S", 0.2)
    begun_s = time.monotonic()
    with broker.hanging(), pytest.raises(BrokerError, match="it does not answer"):
        check(broker.for_board)
    assert time.monotonic() - begun_s < 20, "it waited for paho to give up"


# paho leaves the socket of a failed handshake to the garbage collector.
@pytest.mark.filterwarnings("ignore:Exception ignored in. <ssl.SSLSocket")
@pytest.mark.filterwarnings("ignore:unclosed <ssl.SSLSocket:ResourceWarning")
def test_a_certificate_is_checked(tmp_path: Path) -> None:
    with Mosquitto(tmp_path / "broker", tls=True) as broker:
        secure = replace(broker.for_board, host="localhost", tls=True)
        right = replace(secure, ca=str(tmp_path / "broker" / "certificate"))
        check(right)
        with pytest.raises(BrokerError, match="its certificate is refused"):
            check(secure)
        with pytest.raises(BrokerError, match="No such file"):
            check(replace(secure, ca="/nowhere.pem"))


def test_nothing_of_it_is_loaded_while_it_is_off() -> None:
    program = "import sys, pochboard.cli, pochboard.daemon.daemon; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    loaded = ran.stdout.decode().split()
    assert "pochboard.daemon.daemon" in loaded
    assert [name for name in loaded if name.startswith(("paho", "pochboard.mqtt"))] == []


def test_a_daemon_without_the_package_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.startswith("pochboard.mqtt")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "paho.mqtt.client", None)
    user = user_home(tmp_path)
    user.configure('[mqtt]\nhost = "192.0.2.1"\n')
    ran = user.here("mqtt", "remove")
    assert (ran.status, ran.out) == (2, "")
    assert f"Install it with: {sys.executable} -m pip install paho-mqtt" in ran.err
    assert "mqtt.host needs paho-mqtt." in user.here("doctor").out
