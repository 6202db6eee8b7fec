"""An MQTT 5 connection (OASIS standard, 7 March 2019), as much of it as a board needs.

A broker may be broken, or something else may answer in its place. So a packet is refused by the
length that it announces, before it is read; nothing queues up in either direction, because one
packet is under way at a time and messages arrive with QoS 0, which needs no answer; and whatever is
not MQTT ends the connection. General clients keep what a broker sends them.
"""

from __future__ import annotations

import contextlib
import select
import socket
import ssl
import time
from collections.abc import Iterator
from typing import Annotated, Final, Self

import msgspec
from msgspec import Meta

from pochboard.config import LABELS, check_host
from pochboard.errors import BrokerError
from pochboard.text.lazy import os_reason

ANSWER_S: Final = 5.0
"""How long a broker may take to accept a connection, or to take a packet off it."""
LARGEST: Final = 4096
"""In bytes: the most that a packet of the broker may have."""
_KEEP_ALIVE_S: Final = 20
"""A broker that is silent for twice this time is given up."""

_CONNECT: Final = 0x10
_CONNACK: Final = 0x20
_PUBLISH: Final = 0x30
_PUBACK: Final = 0x40
_SUBSCRIBE: Final = 0x82
_SUBACK: Final = 0x90
_PINGREQ: Final = 0xC0
_PINGRESP: Final = 0xD0
_DISCONNECT: Final = 0xE0

_SERVER_KEEP_ALIVE: Final = 0x13
_MAXIMUM_QOS: Final = 0x24
_RETAIN_AVAILABLE: Final = 0x25
_MAXIMUM_PACKET_SIZE: Final = 0x27
_TEXTS: Final = frozenset({0x03, 0x08, 0x09, 0x12, 0x15, 0x16, 0x1A, 0x1C, 0x1F})
"""The properties that are text or bytes, after their length."""
_BYTES: Final = {
    0x01: 1, 0x02: 4, 0x11: 4, 0x13: 2, 0x17: 1, 0x18: 4, 0x19: 1, 0x21: 2, 0x22: 2, 0x23: 2,
    0x24: 1, 0x25: 1, 0x27: 4, 0x28: 1, 0x29: 1, 0x2A: 1,
}  # fmt: skip
"""The properties that are numbers, and how many bytes each has."""

_FAILED: Final = 0x80
"""Reason codes from here on are failures."""
_TOO_LARGE: Final = 0x95
_REASONS: Final = {
    0x81: "malformed packet", 0x82: "protocol error", 0x85: "client identifier not valid",
    0x87: "not authorized", 0x88: "server unavailable", 0x89: "server busy", 0x8A: "banned",
    0x8B: "server shutting down", 0x8D: "keep alive timeout", 0x8E: "session taken over",
    0x8F: "topic filter invalid", 0x90: "topic name invalid", 0x93: "receive maximum exceeded",
    0x95: "packet too large", 0x96: "message rate too high", 0x97: "quota exceeded",
    0x98: "administrative action", 0x9A: "retain not supported", 0x9B: "QoS not supported",
    0x9C: "use another server", 0x9D: "server moved", 0x9F: "connection rate exceeded",
}  # fmt: skip


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


class Message(msgspec.Struct, frozen=True):
    """Something that is published."""

    topic: str
    payload: bytes
    retained: bool = True
    """Whether the broker keeps it for those who subscribe later."""


class Refused(msgspec.Struct, frozen=True):
    """A message, or a subscription, that the broker has not accepted."""

    topic: str
    reason: str


class Connection:
    """A connection. It ends with the context, and the broker then publishes the will."""

    def __init__(self, config: MqttTable, client: str, will: Message | None = None) -> None:
        """`client` is the client id: whoever connects with it takes the session over."""
        self._config = config
        self._client = client
        self._will = will
        self._socket: socket.socket | None = None
        self._unread = bytearray()
        self._largest = 268_435_455
        """The most bytes that a packet for the broker may have."""
        self._keep_alive_s = _KEEP_ALIVE_S
        self._number = 0
        """That of the last packet that the broker answers."""
        self._under_way: tuple[str, ...] = ()
        """The topics of that packet, until it is answered."""
        self._topics: frozenset[str] = frozenset()
        """Those whose messages it has asked for."""
        self._refused: list[Refused] = []
        self._sent_s = self._asked_s = self._heard_s = 0.0

    def __enter__(self) -> Self:
        """Connects, and waits until the broker has accepted that. Raises BrokerError."""
        config = self._config
        try:
            self._socket = socket.create_connection((config.host, config.port), ANSWER_S)
            if config.tls:
                context = ssl.create_default_context(cafile=config.ca or None)
                self._socket = context.wrap_socket(self._socket, server_hostname=config.host)
            self._send(_CONNECT, self._greeting())
            self._accept(self._first_packet())
        except (OSError, ValueError) as error:
            self.close()
            raise self._error(error) from None
        return self

    def __exit__(self, *_: object) -> None:
        """Ends it without a goodbye."""
        self.close()

    def close(self, *, kindly: bool = False) -> None:
        """Ends it; `kindly`, the broker does not publish the will."""
        if self._socket is not None:
            with contextlib.suppress(OSError):
                if kindly:
                    self._send(_DISCONNECT, b"")
            self._socket.close()
            self._socket = None

    @property
    def is_idle(self) -> bool:
        """Whether the broker has answered everything, so that more may be sent."""
        return not self._under_way and not self._refused

    def subscribe(self, *topics: str, kept: str | None = None) -> None:
        """Asks for the messages of topics from now on. Only if it `is_idle`.

        `kept` is a further one, and its kept message is asked for too.
        """
        # QoS 0; the flag of a retained message is passed on; none that were kept before.
        filters = [_text(topic) + bytes([0b0010_1000]) for topic in topics]
        if kept is not None:
            topics = (*topics, kept)
            filters.append(_text(kept) + bytes([0b0000_1000]))
        self._topics = frozenset(topics)
        self._ask(_SUBSCRIBE, b"\0" + b"".join(filters), topics)

    def publish(self, message: Message) -> None:
        """Sends a message. Only if it `is_idle`."""
        topic, body = _text(message.topic), b"\0" + message.payload
        if len(topic) + len(body) + 7 > self._largest:
            self._refused.append(Refused(message.topic, _REASONS[_TOO_LARGE]))
        else:
            self._ask(_PUBLISH | 0b0010 | message.retained, body, (message.topic,), before=topic)

    def receive(
        self, seconds: float, bell: socket.socket | None = None
    ) -> Iterator[Message | Refused]:
        """Yields what the broker sends; waits for it at most so long, or until the bell rings.

        Keeps the connection alive. Raises BrokerError when the connection has ended.
        """
        try:
            yield from self._messages()  # that came together with an earlier packet
            self._read(0 if self._refused else seconds, bell)
            yield from self._messages()
            self._stay_alive()
        except (OSError, ValueError) as error:
            raise self._error(error) from None
        refused, self._refused = self._refused, []
        yield from refused

    def deliver(self, message: Message, seconds: float = ANSWER_S) -> None:
        """Publishes a message, and waits until the broker has it. Raises BrokerError."""
        self.publish(message)
        self.wait_for(None, seconds)

    def wait_for(self, awaited: Message | None, seconds: float = ANSWER_S) -> None:
        """Waits until the broker has answered and sent this message. Raises BrokerError."""
        until_s = time.monotonic() + seconds
        while awaited is not None or not self.is_idle:
            left_s = until_s - time.monotonic()
            if left_s <= 0 and awaited is not None:
                raise self._error(f"it does not hand on what is published at {awaited.topic}")
            if left_s <= 0:
                raise self._error("it does not answer")
            for event in self.receive(left_s):
                if isinstance(event, Refused):
                    raise self._error(refusal(event))
                if awaited and (event.topic, event.payload) == (awaited.topic, awaited.payload):
                    awaited = None

    # Sending.

    def _greeting(self) -> bytes:
        user, will = self._config.user, self._will
        flags = 0b10  # a new session
        limit = bytes([_MAXIMUM_PACKET_SIZE]) + LARGEST.to_bytes(4)
        body = _KEEP_ALIVE_S.to_bytes(2) + _bytes_with_count(limit) + _text(self._client)
        if will is not None:
            flags |= 0b1100 | will.retained << 5
            body += b"\0" + _text(will.topic) + _with_length(will.payload)
        if user:
            flags |= 1 << 7
            body += _text(user)
        if user and self._config.password:
            flags |= 1 << 6
            body += _text(self._config.password)
        return _text("MQTT") + bytes([5, flags]) + body

    def _ask(self, kind: int, body: bytes, topics: tuple[str, ...], before: bytes = b"") -> None:
        self._number = self._number % 0xFFFF + 1
        self._under_way, self._asked_s = topics, time.monotonic()
        try:
            self._send(kind, before + self._number.to_bytes(2) + body)
        except OSError as error:
            raise self._error(error) from None

    def _send(self, kind: int, body: bytes) -> None:
        connected = self._connected
        connected.settimeout(ANSWER_S)
        connected.sendall(bytes([kind]) + _bytes_with_count(body))
        self._sent_s = time.monotonic()

    def _stay_alive(self) -> None:
        now_s = time.monotonic()
        silent_s = now_s - (self._asked_s if self._under_way else now_s)
        if max(silent_s, now_s - self._heard_s) > 2 * self._keep_alive_s:
            raise TimeoutError("it does not answer")
        if now_s - self._sent_s >= self._keep_alive_s:
            self._send(_PINGREQ, b"")

    # Receiving.

    @property
    def _connected(self) -> socket.socket:
        if self._socket is None:
            raise ConnectionError("the connection has ended")
        return self._socket

    def _read(self, seconds: float, bell: socket.socket | None) -> None:
        """Reads once, if there is something within the time."""
        connected = self._connected
        if not (isinstance(connected, ssl.SSLSocket) and connected.pending()):
            ping_s = self._sent_s + self._keep_alive_s - time.monotonic()
            poll = select.poll()
            poll.register(connected, select.POLLIN)
            if bell is not None:
                poll.register(bell, select.POLLIN)
            ready = dict(poll.poll(max(0.0, min(seconds, ping_s)) * 1000 + 1))
            if bell is not None and bell.fileno() in ready:
                bell.recv(LARGEST)
            if connected.fileno() not in ready:
                return
        connected.settimeout(0)
        try:
            read = connected.recv(LARGEST)
        except (BlockingIOError, ssl.SSLWantReadError):
            return
        if not read:
            raise ConnectionError("it has closed the connection")
        self._heard_s = time.monotonic()
        self._unread += read

    def _packets(self) -> Iterator[tuple[int, _Body]]:
        """Takes the whole packets out of what has been read: the first byte, and the body."""
        while len(self._unread) > 1:
            count = _Body(self._unread[1:5])
            try:
                size = count.varying()
            except _CutError:
                return
            start = 1 + count.at
            if start + size > LARGEST:
                raise ValueError(f"it sends a packet of {size} bytes")
            if len(self._unread) < start + size:
                return
            kind, body = self._unread[0], _Body(self._unread[start : start + size])
            del self._unread[: start + size]
            yield kind, body

    def _first_packet(self) -> _Body:
        until_s = time.monotonic() + ANSWER_S
        while (left_s := until_s - time.monotonic()) > 0:
            try:
                self._read(left_s, None)
                if self._unread[:1] not in (b"", bytes([_CONNACK])):
                    break
                for _, body in self._packets():
                    return body
            except (ConnectionError, ValueError):
                break
        else:
            raise TimeoutError
        raise ValueError("it does not speak MQTT 5")

    def _accept(self, body: _Body) -> None:
        """Reads the answer to the greeting."""
        # A broker that speaks only MQTT 3.1.1 answers without properties, and with its own codes.
        if body.left < 3:
            raise ValueError("it does not speak MQTT 5")
        body.number(1)
        match body.number(1):
            case 0:
                pass
            case 0x01 | 0x84:
                raise ValueError("it does not speak MQTT 5")
            case 0x86 | 0x87:
                raise ValueError("it refuses the user or the password")
            case 0x9A:
                raise ValueError("it keeps no messages (retain is not available)")
            case code:
                raise ValueError(f"it refuses the connection ({_reason(code)})")
        offered = body.properties()
        if offered.get(_RETAIN_AVAILABLE) == 0:
            raise ValueError("it keeps no messages (retain is not available)")
        if offered.get(_MAXIMUM_QOS) == 0:
            raise ValueError("it does not confirm messages (QoS 1 is not available)")
        self._largest = offered.get(_MAXIMUM_PACKET_SIZE, self._largest)
        self._keep_alive_s = offered.get(_SERVER_KEEP_ALIVE, 0) or _KEEP_ALIVE_S

    def _messages(self) -> Iterator[Message]:
        for kind, body in self._packets():
            message = self._handle(kind, body)
            if message is not None:
                yield message

    def _handle(self, kind: int, body: _Body) -> Message | None:
        if kind & 0xF0 == _PUBLISH:
            if kind & 0b0110:
                raise ValueError("it sends messages with a QoS that was not asked for")
            topic = body.text()
            if topic not in self._topics:
                raise ValueError("it sends messages on a topic that was not asked for")
            body.properties()
            return Message(topic, body.rest(), retained=bool(kind & 1))
        if kind == _DISCONNECT:
            code = body.number(1) if body.left else 0
            raise ConnectionError(f"it has ended the connection ({_reason(code)})")
        if kind in (_PUBACK, _SUBACK):
            self._answered(kind, body)
        elif kind != _PINGRESP:
            raise ValueError(f"it sends a packet of an unknown kind, {kind:#04x}")
        return None

    def _answered(self, kind: int, body: _Body) -> None:
        if not self._under_way or body.number(2) != self._number:
            raise ValueError("it confirms what was not sent")
        if kind == _SUBACK:
            body.properties()
        codes = body.rest() if kind == _SUBACK else bytes([body.number(1) if body.left else 0])
        self._refused += [
            Refused(topic, _reason(code))
            for topic, code in zip(self._under_way, codes, strict=True)
            if code >= _FAILED
        ]
        self._under_way = ()

    # Errors.

    @property
    def _where(self) -> str:
        return f"{self._config.host}:{self._config.port}"

    def _error(self, reason: Exception | str) -> BrokerError:
        if isinstance(reason, BrokerError):
            return reason
        if isinstance(reason, ssl.SSLError):
            reason = f"its certificate is refused ({reason.reason or reason})"
        elif isinstance(reason, TimeoutError):
            reason = "it does not answer"
        elif isinstance(reason, UnicodeEncodeError):  # from Python's resolver
            reason = "its name cannot be resolved"
        elif isinstance(reason, UnicodeDecodeError):
            reason = "it sends text that is not UTF-8"
        elif isinstance(reason, OSError):
            reason = str(os_reason(reason))
        return BrokerError(f"The MQTT broker {self._where} cannot be used: {reason}.")


def refusal(refused: Refused) -> str:
    """A refused message or subscription, as part of a sentence."""
    return f"it refuses {refused.topic} ({refused.reason})"


def _reason(code: int) -> str:
    return _REASONS.get(code, f"reason code {code:#04x}")


class _CutError(ValueError):
    """A packet ends before what it has to contain."""


class _Body:
    """What is left of a packet. Raises ValueError if that is not MQTT."""

    def __init__(self, data: bytearray) -> None:
        self._data = bytes(data)
        self.at = 0

    @property
    def left(self) -> int:
        return len(self._data) - self.at

    def _take(self, size: int) -> bytes:
        if size > self.left:
            raise _CutError("it sends a packet that is cut off")
        self.at += size
        return self._data[self.at - size : self.at]

    def rest(self) -> bytes:
        return self._take(self.left)

    def number(self, size: int) -> int:
        return int.from_bytes(self._take(size))

    def varying(self) -> int:
        """A number of one to four bytes, seven bits in each, the lowest ones first."""
        value = 0
        for place in range(4):
            byte = self.number(1)
            value |= (byte & 0x7F) << 7 * place
            if byte < 0x80:
                return value
        raise ValueError("it sends a length that is too long")

    def text(self) -> str:
        return self._take(self.number(2)).decode()

    def properties(self) -> dict[int, int]:
        """Reads the properties. Returns those that are numbers."""
        found: dict[int, int] = {}
        size = self.varying()
        end = self.at + size
        while self.at < end:
            key = self.number(1)
            if key in _BYTES:
                found[key] = self.number(_BYTES[key])
            elif key in _TEXTS:
                self._take(self.number(2))
            elif key == 0x26:  # User Property
                self._take(self.number(2))
                self._take(self.number(2))
            elif key == 0x0B:  # Subscription Identifier
                self.varying()
            else:
                raise ValueError(f"it sends an unknown property, {key:#04x}")
        if self.at != end:
            raise _CutError("it sends a packet that is cut off")
        return found


def _with_length(data: bytes) -> bytes:
    return len(data).to_bytes(2) + data


def _text(text: str) -> bytes:
    return _with_length(text.encode())


def _bytes_with_count(data: bytes) -> bytes:
    """Data after its length, as `_Body.varying` reads it."""
    count, left = bytearray(), len(data)
    while left > 0x7F:
        count.append(left & 0x7F | 0x80)
        left >>= 7
    return bytes(count) + bytes([left]) + data
