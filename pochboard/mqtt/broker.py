"""A connection to an MQTT broker, with one message under way at a time.

paho's own queue is unbounded towards a broker that hangs, and keeps the oldest messages instead of
the newest ones. So its queue is not used: the next message is sent once the last has arrived.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
import time
from collections.abc import Callable
from typing import Any, Final

import msgspec
from paho.mqtt.client import Client, ConnectFlags, DisconnectFlags, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.reasoncodes import ReasonCode

from pochboard.config import MqttTable
from pochboard.errors import BrokerError
from pochboard.text.lazy import LazyText, lazy_gettext, os_reason

ANSWER_S: Final = 5.0
"""How long a broker may take to accept a connection."""
_KEEP_ALIVE_S: Final = 20
"""A broker that is silent for about twice this time is given up."""


class Message(msgspec.Struct, frozen=True):
    """Something to publish."""

    topic: str
    payload: bytes
    retained: bool = True
    """Whether the broker keeps it for those who subscribe later."""


class Broker:
    """A connection. Open it first, and close it last; then it cannot be used again.

    `on_change` is called, in a thread of paho's, whenever a message has arrived or the connection
    is lost; `on_message` for each message of `topics`. Both must return at once.
    """

    def __init__(
        self,
        config: MqttTable,
        will: Message | None = None,
        topics: tuple[str, ...] = (),
        on_message: Callable[[str, bytes], None] = lambda _topic, _payload: None,
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        self._config = config
        self._topics = topics
        self._on_message = on_message
        self._on_change = on_change
        self._changed = threading.Condition()
        self._accepted: ReasonCode | None = None
        """What the broker has answered."""
        self._is_lost = False
        self._sent: int | None = None
        """The number of the last message."""
        self._arrived: int | None = None
        """The number of the last one that has arrived."""
        client = Client(CallbackAPIVersion.VERSION2, reconnect_on_failure=False)
        client.connect_timeout = ANSWER_S
        if config.user:
            client.username_pw_set(config.user, config.password or None)
        if will is not None:
            client.will_set(will.topic, will.payload, qos=1, retain=will.retained)
        client.on_connect = self._connected
        client.on_disconnect = self._disconnected
        client.on_publish = self._published
        client.on_message = self._received
        self._client = client

    def open(self) -> None:
        """Connects, and waits until the broker has accepted that. Raises BrokerError."""
        config = self._config
        try:
            if config.tls:
                self._client.tls_set(ca_certs=config.ca or None)
            self._client.connect(config.host, config.port, _KEEP_ALIVE_S)
        except (OSError, UnicodeError) as error:
            self._forget()
            raise self._error(_why_not_reached(error)) from None
        self._client.loop_start()
        until_s = time.monotonic() + ANSWER_S
        with self._changed:
            while self._accepted is None and not self._is_lost:
                if not self._changed.wait(max(0.0, until_s - time.monotonic())):
                    break
            accepted = self._accepted
        if accepted is None or accepted.is_failure:
            self.close()
            raise self._error(_why_refused(accepted))

    def close(self, *, kindly: bool = False) -> None:
        """Ends the connection; `kindly`, the broker does not publish the will."""
        if kindly and self.is_idle:
            self._client.disconnect()
        elif isinstance(sock := self._client.socket(), socket.socket):
            # A broker that hangs would keep paho's thread until it is given up.
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
        self._client.loop_stop()
        self._forget()

    def _forget(self) -> None:
        # paho closes its last sockets when its client is collected. In a cycle with this object,
        # the sockets might be collected first, and warn.
        client = self._client
        client.on_connect = client.on_disconnect = client.on_publish = client.on_message = None

    @property
    def is_open(self) -> bool:
        """Whether messages can be sent."""
        return not self._is_lost

    @property
    def is_idle(self) -> bool:
        """Whether the connection is open, and the last message has arrived."""
        return self._sent == self._arrived and not self._is_lost

    def publish(self, message: Message) -> None:
        """Sends a message. Only if it `is_idle`."""
        # Not under our lock: paho calls us under one of its own, which `publish` needs.
        self._sent = self._client.publish(
            message.topic, message.payload, qos=1, retain=message.retained
        ).mid

    def wait_until_idle(self, seconds: float) -> bool:
        """Waits until the last message has arrived. Returns whether it has."""
        with self._changed:
            self._changed.wait_for(lambda: self._sent == self._arrived or self._is_lost, seconds)
        return self.is_idle

    def _error(self, reason: LazyText) -> BrokerError:
        return BrokerError(
            lazy_gettext(
                "The MQTT broker {host}:{port} cannot be used: {reason}.",
                host=self._config.host,
                port=self._config.port,
                reason=reason,
            )
        )

    # In paho's thread.

    def _connected(
        self, client: Client, _: Any, _flags: ConnectFlags, code: ReasonCode, _properties: Any
    ) -> None:
        if not code.is_failure:
            for topic in self._topics:
                client.subscribe(topic, qos=1)
        with self._changed:
            self._accepted = code
            self._changed.notify_all()

    def _disconnected(
        self, _client: Client, _: Any, _flags: DisconnectFlags, _code: ReasonCode, _props: Any
    ) -> None:
        with self._changed:
            self._is_lost = True
            self._changed.notify_all()
        self._on_change()

    def _published(
        self, _client: Client, _: Any, number: int, _code: ReasonCode, _properties: Any
    ) -> None:
        with self._changed:
            self._arrived = number
            self._changed.notify_all()
        self._on_change()

    def _received(self, _client: Client, _: Any, message: MQTTMessage) -> None:
        self._on_message(message.topic, bytes(message.payload))


def _why_not_reached(error: OSError | UnicodeError) -> LazyText:
    if isinstance(error, ssl.SSLError):
        return lazy_gettext("its certificate is refused ({reason})", reason=error.reason or error)
    if isinstance(error, UnicodeError):  # from Python's resolver
        return lazy_gettext("its name cannot be resolved")
    return os_reason(error)


def _why_refused(code: ReasonCode | None) -> LazyText:
    """Why a broker has not accepted the connection; None if it has not answered."""
    if code is None:
        return lazy_gettext("it does not answer")
    match code.getName():
        case "Not authorized" | "Bad user name or password":
            return lazy_gettext("it refuses the user or the password")
        case name:
            return lazy_gettext("it refuses the connection ({reason})", reason=name)
