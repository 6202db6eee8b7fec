"""A board at a real MQTT broker, as Home Assistant would see it (docs/HOME.md)."""

from __future__ import annotations

import contextlib
import json
import logging
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from pochboard import mqtt
from pochboard.errors import BrokerError
from pochboard.mqtt import LARGEST, PART, Publisher, check
from pochboard.rules.accounts import POOLS
from tests.outside.mosquitto import FalseBroker, Home, Mosquitto
from tests.shell.daemons import Home as user_home  # noqa: N813 - the folders of a user
from tests.shell.server_kit import House, running_house, wait_until

LEDGER = "0123456789abcdef0123456789abcdef"
ID = "pochboard_0123456789ab"
SETTINGS = f"pochboard/{ID}"
PAGE = (Path(__file__).resolve().parents[2] / "docs" / "HOME.md").read_text("utf-8")
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
        "turn": "Clara", "place": 3, "need": 2, "phase": "pochen", "phase_name": "Betting",
        "pot": table.pool("poch"), "pools": {pool: table.pool(pool) for pool in POOLS},
        "deal": 1, "night": "ON", "board": "ON", "night_mode": "OFF", "brightness": "bright",
        "brightness_name": "Bright", "volume": "loud", "volume_name": "Loud",
        "standings": [
            {"name": table.name_of(row.seat), "place": row.seat, "stack": row.stack, "net": row.net}
            for row in table.standings
        ],
    }  # fmt: skip
    assert now["pools"]["poch"] > 0
    assert now["standings"][0]["name"] == "Ben"
    home.wait_for("all events", lambda: ("turn", ["Clara"]) in home.events())
    assert ("claim", ["Ben"]) in home.events()
    assert ("knock", ["Ben"]) in home.events()
    house.command(do="pass", seat=3)
    house.command(do="pass", seat=1)
    home.wait_for("no turn", lambda: home.state()["turn"] is None)

    # Who comes later hears what holds, and nothing that has passed.
    with Home(broker) as later:
        later.wait_for("what is kept", lambda: len(later.kept) == 3)
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
    assert "takes, keeps and hands on what this board publishes" in user.cli("doctor").out
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
    monkeypatch.setattr(mqtt, "_AGAIN_S", (0.02,))
    broker = Mosquitto(tmp_path / "broker")
    publisher = Publisher(house.table, broker.for_board, LEDGER)
    publisher.start()
    try:
        wait_until("the page is told", lambda: "cannot be used" in PART.problem(publisher))
        with broker, Home(broker) as home:
            home.wait_for("the board", home.state)
            wait_until("all is well", lambda: not PART.problem(publisher))
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


def test_a_wrong_password_is_said(broker: Mosquitto) -> None:
    check(broker.for_board, LEDGER)
    with pytest.raises(BrokerError, match="it refuses the user or the password"):
        check(replace(broker.for_board, password="guess"), LEDGER)


def test_a_broker_that_does_not_answer_is_said(broker: Mosquitto) -> None:
    with broker.hanging(), pytest.raises(BrokerError, match="it does not answer"):
        check(broker.for_board, LEDGER)


# paho-mqtt leaves the socket to the garbage collector if the handshake fails.
@pytest.mark.filterwarnings("ignore:unclosed <ssl.SSLSocket:ResourceWarning")
def test_a_certificate_is_checked(tmp_path: Path) -> None:
    with Mosquitto(tmp_path / "broker", tls=True) as broker:
        secure = replace(broker.for_board, host="localhost", tls=True)
        right = replace(secure, ca=str(tmp_path / "broker" / "certificate"))
        check(right, LEDGER)
        with pytest.raises(BrokerError, match="its certificate is refused"):
            check(secure, LEDGER)
        with pytest.raises(BrokerError, match="No such file"):
            check(replace(secure, ca="/nowhere.pem"), LEDGER)


CONNACK = bytes.fromhex("20 03 00 00 00")
SUBACK = bytes.fromhex("90 08 0001 00 0000000000")


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ([bytes.fromhex("20 02 00 01")], "it does not speak MQTT 5"),
        ([bytes.fromhex("20 03 00 84 00")], "it does not speak MQTT 5"),
        ([b"\xff" * 100], "what it sends is not MQTT 5"),
        ([b"HTTP/1.1 400 Bad Request\r\n" * 10], "what it sends is not MQTT 5"),
        ([bytes.fromhex("20 05 00 00 02 25 00")], "it keeps no messages"),
        ([CONNACK, bytes.fromhex("90 04 0001 00 87")], "it refuses pochboard/"),
        ([CONNACK, SUBACK, bytes.fromhex("40 04 0002 97 00")], "Quota exceeded"),
        ([CONNACK + bytes.fromhex("30 05 0002 fffe 00")], "invalid start byte"),
        ([CONNACK + bytes.fromhex("30 04 0009 6161")], "what it sends is not MQTT 5"),
        ([CONNACK, bytes.fromhex("90 ffffff7f") + bytes(10_000)], "what it sends is not MQTT 5"),
        ([CONNACK + bytes.fromhex("e0 01 8b")], "it has ended the connection (Server shutting"),
    ],
)
def test_whatever_answers_instead_of_a_broker_is_said_once_and_ends_nothing(
    house: House,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    answers: list[bytes],
    reason: str,
) -> None:
    monkeypatch.setattr(mqtt, "_AGAIN_S", (0.02, 0.05))
    with FalseBroker(*answers) as broker:
        publisher = Publisher(house.table, broker.for_board, LEDGER)
        publisher.start()
        try:
            wait_until("it is tried again", lambda: len(broker.greeted_s) > 2)
            assert publisher.is_alive()
        finally:
            publisher.close()
    told = [record.getMessage() for record in caplog.records]
    assert len(told) == 1, told
    assert reason in told[0]


@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        ({"rights": "user board\ntopic readwrite pochboard/#\n"}, "Not authorized"),
        ({"settings": "retain_available false"}, "it keeps no messages"),
        ({"settings": "max_packet_size 1500"}, "Packet too large"),
        ({"settings": "message_size_limit 2000"}, "what it sends is not MQTT 5"),
        ({"rights": "user board\ntopic write #\n"}, "does not hand on what is published"),
    ],
)
def test_a_broker_that_takes_the_connection_and_not_the_messages_is_found(
    tmp_path: Path,
    house: House,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    trouble: dict[str, Any],
    said: str,
) -> None:
    monkeypatch.setattr(mqtt, "ANSWER_S", 2.0)
    with Mosquitto(tmp_path / "broker", **trouble) as broker:
        with pytest.raises(BrokerError, match=said):
            check(broker.for_board, LEDGER)
        if "hand on" in said:
            return  # the home sees such a board, but cannot change it
        publisher = Publisher(house.table, broker.for_board, LEDGER)
        publisher.start()
        try:
            wait_until("the fault is logged", lambda: said in caplog.text)
        finally:
            publisher.close()


def test_the_doctor_leaves_nothing_behind_and_disturbs_no_board(
    publisher: Publisher, home: Home, broker: Mosquitto, caplog: pytest.LogCaptureFixture
) -> None:
    home.wait_for("the board", home.state)
    # What it publishes is as large as anything that the board does.
    assert len(home.kept[DISCOVERY]) < LARGEST
    check(replace(broker.for_board), LEDGER)
    assert home.ending("/availability") == ["online"]
    with Home(broker) as later:
        later.say("probe", "x")
        later.wait_for("the probe", lambda: later.ending("probe"))
        assert later.ending("/doctor") == []
    assert caplog.records == []


def test_a_retained_command_is_refused(
    house: House, home: Home, broker: Mosquitto, caplog: pytest.LogCaptureFixture
) -> None:
    for volume in ("quiet", "medium"):  # the second time it has been kept before
        publisher = Publisher(house.table, broker.for_board, LEDGER)
        publisher.start()
        home.wait_for("the board", lambda: home.ending("/availability")[-1:] == ["online"])
        if volume == "quiet":
            home.say(f"{SETTINGS}/brightness/set", "dim", retain=True)
            wait_until("it is said", lambda: "brightness/set is ignored" in caplog.text)
        home.say(f"{SETTINGS}/volume/set", volume)
        wait_until("it is set", lambda: house.table.snapshot.settings.volume == volume)  # noqa: B023
        publisher.close()
        home.wait_for("goodbye", lambda: home.ending("/availability")[-1:] == ["offline"])
    assert house.table.snapshot.settings.brightness == "bright"


@pytest.mark.usefixtures("publisher")
def test_a_will_that_comes_late_is_corrected(home: Home) -> None:
    home.wait_for("the board", home.state)
    home.say(f"{SETTINGS}/availability", "offline", retain=True)
    home.wait_for("the board", lambda: home.ending("/availability")[-2:] == ["offline", "online"])


def test_two_boards_with_one_ledger_are_told_and_do_not_fight(
    house: House, home: Home, broker: Mosquitto, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with running_house(tmp_path / "copy") as copied, contextlib.ExitStack() as running:
        boards = []
        for each in (house, copied):
            boards.append(Publisher(each.table, broker.for_board, LEDGER))
            boards[-1].start()
            running.callback(boards[-1].close)
            home.wait_for("the board", lambda: home.ending("/availability")[-1:] == ["online"])
        wait_until("both are told", lambda: caplog.text.count("Another daemon with a copy") > 1)
        home.wait_for("their answers", lambda: len(home.ending("/availability")) > 3)
        boards[0].close()
        home.wait_for(
            "the other", lambda: home.ending("/availability")[4:] == ["offline", "online"]
        )
    assert [record.getMessage()[:14] for record in caplog.records] == ["Another daemon"] * 2
    assert (broker.folder / "log").read_text("utf-8").count("as pochboard_") == 2


def test_entity_ids_do_not_depend_on_the_language(
    house: House, home: Home, broker: Mosquitto
) -> None:
    house.table.settings.change(lambda settings: replace(settings, language="de"))
    publisher = Publisher(house.table, broker.for_board, LEDGER, lambda: "http://poch.home:8441")
    publisher.start()
    home.wait_for("the board", home.state)
    publisher.close()
    document = json.loads(home.kept[DISCOVERY])
    parts = [part for part in document["cmps"].values() if len(part) > 1]
    named = {part["def_ent_id"]: part["name"] for part in parts}
    assert named["binary_sensor.pochboard_night"] == "Spielabend"
    assert {name for name in named if f"`{name}`" not in PAGE} == set()
    used = set(re.findall(r"entity_id: (\S+\.pochboard\S+)", PAGE))
    assert len(used) == 2
    assert used <= set(named)
    assert document["dev"]["cu"] == "http://poch.home:8441"
    assert (home.state()["phase"], home.state()["phase_name"]) == ("none", "Noch kein Spielabend")
