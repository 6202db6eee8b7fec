"""Pages, files, headers, and clients that behave badly."""

from __future__ import annotations

import gzip
import json
import re
import socket
import struct
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, Final

import pytest
import uvicorn

from pochboard.config import Config
from pochboard.errors import ListenError
from pochboard.messages.labels import page_words
from pochboard.server import middleware, web_server
from pochboard.server.web_files import static_path, web_folder
from pochboard.server.web_server import bind
from pochboard.text.translator import ENGLISH
from tests.shell.server_kit import LONG_S, Answer, House, running_house, wait_until

GZIP = {"Accept-Encoding": "gzip, deflate, br"}
MAIN: Final = f"/{static_path()}main.js"


def test_the_pages_are_there(house: House) -> None:
    house.start_night()
    for path in ("/", "/nights", "/nights/1", "/nights/"):
        answer = house.get(path)
        assert answer.status == 200
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert answer.headers["cache-control"] == "no-cache"
        again = house.get(path, {"If-None-Match": answer.headers["etag"]})
        assert (again.status, again.body) == (304, b"")


def test_a_home_screen_finds_name_and_icons(house: House) -> None:
    answer = house.get("/manifest.webmanifest", {"Accept-Language": "de"})
    assert answer.headers["content-type"] == "application/manifest+json"
    manifest = answer.json
    assert (manifest["name"], manifest["lang"], manifest["start_url"]) == ("Pochbrett", "de", "./")
    assert {icon["purpose"] for icon in manifest["icons"]} == {"any", "maskable"}
    page = house.get("/")
    assert b'<link rel="manifest" href="./manifest.webmanifest?lang=en">' in page.body
    assert "manifest-src 'self'" in page.headers["content-security-policy"]
    apple = {"src": f"{static_path()}icon-apple.png", "sizes": "180x180", "type": "image/png"}
    for icon in [*manifest["icons"], apple]:
        picture = house.get(f"/{icon['src']}")
        assert picture.status == 200
        assert picture.headers["content-type"].startswith(icon["type"])
        if icon["type"] == "image/png":
            width, height = struct.unpack(">II", picture.body[16:24])
            assert icon["sizes"] == f"{width}x{height}"


@pytest.mark.parametrize("path", ["/", "/api/state", MAIN, "/nope", "/api/events"])
def test_every_answer_carries_the_security_headers(house: House, path: str) -> None:
    answer = house.ask("HEAD", path)
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    sources = {word for part in policy.split(";") for word in part.split()[1:]}
    # The script that says why a page does not start is in the HTML.
    assert {one for one in sources if not one.startswith("'sha256-")} <= {"'self'", "'none'"}
    assert "frame-ancestors 'none'" in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert "server" not in answer.headers
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("path", ["/", "/nights"])
def test_the_pages_carry_their_texts(house: House, path: str) -> None:
    page = house.get(path)
    assert b'<html lang="en">' in page.body
    assert embedded(page, "texts") == page_words(ENGLISH)
    german = embedded(house.get(path, {"Accept-Language": "de"}), "texts")
    assert german["Score sheet"] == "Spielzettel"
    assert german["{count} chip"] == {"one": "{count} Chip", "other": "{count} Chips"}
    assert german["timeline|deal"] == "neue Runde"


def embedded(page: Answer, name: str) -> Any:
    """The data of this name in a page, or None."""
    pattern = rf'<script type="application/json" id="{name}">([^<]*)</script>'
    match = re.search(pattern, page.body.decode())
    return json.loads(match[1]) if match else None


def test_files_are_sent_as_they_were_written_and_compressed_for_clients_that_accept_gzip(
    house: House,
) -> None:
    folder = web_folder() / "static"
    for written in (*folder.glob("*.*"), folder / "vendor" / "lit-html.js"):
        address = f"/{static_path()}{written.relative_to(folder)}"
        plain, packed = house.get(address), house.get(address, GZIP)
        assert plain.body == written.read_bytes()
        assert "content-encoding" not in plain.headers
        if written.suffix not in (".png", ".woff2"):
            assert packed.headers["content-encoding"] == "gzip"
            assert gzip.decompress(packed.body) == plain.body
        for answer in (plain, packed):
            assert answer.headers["vary"] == "Accept-Encoding"
            assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert house.get(MAIN).headers["content-type"] == "text/javascript; charset=utf-8"
    refused = house.get(MAIN, {"Accept-Encoding": "gzip;q=0"})
    assert "content-encoding" not in refused.headers


@pytest.mark.parametrize(
    "name",
    ["", "nope.js", "../templates/table.html", "..%2f..%2fpyproject.toml", "%2e%2e/package.json",
     "/etc/passwd", "%2fetc%2fpasswd", "vendor", "vendor/", "main.js%00", ".hidden", "main.js/x"],
)  # fmt: skip
def test_nothing_outside_the_folder_is_served(house: House, name: str) -> None:
    for folder in ("static/", static_path()):
        answer = house.get(f"/{folder}{name}")
        assert (answer.status, answer.code) == (404, "not-found")


def test_text_is_compressed_but_not_the_state(house: House) -> None:
    house.start_night()
    rulesets = house.get("/api/rulesets", GZIP)
    assert rulesets.headers["content-encoding"] == "gzip"
    assert gzip.decompress(rulesets.body) == house.get("/api/rulesets").body
    state = house.get("/api/state", GZIP)
    assert "content-encoding" not in state.headers
    assert "content-encoding" not in house.get("/healthz", GZIP).headers


def test_errors_are_pages_for_browsers_and_json_for_programs(house: House) -> None:
    page = house.get("/nope", {"Accept": "text/html"})
    assert page.status == 404
    assert page.headers["content-type"].startswith("text/html")
    assert house.get("/api/nope", {"Accept": "text/html"}).code == "not-found"


def raw(house: House, request: bytes) -> Answer:
    """What comes back for these bytes, until the server closes or has answered once."""
    with socket.create_connection(("127.0.0.1", house.port), timeout=LONG_S) as client:
        client.sendall(request)
        lines = client.makefile("rb")
        status = lines.readline().split()
        headers = {}
        for line in iter(lines.readline, b"\r\n"):
            if not line:
                break
            name, _, value = line.decode("latin-1").partition(": ")
            headers[name.lower()] = value.strip()
        body = lines.read(int(headers.get("content-length", "0")))
    return Answer(int(status[1]) if status else 0, headers, body)


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"nonsense\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 400_000 + b"\r\n\r\n", 400),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 421),
        (b"GET /%ff%fe HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
        (b"GET /static/%00 HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
        (b"GET /nights/%0d%0aX HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
        (b"GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
        (b"POST /api/commands HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: \xff\xfe\r\n\r\n", 421),
        (b"GET /static/" + 300 * b"a" + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
        (b"GET /api/nights/" + 5000 * b"1" + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
        (b"GET /nights/" + 5000 * b"1" + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
    ],
)
def test_malformed_requests_are_answered(house: House, request_: bytes, status: int) -> None:
    assert raw(house, request_).status == status
    assert house.get("/healthz").status == 200


def test_half_open_connections_do_not_hang_the_page(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(house.server.connections, "_limit", 100)
    head = b"POST /api/commands HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{"
    with ExitStack() as clients, house.stream() as stream:
        stream.next("state")
        for number in range(200):
            client = clients.enter_context(
                socket.create_connection(("127.0.0.1", house.port), timeout=LONG_S)
            )
            client.sendall((b"", b"GET / HT", head)[number % 3])
        assert house.get("/").status == 200
        house.start_night()
        assert stream.next("state").data["phase"] == "idle"
        assert len(house.server.connections) <= 100
    wait_until("no connection is left", lambda: not len(house.server.connections))
    assert caplog.records == []


def test_a_connection_without_a_whole_request_is_closed_after_a_while(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web_server, "PATIENCE_S", 3)
    starts = {
        b"": 0,
        b"GET / HT": 0,
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET": 1,
        b"POST /api/commands HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{": 0,
    }
    with ExitStack() as stack:
        clients = []
        for start in starts:
            client = socket.create_connection(("127.0.0.1", house.port), timeout=LONG_S)
            clients.append(stack.enter_context(client))
            client.sendall(start)
        for answers, client in zip(starts.values(), clients, strict=True):
            answered = b""
            with suppress(ConnectionResetError):
                while piece := client.recv(65536):
                    answered += piece
            assert answered.count(b"HTTP/1.1 200 ") == answered.count(b"HTTP/1.1 ") == answers


def test_clients_that_do_not_read_are_dropped_and_take_no_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(web_server, "_VANISHED_MS", 300)
    monkeypatch.setattr(middleware, "MOST_READERS", 2)
    request = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with ExitStack() as clients, running_house(tmp_path) as house:
        # More clients than threads, and for each more than the system buffers.
        for _ in range(4):
            client = clients.enter_context(socket.socket())
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.connect(("127.0.0.1", house.port))
            client.sendall(request * 400)
        assert house.get("/").status == 200
        wait_until("all are dropped", lambda: not len(house.server.connections))
        assert house.get("/").status == 200
    assert caplog.records == []


def test_the_server_sleeps_when_nobody_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Fails when uvicorn's main loop is no longer the one that web_server.py replaces.
    ticks = 0

    async def count(_server: uvicorn.Server, _counter: int) -> bool:
        nonlocal ticks
        ticks += 1
        return False

    monkeypatch.setattr(uvicorn.Server, "on_tick", count)
    with running_house(tmp_path) as house:
        assert house.get("/").status == 200
    assert ticks == 0


def everything(house: House, request: bytes) -> bytes:
    """All bytes that come back until the server closes."""
    with socket.create_connection(("127.0.0.1", house.port), timeout=LONG_S) as client:
        client.sendall(request)
        return b"".join(iter(lambda: client.recv(65536), b""))


@pytest.mark.parametrize("method", [b"GET", b"POST"])
def test_content_length_with_transfer_encoding_is_refused_and_closed(
    house: House, method: bytes
) -> None:
    request = method + (
        b" /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    )
    smuggled = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    answer = everything(house, request + smuggled)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"Send either Content-Length or Transfer-Encoding" in answer
    assert answer.count(b"HTTP/1.1 ") == 1


@pytest.mark.parametrize(
    "first",
    [
        b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03" + 32 * b"\xab" + b"\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.2p1\r\n\r\n",
        b"GET /\r\n\r\n",
    ],
)
def test_what_is_not_http_is_answered_400_and_the_connection_closed(
    house: House, first: bytes
) -> None:
    assert everything(house, first).startswith(b"HTTP/1.1 400 ")


def test_open_connections_do_not_keep_the_server_from_stopping(tmp_path: Path) -> None:
    with ExitStack() as clients, running_house(tmp_path) as house:
        for start in (b"", b"GET / HTTP", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"):
            client = clients.enter_context(
                socket.create_connection(("127.0.0.1", house.port), timeout=LONG_S)
            )
            client.sendall(start)
        assert house.get("/").status == 200
        house.server.stop()
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", house.port), timeout=LONG_S).close()


def test_a_port_in_use_is_reported_in_one_sentence(house: House, tmp_path: Path) -> None:
    with pytest.raises(
        ListenError, match=f"port {house.port} is in use: another pochboard"
    ) as error:
        bind("127.0.0.1", house.port)
    assert "--port" in str(error.value)
    (tmp_path / "b").mkdir()
    with (
        pytest.raises(ListenError),
        running_house(tmp_path / "b", config=Config(data=tmp_path, port=house.port)),
    ):
        pass


def ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


@pytest.mark.skipif(not ipv6(), reason="this machine has no IPv6")
def test_listening_on_all_addresses_answers_ipv4_and_ipv6(tmp_path: Path) -> None:
    with running_house(tmp_path, config=Config(data=tmp_path, host="::", port=0)) as house:
        assert house.get("/api/state").json["pairing"]["paired"] is True
        with socket.create_connection(("::1", house.port), timeout=LONG_S) as client:
            client.sendall(b"GET /healthz HTTP/1.1\r\nHost: [::1]\r\n\r\n")
            assert client.makefile("rb").readline().split()[1] == b"200"
