"""What a phone finds that has joined the machine's own Wi-Fi: a page that leads to the table.

Phones ask known addresses over HTTP whether there is an internet. In this Wi-Fi every name leads to
this machine (`dnsmasq-shared.d`), and port 80 of its own address answers with a redirect: so the
phone shows the page by itself. It has no state but which addresses have seen it, and no secrets.
`pochboard-portal.socket` listens there and starts it; after ten quiet minutes it ends.
"""

from __future__ import annotations

import html
import os
import socket
import sys
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final

from pochboard.config import config_dir, data_dir, load_config
from pochboard.errors import PochboardError
from pochboard.text.translator import Translator, translator
from pochboard.text.visible import shown
from pochboard.wifi.nmcli import OWN_ADDRESS

QUIET_S: Final = 600.0
_HANDED_OVER: Final = 3
"""The descriptor of the first socket that systemd hands over."""
_LONGEST_S: Final = 5.0
"""How long a client may take for its request."""
_CANONICAL: Final = (
    '<meta http-equiv="refresh" content="0;url=https://support.mozilla.org/kb/captive-portal"/>'
)
ANSWERS: Final[Mapping[str, tuple[int, str]]] = {
    "/hotspot-detect.html": (
        200,
        "<HTML><HEAD><TITLE>Success</TITLE></HEAD><BODY>Success</BODY></HTML>",
    ),
    "/generate_204": (204, ""),
    "/gen_204": (204, ""),
    "/connecttest.txt": (200, "Microsoft Connect Test"),
    "/success.txt": (200, "success\n"),
    "/canonical.html": (200, _CANONICAL),
}
"""What Apple's, Google's, Microsoft's and Mozilla's systems expect where nothing is in the way."""
_PAGE: Final = """<!doctype html>
<html lang="{language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<h1>{title}</h1>
<p>{stay}</p>
<p><a href="{url}">{link}</a></p>
<p>{browser} <b>{url}</b></p>
"""


def page(url: str, t: Translator) -> str:
    """The page that a phone shows after it has joined."""
    texts = {
        "title": t.gettext("The Wi-Fi of the board"),
        "stay": t.gettext(
            "It leads to the table, not to the internet. If the phone asks, stay connected."
        ),
        "link": t.gettext("To the table"),
        "browser": t.gettext("Better in the phone’s own browser, which also remembers pairing:"),
    }
    escaped = {name: html.escape(text) for name, text in texts.items()}
    return _PAGE.format(language=t.language, url=html.escape(url), **escaped)


class Portal(ThreadingHTTPServer):
    """Answers on a socket that listens already."""

    daemon_threads = True
    timeout = QUIET_S

    def __init__(self, listening: socket.socket, table_port: int) -> None:
        super().__init__(("", 0), Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listening
        self.server_address = listening.getsockname()
        self.own_url = f"http://{OWN_ADDRESS}/"
        self.table_url = f"http://{OWN_ADDRESS}:{table_port}/"
        self.seen: set[str] = set()
        """The addresses of the phones that were shown the page: they are told that all is well."""
        self._quiet = False

    def handle_timeout(self) -> None:
        """Nobody has asked for a while."""
        self._quiet = True

    def serve_until_quiet(self) -> None:
        """Answers until nobody has asked for a while."""
        while not self._quiet:
            self.handle_request()


class Handler(BaseHTTPRequestHandler):
    """One request. Whatever it asks for, it leads only to this machine."""

    server: Portal
    timeout = _LONGEST_S
    protocol_version = "HTTP/1.0"
    server_version = "pochboard"
    sys_version = ""

    def do_GET(self) -> None:
        """The page, what a phone expects that has seen it, or the way to the page."""
        path, address = self.path.partition("?")[0], self.client_address[0]
        if path == "/" and self.headers.get("Host", "").split(":")[0] == OWN_ADDRESS:
            self.server.seen.add(address)
            self._answer(200, page(self.server.table_url, self._translator()))
        elif address in self.server.seen and path in ANSWERS:
            self._answer(*ANSWERS[path])
        else:
            self._answer(302, "")

    def do_HEAD(self) -> None:
        """The same without a body."""
        self.do_GET()

    def _translator(self) -> Translator:
        german = self.headers.get("Accept-Language", "").lower().startswith("de")
        return translator("de" if german else "en")

    def _answer(self, status: int, text: str) -> None:
        body = text.encode()
        self.send_response(status)
        if status == 302:
            self.send_header("Location", self.server.own_url)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as in http.server
        """Logs nothing: whoever sits at the table is private."""


def main() -> None:
    """Answers on the socket that systemd hands over."""
    try:
        port = load_config(config_dir(), data_dir()).port
        threading.stack_size(256 * 1024)
        with Portal(socket.socket(fileno=os.dup(_HANDED_OVER)), port) as portal:
            portal.serve_until_quiet()
    except (PochboardError, OSError) as error:
        print(f"pochboard-portal: {shown(str(error))}", file=sys.stderr)  # noqa: T201 - no other output
        sys.exit(1)


if __name__ == "__main__":
    main()
