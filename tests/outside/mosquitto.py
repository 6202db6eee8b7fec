"""A real Mosquitto with passwords and rights, a false broker, and somebody who listens."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, Self

from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion

from pochboard.mqtt import MqttTable
from tests.outside.nginx import LOOPBACK, free_port, listens, make_certificate

PATIENCE_S: Final = 60
_SETTINGS: Final = """
listener {port} 127.0.0.1
allow_anonymous false
password_file {folder}/passwords
acl_file {folder}/rights
user root
{tls}
"""
_TLS: Final = "cafile {0}/certificate\ncertfile {0}/certificate\nkeyfile {0}/key"
_RIGHTS: Final = """
user board
topic readwrite pochboard/#
topic readwrite homeassistant/#
user home
topic readwrite #
"""


class Mosquitto:
    """A broker that can be stopped, started again on its port, and made to hang."""

    def __init__(
        self, folder: Path, *, tls: bool = False, rights: str = _RIGHTS, settings: str = ""
    ) -> None:
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self.port = free_port()
        if tls:
            make_certificate(folder)
        (folder / "rights").write_text(rights, "utf-8")
        (folder / "passwords").write_text("board:secret of the board\nhome:secret of the home\n")
        (folder / "passwords").chmod(0o600)
        (folder / "rights").chmod(0o600)
        hashed = ["mosquitto_passwd", "-U", str(folder / "passwords")]
        subprocess.run(hashed, check=True, capture_output=True)
        self._settings = folder / "mosquitto.conf"
        text = _SETTINGS.format(
            folder=folder, port=self.port, tls=_TLS.format(folder) if tls else ""
        )
        self._settings.write_text(f"{text}\n{settings}\n", "utf-8")
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def for_board(self) -> MqttTable:
        """How the board reaches it."""
        return MqttTable(
            host=LOOPBACK, port=self.port, user="board", password="secret of the board"
        )

    def __enter__(self) -> Self:
        """Starts it."""
        with (self.folder / "log").open("ab") as log:
            command = ["/usr/sbin/mosquitto", "-c", str(self._settings)]
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        assert listens(self._process, self.port), (self.folder / "log").read_text("utf-8")
        return self

    def __exit__(self, *_: object) -> None:
        """Kills it."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    @contextmanager
    def hanging(self) -> Iterator[None]:
        """It does nothing, and keeps its connections."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)


class FalseBroker:
    """Answers each connection with the same bytes, whatever it is told, and keeps it."""

    def __init__(self, *answers: bytes) -> None:
        """One answer after the greeting, and each of the others after one more packet."""
        self._answers = answers
        self._server = socket.create_server((LOOPBACK, 0))
        self.for_board = MqttTable(host=LOOPBACK, port=self._server.getsockname()[1])
        self.greeted_s: list[float] = []
        """When somebody has connected."""
        self._thread = threading.Thread(target=self._serve)

    def __enter__(self) -> Self:
        """Starts it."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Ends it."""
        self._server.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._server.close()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connected, _ = self._server.accept()
                self.greeted_s.append(time.monotonic())
                with connected, suppress(OSError):
                    for answer in self._answers:
                        connected.recv(65_536)
                        connected.sendall(answer)
                    while connected.recv(65_536):
                        pass


class Home:
    """Hears everything at a broker: what it keeps by topic, and what passes by."""

    def __init__(self, broker: Mosquitto, ca: Path | None = None) -> None:
        self._changed = threading.Condition()
        self.kept: dict[str, str] = {}
        self.heard: list[tuple[str, str, bool]] = []
        """Topic, payload, and whether it had been kept before."""
        client = Client(CallbackAPIVersion.VERSION2)
        client.username_pw_set("home", "secret of the home")
        if ca:
            client.tls_set(ca_certs=str(ca))
        self._listens = threading.Event()

        def subscribe(client: Client, *_: object) -> None:
            client.subscribe("#", qos=1)

        client.on_connect = subscribe
        client.on_subscribe = lambda *_: self._listens.set()
        client.on_message = lambda _client, _data, message: self._hear(
            message.topic, bytes(message.payload).decode(), kept=message.retain
        )
        self._client = client
        self._port = broker.port

    def __enter__(self) -> Self:
        """Connects."""
        self._client.connect("localhost" if self._client._ssl else LOOPBACK, self._port)
        self._client.loop_start()
        assert self._listens.wait(PATIENCE_S)
        return self

    def __exit__(self, *_: object) -> None:
        """Leaves."""
        self._client.disconnect()
        self._client.loop_stop()
        del self._client  # it keeps sockets for as long as it is there

    def _hear(self, topic: str, payload: str, *, kept: bool) -> None:
        with self._changed:
            self.heard.append((topic, payload, kept))
            self.kept[topic] = payload
            self._changed.notify_all()

    def say(self, topic: str, payload: str, *, retain: bool = False) -> None:
        """Publishes something, and waits until the broker has it."""
        sent = self._client.publish(topic, payload, qos=1, retain=retain)
        sent.wait_for_publish(PATIENCE_S)

    def wait_for(self, what: str, condition: Callable[[], Any]) -> None:
        """Waits until something that was heard fulfils a condition."""
        deadline = time.monotonic() + PATIENCE_S
        with self._changed:
            while not condition():
                left_s = deadline - time.monotonic()
                assert left_s > 0, f"the home did not hear {what}: {self.kept}"
                self._changed.wait(left_s)

    def ending(self, end: str) -> list[str]:
        """What was heard at the topics with this end."""
        return [payload for topic, payload, _ in self.heard if topic.endswith(end)]

    def state(self) -> dict[str, Any]:
        """The newest state of the board; empty before the first."""
        states = self.ending("/state")
        return json.loads(states[-1]) if states and states[-1] else {}

    def events(self) -> list[tuple[str, list[str]]]:
        """The events, each with its players."""
        told = map(json.loads, self.ending("/event"))
        return [(event["event_type"], event["players"]) for event in told]
