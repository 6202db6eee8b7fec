"""Tells an MQTT broker what happens at the table, in its own thread, so that no press waits.

The table's thread only wakes this one. What is published is made from the newest snapshot when the
broker can take it, so a broker that hangs or is away makes nothing grow.

Home Assistant is told by *MQTT device discovery*, as its documentation calls it: one message with
the device, the origin and all components, whose short keys are those of *MQTT abbreviations*.
"""

from __future__ import annotations

import contextlib
import logging
import secrets
import socket
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, Final, Literal, get_args

import msgspec
from msgspec.structs import replace

from pochboard import __version__
from pochboard.buttons.settings import BRIGHTNESS, VOLUME, BoardSettings
from pochboard.config import Config
from pochboard.errors import BrokerError, LedgerError, StoppedError
from pochboard.ledger.sounds import Cue, seats_of_entry
from pochboard.messages.labels import (
    PHASE_NAMES,
    brightness_names,
    phase_name,
    setting_name,
    volume_names,
)
from pochboard.mqtt.connection import Connection, Message, MqttTable, refusal
from pochboard.rules.accounts import POOLS
from pochboard.rules.state import BETWEEN_NIGHTS
from pochboard.runtime.threads import LoopThread
from pochboard.store import Store
from pochboard.table.part import Driver, OptionalPart, Probe, Seat
from pochboard.table.snapshot import BoardInfo, Listener, Snapshot
from pochboard.table.table import Table
from pochboard.text.lazy import LazyText, lazy_gettext
from pochboard.text.translator import ENGLISH, Translator, table_translator

log = logging.getLogger(__name__)

SETTINGS: Final = ("night_mode", "brightness", "volume")
"""What may be changed from outside; no chips, and nothing that pairs."""
_AGAIN_S: Final = (1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
"""How long to wait before each new try to connect; the last one again and again."""
_STALE_S: Final = 5.0
"""An event that could not be sent for so long is dropped: it is no longer happening."""
_MOST_EVENTS: Final = 32
_GOODBYE_S: Final = 1.0
_IDLE_S: Final = 3600.0
PROBE_BYTES: Final = 6144
"""What `check` publishes has the size of the longest document."""
_ON_OFF: Final = {True: "ON", False: "OFF"}
_PRESENCE: Final = {True: b"online", False: b"offline"}


class Topics:
    """The topics of a board. `ledger` is the id of its ledger, in hexadecimal."""

    def __init__(self, config: MqttTable, ledger: str) -> None:
        self.id = f"pochboard_{ledger[:12]}"
        """Also the client id: the broker takes an old session over instead of keeping two."""
        base = f"{config.prefix}/{self.id}"
        self.availability = f"{base}/availability"
        self.state = f"{base}/state"
        self.events = f"{base}/event"
        self.daemon = f"{base}/daemon"
        """Which daemon has connected last."""
        device = f"{config.discovery}/device/{self.id}"
        self.discovery = f"{device}/config"
        self.probes = (f"{base}/doctor", f"{device}/doctor")
        """Where `check` publishes."""
        self.birth = f"{config.discovery}/status"
        """Home Assistant says here that it has started."""
        self.settings = {f"{base}/{name}/set": name for name in SETTINGS}
        """By topic, what a message there changes."""

    @property
    def retained(self) -> tuple[str, ...]:
        """All topics with messages that the broker keeps."""
        return (self.discovery, self.availability, self.state, self.daemon)


class _Event(msgspec.Struct, frozen=True):
    """What has happened at the table."""

    since_s: float
    revision: int
    """Of the snapshot after it."""
    message: Message


class Publisher(LoopThread, Listener):
    """Publishes until it is closed. Start it once, and close it once."""

    def __init__(
        self, table: Table, config: MqttTable, ledger: str, page: Callable[[], str] = lambda: ""
    ) -> None:
        """`ledger` is the id of the ledger, in hexadecimal; `page` returns the page's address."""
        super().__init__("mqtt")
        self._table = table
        self._config = config
        self._page = page
        self._topics = Topics(config, ledger)
        self._events: deque[_Event] = deque(maxlen=_MOST_EVENTS)
        self._last = table.snapshot
        self._published: dict[str, bytes] = {}
        """By topic, what the broker has of the retained messages."""
        self._told = 0
        """The revision of the snapshot that the broker has."""
        self._name = secrets.token_hex(8).encode()
        """Of this daemon, among those with copies of one ledger."""
        self._was_connected = False
        """Whether an earlier connection has told the broker this name."""
        self._problems: set[str] = set()
        """Why the broker could not be used, since it last could."""
        self._tries = 0
        self._steady_s = 0.0
        """The problem is over once a connection has lasted so long: twice the last pause."""
        self._refusals: dict[str, str] = {}
        """By topic, why the broker has refused it."""
        self._discovery: tuple[object, Message] | None = None
        """The discovery document, after what it was made for."""
        self._unlisten: Callable[[], None] = lambda: None
        self._bell, self._bell_end = socket.socketpair()
        self._bell_end.setblocking(False)

    def start(self) -> None:
        """Follows the table from now on."""
        self._last = self._table.snapshot
        self._unlisten = self._table.listen(self)
        super().start()

    def close(self) -> None:
        """Says goodbye to the broker, and ends the thread."""
        with contextlib.suppress(StoppedError):
            self._unlisten()
        super().close()
        if not self.is_alive():
            self._bell.close()
            self._bell_end.close()

    def _wake(self) -> None:
        super()._wake()
        with contextlib.suppress(OSError):  # it is full, or closed
            self._bell_end.send(b"\0")

    @property
    def problem(self) -> LazyText:
        """What the page says while the broker cannot be used. Does not wait."""
        if not self._problems:
            return LazyText("")
        where = f"{self._config.host}:{self._config.port}"
        return lazy_gettext(
            "The MQTT broker {broker} cannot be used. pochboard status says why.", broker=where
        )

    # Called by the table, in its thread.

    def on_snapshot(self, snapshot: Snapshot) -> None:
        """Something changed."""
        last, self._last = self._last, snapshot
        now_s = time.monotonic()
        for cue in snapshot.cues_since(last):
            message = event(self._topics, cue, snapshot)
            self._events.append(_Event(now_s, snapshot.revision, message))
        self._wake()

    # The thread.

    def _run(self) -> None:
        while not self._closing:
            begun_s = time.monotonic()
            try:
                will = _availability(self._topics, online=False)
                with Connection(self._config, self._topics.id, will) as connection:
                    self._follow(connection)
            except Exception as error:  # noqa: BLE001 - a home must not end the daemon; it is retried
                if self._closing:
                    return
                problem = str(error)
                if not isinstance(error, BrokerError):
                    problem = f"Telling the MQTT broker failed: {type(error).__name__}: {error}"
                if time.monotonic() - begun_s > self._steady_s:
                    self._tries = 0
                self._tell_problem(problem)
                self._was_connected |= self._topics.daemon in self._published
                pause_s = _AGAIN_S[min(self._tries, len(_AGAIN_S) - 1)]
                self._tries += 1
                self._steady_s = 2 * pause_s
                self._pause(pause_s)

    def _tell_problem(self, problem: str) -> None:
        """Logs a problem, but one that lasts for days only once."""
        if problem not in self._problems:
            self._problems.add(problem)
            log.warning("%s", problem)

    def _follow(self, connection: Connection) -> None:
        """Publishes until it is closed. Raises BrokerError if the connection ends earlier."""
        begun_s = time.monotonic()
        self._forget()
        asked: Message | None = None
        topics = self._topics
        connection.subscribe(
            topics.availability, topics.birth, *topics.settings, kept=topics.daemon
        )
        while not self._closing:
            left_s = _IDLE_S
            if self._problems:
                left_s = begun_s + self._steady_s - time.monotonic()
            if left_s <= 0:
                # A warning too, so that the last fault of `pochboard status` is not an old one.
                log.warning("The MQTT broker can be used again.")
                self._problems.clear()
            if connection.is_idle:
                if asked is not None and self._refusals.pop(asked.topic, ""):
                    log.warning("The MQTT broker accepts %s again.", asked.topic)
                asked = self._next()
                if asked is not None:
                    connection.publish(asked)
            for received in connection.receive(left_s, self._bell):
                if isinstance(received, Message):
                    self._receive(received)
                    continue
                asked = None
                if self._refusals.get(received.topic) != received.reason:
                    self._refusals[received.topic] = received.reason
                    log.warning("A fault of the MQTT broker: %s.", refusal(received))
        connection.wait_for(None, _GOODBYE_S)
        connection.deliver(_availability(topics, online=False), _GOODBYE_S)
        connection.close(kindly=True)

    def _forget(self) -> None:
        """Publishes everything again."""
        self._published, self._told, self._discovery = {}, -1, None

    def _receive(self, message: Message) -> None:
        if message.topic == self._topics.birth:
            if message.payload == _PRESENCE[True]:
                self._forget()
            return
        if message.topic == self._topics.availability:
            # The will of an earlier connection may come after our own word.
            if message.payload != _PRESENCE[True]:
                self._published.pop(message.topic, None)
            return
        if message.topic == self._topics.daemon:
            if self._was_connected and message.payload not in (b"", self._name):
                self._tell_rival()
            return
        name = self._topics.settings[message.topic]
        if message.retained and message.payload:  # without one, a kept message is removed
            log.warning("%s is ignored: publish it without retain.", message.topic)
        elif changed(self._table.snapshot.settings, name, message.payload) is None:
            log.info("a message to %s is not a value of it", message.topic)
        else:
            with contextlib.suppress(StoppedError):
                self._table.settings.change(
                    lambda settings: changed(settings, name, message.payload) or settings
                )

    def _tell_rival(self) -> None:
        # It takes the connection back. Whoever waits for longest disturbs least.
        self._tries = len(_AGAIN_S)
        self._steady_s = 2 * _AGAIN_S[-1]
        self._tell_problem(
            "Another daemon with a copy of the same ledger uses the MQTT broker, where both are"
            " one board. Run only one of them, or empty mqtt.host of the other."
        )

    def _next(self) -> Message | None:
        """What is to be published next: the state before the events that led to it."""
        snapshot = self._table.snapshot
        if not self._events or self._events[0].revision > self._told:
            for message in self._retained(snapshot):
                if self._published.get(message.topic) != message.payload:
                    self._published[message.topic] = message.payload
                    return message
            self._told = snapshot.revision
        while self._events and self._events[0].revision <= self._told:
            happened = self._events.popleft()
            if time.monotonic() - happened.since_s < _STALE_S:
                return happened.message
        return None

    def _retained(self, snapshot: Snapshot) -> Iterator[Message]:
        t = table_translator(snapshot.settings.language or ENGLISH.language)
        made_for = (snapshot.board, snapshot.settings.language)
        if self._discovery is None or self._discovery[0] != made_for:
            document = discovery(self._topics, snapshot.board, self._page(), t)
            self._discovery = made_for, document
        yield Message(self._topics.daemon, self._name)
        yield self._discovery[1]
        yield _availability(self._topics, online=True)
        yield state(self._topics, snapshot, t)


def remove(config: MqttTable, ledger: str) -> None:
    """Takes everything of this board off the broker. Raises BrokerError."""
    topics = Topics(config, ledger)
    with Connection(config, topics.id) as connection:
        for topic in topics.retained:
            connection.deliver(Message(topic, b""))
        connection.close(kindly=True)


def check(config: MqttTable, ledger: str) -> None:
    """Tries what the daemon needs: a will, and messages that are kept and handed on.

    It leaves nothing behind, and does not disturb a daemon. Raises BrokerError.
    """
    own, found = Topics(config, ledger).probes
    will, word = (Message(own, secrets.token_hex().encode()) for _ in range(2))
    with Connection(config, f"doctor_{ledger[:12]}") as connection:
        connection.subscribe(own)
        connection.wait_for(None)
        with Connection(config, f"leaver_{ledger[:12]}", will):
            pass
        try:
            connection.wait_for(will)
            connection.publish(word)
            connection.wait_for(word)
            connection.deliver(Message(found, bytes(PROBE_BYTES)))
        finally:
            for topic in (own, found):
                with contextlib.suppress(BrokerError):
                    connection.deliver(Message(topic, b""))
        connection.close(kindly=True)


def _availability(topics: Topics, *, online: bool) -> Message:
    """Whether the daemon runs."""
    return Message(topics.availability, _PRESENCE[online])


def discovery(topics: Topics, board: BoardInfo, page: str, t: Translator) -> Message:
    """The board as a device with its entities. Only what people read depends on the language."""
    sound = _select("volume", VOLUME, topics, t) if board.has_sound else {"p": "select"}
    components: dict[str, dict[str, Any]] = {
        "turn": {
            **_sensor("turn", t.pgettext("entity", "Turn"), "mdi:account-arrow-right"),
            **_attributes("place", "need"),
        },
        "phase": {
            **_sensor("phase", t.pgettext("entity", "Phase"), "mdi:cards-playing"),
            **_attributes(name="phase_name"),
            "dev_cla": "enum",
            "ops": list(PHASE_NAMES),
        },
        "pot": {
            **_sensor("pot", t.gettext("Pot"), "mdi:poker-chip"),
            **_attributes("pools"),
            "stat_cla": "measurement",
            # Statistics keep to one unit, whatever the language.
            "unit_of_meas": "chips",
        },
        "deal": {
            **_sensor("deal", t.pgettext("entity", "Deal"), "mdi:counter"),
            "stat_cla": "measurement",
        },
        "night": {
            **_binary("night", t.pgettext("entity", "Night"), ic="mdi:weather-night"),
            **_attributes("standings"),
        },
        "board": _binary(
            "board", t.pgettext("entity", "Board"), dev_cla="connectivity", ent_cat="diagnostic"
        ),
        "event": {
            "p": "event",
            "name": t.pgettext("entity", "Table"),
            "def_ent_id": "event.pochboard_table",
            "stat_t": topics.events,
            "evt_typ": list(get_args(Cue)),
            "ic": "mdi:gesture-tap-button",
        },
        "night_mode": {
            "p": "switch",
            "name": t.gettext("Night mode"),
            "val_tpl": "{{ value_json.night_mode }}",
            "cmd_t": _set_topic("night_mode", topics),
            "ic": "mdi:brightness-4",
        },
        "brightness": _select("brightness", BRIGHTNESS, topics, t),
        # A component without anything else is removed.
        "volume": sound,
    }
    for name, component in components.items():
        if len(component) > 1:
            component["uniq_id"] = f"{topics.id}_{name}"
            component.setdefault("def_ent_id", f"{component['p']}.pochboard_{name}")
            component.setdefault("stat_t", topics.state)
            component["avty_t"] = topics.availability
            if "json_attr_tpl" in component:
                component["json_attr_t"] = topics.state
    device = {
        "ids": [topics.id],
        "name": "pochboard",
        "mf": "pochboard",
        "mdl": board.kind,
        "sw": __version__,
    }
    document = {
        "dev": device | ({"cu": page} if page else {}),
        "o": {"name": "pochboard", "sw": __version__},
        "cmps": components,
        "qos": 1,
    }
    return Message(topics.discovery, msgspec.json.encode(document))


def state(topics: Topics, snapshot: Snapshot, t: Translator) -> Message:
    """What holds now, for all entities but the events."""
    now, settings = snapshot.state, snapshot.settings
    seat = now.to_act
    values = {
        "turn": None if seat is None else now.name_of(seat),
        "place": None if seat is None else now.places[seat - 1],
        "need": None if seat is None else now.need(seat),
        "phase": now.phase,
        "phase_name": phase_name(now.phase, t),
        "pot": now.pot if now.ruleset else 0,
        "pools": {pool: now.pool(pool) for pool in POOLS},
        "deal": now.deal,
        "night": _ON_OFF[now.phase not in BETWEEN_NIGHTS],
        "standings": [
            {
                "name": now.name_of(row.seat),
                "place": now.places[row.seat - 1],
                "stack": row.stack,
                "net": row.net,
            }
            for row in now.standings
        ],
        "board": _ON_OFF[snapshot.board.link],
        "night_mode": _ON_OFF[settings.night],
        "brightness": settings.brightness,
        "brightness_name": brightness_names(t)[settings.brightness],
        "volume": settings.volume,
        "volume_name": volume_names(t)[settings.volume],
    }
    return Message(topics.state, msgspec.json.encode(values))


def event(topics: Topics, cue: Cue, snapshot: Snapshot) -> Message:
    """Something that has just happened, and whom it is about or whose turn it is."""
    now, last = snapshot.state, snapshot.last
    seats: tuple[int, ...] = ()
    if cue == "turn":
        seats = () if now.to_act is None else (now.to_act,)
    elif last is not None:
        seats = seats_of_entry(last.before, last.after, last.entry.command)
    values = {"event_type": cue, "players": [now.name_of(seat) for seat in seats]}
    return Message(topics.events, msgspec.json.encode(values), retained=False)


def changed(settings: BoardSettings, name: str, payload: bytes) -> BoardSettings | None:
    """The settings after a message to one of them; None if they cannot be changed so."""
    value = payload.decode("utf-8", "replace")
    match name:
        case "night_mode" if value in _ON_OFF.values():
            return replace(settings, night=value == _ON_OFF[True])
        case "brightness" if value in BRIGHTNESS:
            return replace(settings, brightness=value)
        case "volume" if value in VOLUME:
            return replace(settings, volume=value)
        case _:
            return None


def _sensor(name: str, label: str, icon: str) -> dict[str, Any]:
    return {"p": "sensor", "name": label, "val_tpl": f"{{{{ value_json.{name} }}}}", "ic": icon}


def _attributes(*keys: str, **renamed: str) -> dict[str, str]:
    """Attributes of an entity, from the keys of the state."""
    pairs = {key: key for key in keys} | renamed
    values = ", ".join(f"'{name}': value_json.{key}" for name, key in pairs.items())
    return {"json_attr_tpl": f"{{{{ {{{values}}} | tojson }}}}"}


def _binary(name: str, label: str, **more: str) -> dict[str, Any]:
    template = f"{{{{ value_json.{name} }}}}"
    return {"p": "binary_sensor", "name": label, "val_tpl": template, **more}


def _select(
    name: Literal["brightness", "volume"], options: tuple[str, ...], topics: Topics, t: Translator
) -> dict[str, Any]:
    return {
        "p": "select",
        "name": setting_name(name, t),
        "val_tpl": f"{{{{ value_json.{name} }}}}",
        **_attributes(name=f"{name}_name"),
        "cmd_t": _set_topic(name, topics),
        "ops": list(options),
        "ic": {"brightness": "mdi:brightness-6", "volume": "mdi:volume-high"}[name],
    }


def _set_topic(name: str, topics: Topics) -> str:
    return next(topic for topic, setting in topics.settings.items() if setting == name)


def _made(seat: Seat, config: MqttTable) -> Iterator[Driver]:
    if config.host:
        yield Publisher(seat.table, config, seat.store.ledger_id(), seat.page)


def _probes(config: MqttTable, daemon: Config) -> Iterator[tuple[str, Probe]]:
    def tried() -> str:
        ledger = "0" * 32
        with contextlib.suppress(LedgerError), Store.open(daemon.ledger, readonly=True) as store:
            ledger = store.ledger_id()
        check(config, ledger)
        where = f"{config.host}:{config.port}"
        return f"{where} takes, keeps and hands on what this board publishes."

    if config.host:
        yield "MQTT broker", tried


PART: Final = OptionalPart(
    MqttTable,
    _made,
    _probes,
    fix="docs/HOME.md says what it needs.",
    problem=lambda publisher: publisher.problem,
)
