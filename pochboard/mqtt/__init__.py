"""The table in a home: what an MQTT broker is told, and what it may change (docs/HOME.md).

The table's thread only wakes the one of the `Publisher`, so that no press waits. What is published
is made from the newest snapshot when the broker can take it, so a broker that hangs or is away
makes nothing grow.

Home Assistant is told by *MQTT device discovery*, as its documentation calls it: one message with
the device, the origin and all components, whose short keys are those of *MQTT abbreviations*.
"""

from __future__ import annotations

import contextlib
import logging
import secrets
import select
import socket
import ssl
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Annotated, Any, Final, Self, get_args

import msgspec
from msgspec import Meta
from msgspec.structs import replace
from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.subscribeoptions import SubscribeOptions

from pochboard import __version__
from pochboard.buttons.settings import BRIGHTNESS, VOLUME, BoardSettings
from pochboard.config import LABELS, Config, check_host
from pochboard.errors import BrokerError, LedgerError, StoppedError
from pochboard.ledger.entry import Cue, seats_of_entry
from pochboard.messages.labels import (
    PHASE_NAMES,
    brightness_names,
    phase_name,
    volume_names,
)
from pochboard.rules.accounts import POOLS
from pochboard.rules.state import BETWEEN_NIGHTS
from pochboard.runtime.threads import LoopThread
from pochboard.store import Store
from pochboard.table.part import Driver, OptionalPart, Probe, Seat
from pochboard.table.snapshot import BoardInfo, Listener, Snapshot
from pochboard.table.table import Table
from pochboard.text.lazy import LazyText, lazy_gettext, os_reason
from pochboard.text.translator import ENGLISH, Translator, table_translator

log = logging.getLogger(__name__)

ANSWER_S: Final = 5.0
"""The time a broker has to accept a connection, or a message of `check`."""
LARGEST: Final = 6144
"""In bytes: no document of the board is longer. `check` publishes as much."""
_KEEP_ALIVE_S: Final = 20
"""A broker that is silent for twice this time is given up."""
_TURN_S: Final = 5.0
"""The time between paho-mqtt's checks of that limit."""
_AGAIN_S: Final = (1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
"""The waits before each new try to connect; the last one repeats."""
_STALE_S: Final = 5.0
"""An event that could not be sent for so long is dropped: it is no longer happening."""
_ON_OFF: Final = {True: "ON", False: "OFF"}
_PRESENCE: Final = {True: b"online", False: b"offline"}
_REFUSED: Final = {
    "Unsupported protocol version": "it does not speak MQTT 5",
    "Bad user name or password": "it refuses the user or the password",
    "Not authorized": "it refuses the user or the password",
    "Retain not supported": "it keeps no messages (retain is not available)",
}
"""Why the broker refuses the connection, by the reason that it sends."""
_LOST: Final = {
    "Keep alive timeout": "it does not answer",
    "Protocol error": "what it sends is not MQTT 5",
}
"""Why a connection is given up, by the reason of paho-mqtt."""

_Login = Annotated[str, Meta(pattern=r"\A[^\x00-\x1f\x7f]{0,200}\Z")]
_Topic = Annotated[str, Meta(pattern=r"\A[0-9A-Za-z_-]{1,40}(/[0-9A-Za-z_-]{1,40}){0,3}\Z")]


class MqttTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The MQTT broker of the home (docs/HOME.md): the table `[mqtt]`."""

    host: Annotated[str, Meta(pattern=rf"\A{LABELS}\S*\Z")] = ""
    port: Annotated[int, Meta(ge=1, le=65_535)] = 1883
    user: _Login = ""
    password: _Login = ""
    tls: bool = False
    ca: Annotated[str, Meta(pattern=r"\A(/[^\x00-\x1f]*)?\Z")] = ""
    prefix: _Topic = "pochboard"
    discovery: _Topic = "homeassistant"

    def __post_init__(self) -> None:
        """Checks what the types do not express. Raises ConfigError."""
        check_host("mqtt.host", self.host)


class Topics:
    """The topics of a board. `ledger` is the id of its ledger, in hexadecimal."""

    def __init__(self, config: MqttTable, ledger: str) -> None:
        self.id = f"pochboard_{ledger[:12]}"
        self.base = base = f"{config.prefix}/{self.id}"
        self.availability = f"{base}/availability"
        self.state = f"{base}/state"
        self.events = f"{base}/event"
        device = f"{config.discovery}/device/{self.id}"
        self.discovery = f"{device}/config"
        self.probes = (f"{base}/doctor", f"{device}/doctor")
        """Where `check` publishes."""
        self.birth = f"{config.discovery}/status"
        """Home Assistant says here that it has started."""
        settings = ("night_mode", "brightness", "volume")
        self.settings = {f"{base}/{name}/set": name for name in settings}
        """By topic, what a message there changes: no chips, and nothing that pairs."""


class Message(msgspec.Struct, frozen=True):
    """Something that is published, or that somebody else has published."""

    topic: str
    payload: bytes
    retained: bool = True
    """Whether the broker keeps it for those who subscribe later."""


class _Client(Client):
    """Takes no packet that is larger than the broker was told: paho-mqtt takes 256 MB."""

    def _sock_recv(self, bufsize: int) -> bytes:
        if bufsize > LARGEST:
            raise ValueError(_LOST["Protocol error"])
        return super()._sock_recv(bufsize)


class Connection:
    """A connection by paho-mqtt, MQTT 5. It ends with the context; the broker publishes the will.

    Everything happens in `turn`, which also raises what the callbacks raise.
    """

    def __init__(
        self,
        config: MqttTable,
        topics: tuple[str, ...] = (),
        receive: Callable[[Message], None] = lambda _: None,
        will: Message | None = None,
    ) -> None:
        """`receive` gets what others publish at `topics` from now on."""
        self._config = config
        self._topics = topics
        self._ready = False
        self.under_way = ""
        """The topic of a message that the broker has not confirmed yet."""
        self._client = _Client(
            CallbackAPIVersion.VERSION2,
            f"pochboard_{secrets.token_hex(6)}",
            protocol=MQTTProtocolVersion.MQTTv5,
        )
        self._client.connect_timeout = ANSWER_S
        self._client.on_connect = self._on_connect
        self._client.on_subscribe = self._on_subscribe
        self._client.on_publish = self._on_publish
        self._client.on_disconnect = self._on_disconnect
        self._client.on_message = lambda _, __, message: receive(
            Message(message.topic, bytes(message.payload), message.retain)
        )
        if config.user:
            self._client.username_pw_set(config.user, config.password or None)
        if will is not None:
            self._client.will_set(will.topic, will.payload, 1, will.retained)

    def __enter__(self) -> Self:
        """Waits until the broker has accepted it, and the topics. Raises BrokerError."""
        config = self._config
        limit = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        limit.MaximumPacketSize = LARGEST
        try:
            if config.tls:
                self._client.tls_set_context(ssl.create_default_context(cafile=config.ca or None))
            self._client.connect(config.host, config.port, _KEEP_ALIVE_S, properties=limit)
            self.turn_until(lambda: self._ready)
        except (OSError, ValueError) as error:
            self.close()
            raise self._error(error) from None
        return self

    def __exit__(self, *_: object) -> None:
        """Ends it without a goodbye."""
        self.close()

    def close(self, *, kindly: bool = False) -> None:
        """Ends it; `kindly`, the broker does not publish the will."""
        self._client.on_disconnect = None
        if kindly:
            self._client.disconnect()
        if (connected := self._client.socket()) is not None:
            connected.close()

    def publish(self, message: Message) -> None:
        """Sends a message. So that none queue up, only if none is `under_way`."""
        self.under_way = message.topic
        self._client.publish(message.topic, message.payload, 1, message.retained)

    def deliver(self, message: Message, seconds: float = ANSWER_S) -> None:
        """Publishes a message, and waits until the broker has it. Raises BrokerError."""
        self.publish(message)
        self.turn_until(lambda: not self.under_way, seconds)

    def turn_until(
        self,
        condition: Callable[[], bool],
        seconds: float = ANSWER_S,
        otherwise: str = "it does not answer",
    ) -> None:
        """Takes turns until something holds. Raises BrokerError."""
        until_s = time.monotonic() + seconds
        while not condition():
            if (left_s := until_s - time.monotonic()) <= 0:
                raise self._error(otherwise)
            self.turn(left_s)

    def turn(self, seconds: float, bell: socket.socket | None = None) -> None:
        """Waits for the broker, at most so long, or until the bell rings; then handles what came.

        Raises BrokerError when the connection has ended, or the broker refuses something.
        """
        if (connected := self._client.socket()) is None:
            raise self._error("the connection has ended")
        number, writing = connected.fileno(), select.POLLOUT * self._client.want_write()
        poll = select.poll()
        poll.register(number, select.POLLIN | writing)
        if bell is not None:
            poll.register(bell, select.POLLIN)
        decrypted = isinstance(connected, ssl.SSLSocket) and connected.pending() > 0
        ready = dict(poll.poll(0 if decrypted else min(seconds, _TURN_S) * 1000 + 1))
        if bell is not None and bell.fileno() in ready:
            bell.recv(4096)
        try:
            if decrypted or ready.get(number, 0) & ~select.POLLOUT:
                self._client.loop_read()
            self._client.loop_write()
            self._client.loop_misc()
        except ValueError as error:  # of a topic, for example, that is not UTF-8
            raise self._error(error) from None

    # Called by paho-mqtt, whose reason codes equal their names.

    def _on_connect(self, client: Client, _: Any, __: Any, reason: Any, offered: Any) -> None:
        if reason.is_failure:
            refused = f"it refuses the connection ({reason})"
            raise self._error(_REFUSED.get(str(reason), refused))
        if getattr(offered, "RetainAvailable", 1) == 0:
            raise self._error(_REFUSED["Retain not supported"])
        # No messages of our own; retained ones only if new, and marked as retained.
        options = SubscribeOptions(qos=0, noLocal=True, retainAsPublished=True, retainHandling=2)
        if self._topics:
            client.subscribe([(topic, options) for topic in self._topics])
        self._ready = not self._topics

    def _on_subscribe(self, _: Any, __: Any, ___: int, reasons: list[Any], ____: Any) -> None:
        for topic, reason in zip(self._topics, reasons, strict=False):
            self._accept(topic, reason)
        self._ready = True

    def _on_publish(self, _: Any, __: Any, ___: int, reason: Any, ____: Any) -> None:
        topic, self.under_way = self.under_way, ""
        self._accept(topic, reason)

    def _accept(self, topic: str, reason: Any) -> None:
        if reason.is_failure:
            raise self._error(f"it refuses {topic} ({reason})")

    def _on_disconnect(self, _: Any, __: Any, flags: Any, reason: Any, ___: Any) -> None:
        ended = f"it has ended the connection ({reason})"
        if not flags.is_disconnect_packet_from_server:
            ended = _LOST.get(str(reason), "it has closed the connection")
        raise self._error(ended)

    def _error(self, reason: Exception | str) -> BrokerError:
        if isinstance(reason, BrokerError):
            return reason
        if isinstance(reason, ssl.SSLError):
            reason = f"its certificate is refused ({reason.reason or reason})"
        elif isinstance(reason, OSError):
            reason = str(os_reason(reason))
        where = f"{self._config.host}:{self._config.port}"
        return BrokerError(f"The MQTT broker {where} cannot be used: {reason}.")


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
        self._events: deque[tuple[float, Message]] = deque(maxlen=32)
        """What has happened at the table, and when."""
        self._last = table.snapshot
        self._published: dict[str, bytes] = {}
        """By topic, the availability and the state as the broker has them."""
        self._described: object = None
        """What the broker's discovery document was made from."""
        self._has_rival = False
        """Whether another daemon has said that it is this board."""
        self._problems: set[str] = set()
        """Why the broker could not be used, since it last could."""
        self._tries = 0
        self._steady_s = 0.0
        """The problem is over once a connection has lasted so long: twice the last pause."""
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
        for cue in snapshot.cues_since(last):
            self._events.append((time.monotonic(), event(self._topics, cue, snapshot)))
        self._wake()

    # The thread.

    def _run(self) -> None:
        while not self._closing:
            begun_s = time.monotonic()
            try:
                self._follow()
            except Exception as error:  # noqa: BLE001 - a home must not end the daemon; it is retried
                if self._closing:
                    return
                problem = str(error)
                if not isinstance(error, BrokerError):
                    problem = f"Telling the MQTT broker failed: {type(error).__name__}: {error}"
                if problem not in self._problems:  # one that lasts for days is logged once
                    self._problems.add(problem)
                    log.warning("%s", problem)
                if time.monotonic() - begun_s > self._steady_s:
                    self._tries = 0
                pause_s = _AGAIN_S[min(self._tries, len(_AGAIN_S) - 1)]
                self._tries += 1
                self._steady_s = 2 * pause_s
                self._pause(pause_s)

    def _follow(self) -> None:
        """Publishes until it is closed. Raises BrokerError if the connection ends earlier."""
        topics = self._topics
        subscribed = (topics.availability, topics.birth, *topics.settings)
        will = _availability(topics, online=False)
        begun_s = time.monotonic()
        with Connection(self._config, subscribed, self._receive, will) as connection:
            self._forget()
            while not self._closing:
                if self._problems and time.monotonic() - begun_s > self._steady_s:
                    # A warning too, so that the last fault of `pochboard status` is not an old one.
                    log.warning("The MQTT broker can be used again.")
                    self._problems.clear()
                if not connection.under_way and (message := self._next()):
                    connection.publish(message)
                connection.turn(self._steady_s if self._problems else _TURN_S, self._bell)
            connection.deliver(will, seconds=1.0)
            connection.close(kindly=True)

    def _forget(self) -> None:
        """Publishes everything again."""
        self._published, self._described = {}, None

    def _receive(self, message: Message) -> None:
        if message.topic == self._topics.birth:
            if message.payload == _PRESENCE[True]:
                self._forget()
        elif message.topic == self._topics.availability:
            # The will of an earlier connection may come after our own word. Two daemons answer each
            # other once.
            if message.payload != _PRESENCE[True] or not self._has_rival:
                self._published.pop(message.topic, None)
            if message.payload == _PRESENCE[True] and not self._has_rival:
                self._has_rival = True
                log.warning(
                    "Another daemon with a copy of the same ledger uses the MQTT broker, where both"
                    " are one board. Run only one of them, or empty mqtt.host of the other."
                )
        elif message.retained and message.payload:  # without one, a kept message is removed
            log.warning("%s is ignored: publish it without retain.", message.topic)
        elif name := self._topics.settings.get(message.topic):
            with contextlib.suppress(StoppedError):
                self._table.settings.change(
                    lambda settings: changed(settings, name, message.payload)
                )

    def _next(self) -> Message | None:
        """What is to be published next: the state before the events that led to it."""
        snapshot = self._table.snapshot
        t = table_translator(snapshot.settings.language or ENGLISH.language)
        described = (snapshot.board, snapshot.settings.language)
        if described != self._described:
            self._described = described
            return discovery(self._topics, snapshot.board, self._page(), t)
        for message in (_availability(self._topics, online=True), state(self._topics, snapshot, t)):
            if self._published.get(message.topic) != message.payload:
                self._published[message.topic] = message.payload
                return message
        while self._events:
            happened_s, message = self._events.popleft()
            if time.monotonic() - happened_s < _STALE_S:
                return message
        return None


def remove(config: MqttTable, ledger: str) -> None:
    """Takes everything of this board off the broker. Raises BrokerError."""
    topics = Topics(config, ledger)
    with Connection(config) as connection:
        for topic in (topics.discovery, topics.availability, topics.state):
            connection.deliver(Message(topic, b""))
        connection.close(kindly=True)


def check(config: MqttTable, ledger: str) -> None:
    """Tries what the daemon needs: a will, and messages that are kept and handed on.

    It leaves nothing behind, and does not disturb a daemon. Raises BrokerError.
    """
    own, found = Topics(config, ledger).probes
    will = Message(own, secrets.token_hex().encode())
    heard: list[Message] = []
    with Connection(config, (own,), heard.append) as connection:
        with Connection(config, will=will):
            pass
        try:
            connection.turn_until(
                lambda: any(message.payload == will.payload for message in heard),
                otherwise=f"it does not hand on what is published at {own}",
            )
            connection.deliver(Message(found, bytes(LARGEST)))
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
    components: dict[str, dict[str, Any]] = {}

    def add(platform: str, key: str, name: str, *attributes: str, **more: Any) -> None:
        """Adds an entity. Its state is a key of `state`, and so is each attribute."""
        entity = {
            "p": platform,
            "name": name,
            "uniq_id": f"{topics.id}_{key}",
            "def_ent_id": f"{platform}.pochboard_{key}",
            "avty_t": topics.availability,
            "stat_t": topics.state,
            "val_tpl": f"{{{{ value_json.{key} }}}}",
        }
        if attributes:
            # The attribute `name` of `phase`, for example, is the key `phase_name`.
            values = [f"'{each.removeprefix(f'{key}_')}': value_json.{each}" for each in attributes]
            entity["json_attr_t"] = topics.state
            entity["json_attr_tpl"] = f"{{{{ {{{', '.join(values)}}} | tojson }}}}"
        components[key] = entity | more

    turn = t.pgettext("entity", "Turn")
    add("sensor", "turn", turn, "place", "need", ic="mdi:account-arrow-right")
    phases = {"dev_cla": "enum", "ops": list(PHASE_NAMES), "ic": "mdi:cards-playing"}
    add("sensor", "phase", t.pgettext("entity", "Phase"), "phase_name", **phases)
    # Statistics keep to one unit, whatever the language.
    chips = {"stat_cla": "measurement", "unit_of_meas": "chips", "ic": "mdi:poker-chip"}
    add("sensor", "pot", t.gettext("Pot"), "pools", **chips)
    counted = {"stat_cla": "measurement", "ic": "mdi:counter"}
    add("sensor", "deal", t.pgettext("entity", "Deal"), **counted)
    night = t.pgettext("entity", "Night")
    add("binary_sensor", "night", night, "standings", ic="mdi:weather-night")
    link = {"dev_cla": "connectivity", "ent_cat": "diagnostic"}
    add("binary_sensor", "board", t.pgettext("entity", "Board"), **link)
    events = {"stat_t": topics.events, "evt_typ": list(get_args(Cue))}
    add("event", "table", t.pgettext("entity", "Table"), **events, ic="mdi:gesture-tap-button")
    del components["table"]["val_tpl"]  # its messages are events
    mode = {"cmd_t": f"{topics.base}/night_mode/set", "ic": "mdi:brightness-4"}
    add("switch", "night_mode", t.gettext("Night mode"), **mode)
    for key, name, options, icon in (
        ("brightness", t.gettext("Brightness"), BRIGHTNESS, "mdi:brightness-6"),
        ("volume", t.gettext("Volume"), VOLUME, "mdi:volume-high"),
    ):
        more = {"cmd_t": f"{topics.base}/{key}/set", "ops": list(options), "ic": icon}
        add("select", key, name, f"{key}_name", **more)
    if not board.has_sound:
        components["volume"] = {"p": "select"}  # without anything else it is removed
    origin = {"name": "pochboard", "sw": __version__}
    device: dict[str, Any] = {**origin, "ids": [topics.id], "mf": "pochboard", "mdl": board.kind}
    if page:
        device["cu"] = page
    document = {"dev": device, "o": origin, "cmps": components, "qos": 1}
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


def changed(settings: BoardSettings, name: str, payload: bytes) -> BoardSettings:
    """The settings after a message to one of them; unchanged if its value is not allowed."""
    value = payload.decode("utf-8", "replace")
    match name:
        case "night_mode" if value in _ON_OFF.values():
            return replace(settings, night=value == _ON_OFF[True])
        case "brightness" if value in BRIGHTNESS:
            return replace(settings, brightness=value)
        case "volume" if value in VOLUME:
            return replace(settings, volume=value)
        case _:
            return settings


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
