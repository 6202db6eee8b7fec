"""The page through a real nginx: as it is shipped, with headers, below a path, and over https."""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from pochboard.table.pairing import MOST_WRONG_FROM_ONE
from tests.browser.conftest import OpenWindow
from tests.browser.daemons import LAN_NAME, TIMES, Daemon
from tests.outside.nginx import LOOPBACK, nginx

HOST: Final = "proxy_set_header Host $http_host;"
USUAL: Final = f"""{HOST} proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    proxy_set_header X-Forwarded-Proto $scheme;"""


class Place(NamedTuple):
    """A location of nginx, and the configuration of the daemon that it needs."""

    settings: str
    path: str = "/"
    tls: bool = False
    needs: str = ""


OWN_ADDRESS: Final = "proxy_bind 127.0.0.9;"
TRUSTED: Final = 'trusted_proxies = ["127.0.0.9"]\n'
PLACES: Final = {
    "as shipped": Place("proxy_pass http://127.0.0.1:{0};"),
    "usual headers": Place("proxy_pass http://127.0.0.1:{0};" + USUAL),
    "path removed": Place("proxy_pass http://127.0.0.1:{0}/;" + HOST, "/poch/"),
    "path kept": Place(
        "proxy_pass http://127.0.0.1:{0};" + HOST, "/poch/", needs='prefix = "/poch"\n'
    ),
    "https": Place(
        "proxy_pass http://127.0.0.1:{0}/; proxy_set_header X-Forwarded-Prefix /poch;"
        + OWN_ADDRESS
        + USUAL,
        "/poch/",
        tls=True,
        needs=TRUSTED,
    ),
}

PATIENCE_S: Final = 120

MakeDaemon = Callable[..., Daemon]


@pytest.mark.parametrize("name", PLACES)
def test_a_phone_is_paired_and_plays_through_a_proxy(
    make_daemon: MakeDaemon, open_window: OpenWindow, tmp_path: Path, name: str
) -> None:
    place = PLACES[name]
    daemon = make_daemon(shipped=True, times=f"{place.needs}{TIMES}next_long_s = 1\noff_s = 5\n")
    settings = place.settings.format(daemon.port)
    with nginx(tmp_path / "nginx", place.path, settings, tls=place.tls) as port:
        host = LAN_NAME if place.tls else LOOPBACK
        base = f"{'https' if place.tls else 'http'}://{host}:{port}{place.path}"
        window = open_window(daemon, path=None, ignore_https_errors=True)
        window.page.goto(base)
        window.wait_until_live()
        # Clients of a proxy are not on this machine, so they have to be paired.
        assert window.find("[data-command]").count() == 0
        daemon.ask("POST", "/api/board/press", {"button": "next", "ms": 1200})
        window.find("#code").wait_for()
        window.find("#code").fill(daemon.get("/api/state")["pairing"]["code"])
        window.tap("#pair")
        daemon.do("start", ruleset="modern", players=["Anna", "Ben", "Clara"])
        window.tap('[data-command="deal"]')
        window.wait_until("the deal", lambda: daemon.get("/api/state")["phase"] == "meld")
        daemon.do("claim", seat=1, pool="ace")
        window.wait_until("what happens elsewhere", lambda: window.seen()["pools"]["ace"] == "0")

        (cookie,) = [
            cookie_sent
            for cookie_sent in window.page.context.cookies()
            if cookie_sent["name"] == "pochboard"
        ]
        known = bool(place.needs)
        assert (cookie["path"], cookie["secure"]) == ("/poch" if known else "/", place.tls)
        reach = window.page.evaluate("fetch('api/reach').then(answer => answer.json())")
        # Without the headers of a trusted proxy only this machine's own addresses are known.
        assert reach["url"] == (base if place.tls else None)

        window.tap("#dots")
        window.tap("#menu a[href$='nights']")
        window.page.wait_for_url(f"{base}nights")
        with window.page.expect_download() as sheet:
            window.tap("a.sheet")
        assert '"deal"' in Path(sheet.value.path()).read_text("utf-8")
        window.tap("a[hreflang='de']")
        window.find("html[lang='de']").wait_for()
        window.tap("li[data-night='1'] a.replay")
        window.page.wait_for_url(f"{base}nights/1#1")
        window.find("body.page:not(.undrawn)").wait_for()
        window.find(".bowls .bowl").first.wait_for()
        elsewhere = [sent.url for sent in window.watch.requests if not sent.url.startswith(base)]
        assert elsewhere == []


def test_home_assistant_shows_the_page_in_a_frame(
    make_daemon: MakeDaemon, open_window: OpenWindow, tmp_path: Path
) -> None:
    daemon = make_daemon(times=f"{TRUSTED}{TIMES}")
    path = "/api/hassio_ingress/Rk3-x_9"
    # What its ingress sends: the browser's host, and the path that it removes.
    settings = (
        f"proxy_pass http://127.0.0.1:{daemon.port}/; proxy_set_header X-Ingress-Path {path};"
    )
    frame = (
        f"location = / {{ default_type text/html; return 200 '<iframe src={path}/></iframe>'; }}"
    )
    with nginx(tmp_path / "nginx", f"{path}/", settings + OWN_ADDRESS + USUAL, more=frame) as port:
        window = open_window(daemon, path=None)
        window.page.goto(f"http://{LOOPBACK}:{port}/")
        inside = window.page.frame_locator("iframe")
        inside.locator("body.live").wait_for()
        daemon.do("start", ruleset="modern", players=["Anna", "Ben", "Clara"])
        inside.locator("#plates .name", has_text="Clara").wait_for()
        inside.locator("#dots").click()
        inside.locator("#menu a[href$='nights']").click()
        inside.locator("[data-night='1']").wait_for()


@contextmanager
def _answer(port: int, path: str, host: str, **headers: str) -> Iterator[http.client.HTTPResponse]:
    """The answer to a GET of a program. A header's name has `_` for `-`."""
    connection = http.client.HTTPConnection(LOOPBACK, port, timeout=PATIENCE_S)
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    with closing(connection):
        connection.request("GET", path, headers={"Host": host, **sent})
        with connection.getresponse() as answer:
            yield answer


def _json(port: int, path: str, host: str, **headers: str) -> Any:
    with _answer(port, path, host, **headers) as answer:
        return json.loads(answer.read())


@pytest.mark.parametrize(
    "settings",
    [
        "",
        HOST,
        "proxy_buffering off;" + HOST,
        'proxy_http_version 1.1; proxy_set_header Connection "";',
        'proxy_http_version 1.1; proxy_set_header Connection "";' + HOST,
        "proxy_bind 127.0.0.9; proxy_http_version 1.1;" + HOST,
        "proxy_http_version 1.1; proxy_set_header X-Real-IP $remote_addr;",
    ],
)
def test_no_browser_behind_a_proxy_counts_as_on_this_machine(
    make_daemon: MakeDaemon, tmp_path: Path, settings: str
) -> None:
    daemon = make_daemon()
    assert daemon.get("/api/state")["pairing"]["paired"]
    target = f"proxy_pass http://127.0.0.1:{daemon.port};"
    with nginx(tmp_path / "nginx", "/", target + settings) as port:
        browser = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
        state = _json(port, "/api/state", f"{LOOPBACK}:{port}", User_Agent=browser)
        assert state["pairing"]["paired"] is False


def test_events_are_not_held_back_by_nginx_as_it_is_shipped(
    make_daemon: MakeDaemon, tmp_path: Path
) -> None:
    daemon = make_daemon()
    with (
        nginx(tmp_path / "nginx", "/", f"proxy_pass http://127.0.0.1:{daemon.port};") as port,
        _answer(port, "/api/events", f"{LOOPBACK}:{port}") as stream,
    ):
        said = iter(stream.readline, b"")
        # Each event is smaller than nginx's buffer, which it would fill first.
        for deal in range(3):
            daemon.do("start", ruleset="modern", players=["Anna", "Ben", "Clara"])
            daemon.do("end")
            headline = daemon.get("/api/state")["night"]
            assert headline == deal + 1
            assert any(b'"night":%d,' % headline in line for line in said)


def test_each_client_of_a_trusted_proxy_has_its_own_limit_of_wrong_codes(
    make_daemon: MakeDaemon, tmp_path: Path
) -> None:
    times = f"{TRUSTED}{TIMES}next_long_s = 1\noff_s = 5\n"
    daemon = make_daemon(shipped=True, times=times)
    settings = f"proxy_pass http://127.0.0.1:{daemon.port}; {OWN_ADDRESS}"
    headers = "proxy_set_header X-Forwarded-For $http_x_client;"
    daemon.ask("POST", "/api/board/press", {"button": "next", "ms": 1200})
    with nginx(tmp_path / "nginx", "/", settings + headers) as port:

        def status(client: str) -> int:
            connection = http.client.HTTPConnection(LOOPBACK, port, timeout=PATIENCE_S)
            sent = {"Content-Type": "application/json", "X-Client": client}
            with closing(connection):
                connection.request("POST", "/api/pair", '{"code": "0"}', sent)
                return connection.getresponse().status

        assert {status("192.168.1.7") for _ in range(MOST_WRONG_FROM_ONE)} == {403}
        assert status("192.168.1.7") == 429
        assert status("192.168.1.8") == 403
