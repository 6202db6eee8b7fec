"""Tells an MQTT broker what happens at the table, in its own thread, so that no press waits.

The table's thread only wakes this one. What is published is made from the newest snapshot when the
broker can take it, so a broker that hangs or is away makes nothing grow.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Final

from pochboard.config import MqttTable
from pochboard.errors import BrokerError, RefusedInput, StoppedError
from pochboard.lights.frame import Frame
from pochboard.mqtt.broker import Broker, Message
from pochboard.mqtt.entities import Topics, availability, changed, discovery, event, state
from pochboard.runtime.threads import LoopThread
from pochboard.table.records import Snapshot
from pochboard.table.table import Table
from pochboard.text.lazy import lazy_gettext
from pochboard.text.translator import ENGLISH, table_translator

log = logging.getLogger(__name__)

_AGAIN_S: Final = (1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
"""How long to wait before each new try to connect; the last one again and again."""
_STALE_S: Final = 5.0
"""An event that could not be sent for so long is dropped: it is no longer happening."""
_MOST_EVENTS: Final = 32
_GOODBYE_S: Final = 1.0


class Publisher(LoopThread):
    """Publishes until it is closed. Start it once, and close it once."""

    def __init__(self, table: Table, config: MqttTable, ledger: str) -> None:
        """`ledger` is the id of the ledger, in hexadecimal."""
        super().__init__("mqtt")
        self._table = table
        self._config = config
        self._topics = Topics(config, ledger)
        self._events: deque[tuple[float, Message]] = deque(maxlen=_MOST_EVENTS)
        self._last = table.snapshot
        self._published: dict[str, bytes] = {}
        """By topic, what the broker has of the retained messages."""
        self._discovery: tuple[object, Message] | None = None
        """The discovery document, after what it was made for."""
        self._unlisten: Callable[[], None] = lambda: None

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

    # Called by the table, in its thread.

    def on_snapshot(self, snapshot: Snapshot) -> None:
        """Something changed."""
        last, self._last = self._last, snapshot
        now_s = time.monotonic()
        for cue in snapshot.cues_since(last):
            self._events.append((now_s, event(self._topics, cue, snapshot)))
        self._wake()

    def on_refused(self, _: RefusedInput) -> None:
        """What is refused does not concern the home."""

    def on_frame(self, _: Frame) -> None:
        """Nor do the lights."""

    # Called by the broker's connection, in its thread.

    def _receive(self, topic: str, payload: bytes) -> None:
        if topic == self._topics.birth:
            if payload == b"online":
                self._published = {}
                self._wake()
            return
        name = self._topics.settings[topic]
        if changed(self._table.snapshot.settings, name, payload) is None:
            log.info("a message to %s is not a value of it", topic)
            return
        with contextlib.suppress(StoppedError):
            self._table.settings.change(
                lambda settings: changed(settings, name, payload) or settings
            )

    # The thread.

    def _run(self) -> None:
        failed, problem = 0, ""
        while not self._closing:
            broker = self._broker()
            try:
                broker.open()
                if problem:
                    # A warning too, so that the last fault of `pochboard status` is not an old one.
                    log.warning("The MQTT broker can be used again.")
                failed, problem = 0, ""
                self._follow(broker)
            except BrokerError as error:
                # A problem that lasts for days is logged once.
                if str(error) != problem:
                    problem = str(error)
                    log.warning("%s", problem)
                self._pause(_AGAIN_S[min(failed, len(_AGAIN_S) - 1)])
                failed += 1

    def _broker(self) -> Broker:
        return Broker(
            self._config,
            will=availability(self._topics, online=False),
            topics=(self._topics.birth, *self._topics.settings),
            on_message=self._receive,
            on_change=self._wake,
        )

    def _follow(self, broker: Broker) -> None:
        """Publishes until it is closed. Raises BrokerError if the connection ends earlier."""
        self._published = {}
        while not self._closing and broker.is_open:
            if broker.is_idle and (message := self._next()) is not None:
                broker.publish(message)
            else:
                self._wait()
        if not self._closing:
            broker.close()
            raise BrokerError(
                lazy_gettext("The connection to the MQTT broker {host} is lost.", host=self._host)
            )
        if broker.wait_until_idle(_GOODBYE_S):
            broker.publish(availability(self._topics, online=False))
            broker.wait_until_idle(_GOODBYE_S)
        broker.close(kindly=True)

    @property
    def _host(self) -> str:
        return f"{self._config.host}:{self._config.port}"

    def _next(self) -> Message | None:
        """What is to be published next: what has just happened comes first."""
        while self._events:
            since_s, happened = self._events.popleft()
            if time.monotonic() - since_s < _STALE_S:
                return happened
        for message in self._retained():
            if self._published.get(message.topic) != message.payload:
                self._published[message.topic] = message.payload
                return message
        return None

    def _retained(self) -> Iterator[Message]:
        snapshot = self._table.snapshot
        made_for = (snapshot.board, snapshot.settings.language)
        if self._discovery is None or self._discovery[0] != made_for:
            t = table_translator(snapshot.settings.language or ENGLISH.language)
            self._discovery = made_for, discovery(self._topics, snapshot.board, t)
        yield self._discovery[1]
        yield availability(self._topics, online=True)
        yield state(self._topics, snapshot)


def remove(config: MqttTable, ledger: str) -> None:
    """Takes everything of this board off the broker. Raises BrokerError."""
    broker = Broker(config)
    broker.open()
    try:
        for topic in Topics(config, ledger).retained:
            broker.publish(Message(topic, b""))
            if not broker.wait_until_idle(_GOODBYE_S * 5):
                raise BrokerError(
                    lazy_gettext(
                        "The MQTT broker {host} has not taken everything. Try again.",
                        host=f"{config.host}:{config.port}",
                    )
                )
    finally:
        broker.close(kindly=True)


def check(config: MqttTable) -> None:
    """Connects to the broker, and leaves. Raises BrokerError."""
    broker = Broker(config)
    broker.open()
    broker.close(kindly=True)
