"""What a phone finds that has joined the machine's own Wi-Fi: a page that leads to the table.

Phones ask known addresses over HTTP whether there is an internet. In this Wi-Fi every name leads to
this machine (`dnsmasq-shared.d`), and port 80 of its own address answers with a redirect: so the
phone shows the page by itself. It has no state but which addresses have seen it, and no secrets.
`pochboard-portal.socket` listens there and starts it; after ten quiet minutes it ends.
"""

from __future__ import annotations

import asyncio
import contextlib
import html
import os
import socket
import sys
from http import HTTPStatus
from typing import Final

from pochboard.config_file import config_dir, data_dir, load_config
from pochboard.errors import PochboardError
from pochboard.text.translator import Translator, translator
from pochboard.text.unicode_names import shown
from pochboard.wifi.service import OWN_ADDRESS

QUIET_S: Final = 600.0
_HANDED_OVER: Final = 3
"""The descriptor of the first socket that systemd hands over."""
_LONGEST_S: Final = 5.0
"""How long a client may take for its request and its answer, in all."""
_LONGEST_HEAD: Final = 8192
"""The most bytes of a request's head: phones send less than one kilobyte."""
_MOST_CLIENTS: Final = 64
"""How many are answered at once; of others the one that came first makes room."""
_CANONICAL: Final = (
    '<meta http-equiv="refresh" content="0;url=https://support.mozilla.org/kb/captive-portal"/>'
)
ANSWERS: Final = {
    "/hotspot-detect.html": "<HTML><HEAD><TITLE>Success</TITLE></HEAD><BODY>Success</BODY></HTML>",
    "/generate_204": "",
    "/gen_204": "",
    "/connecttest.txt": "Microsoft Connect Test",
    "/success.txt": "success\n",
    "/canonical.html": _CANONICAL,
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


class Portal:
    """Answers requests. Whatever they ask for, it leads only to this machine."""

    def __init__(self, table_port: int) -> None:
        self.own_url = f"http://{OWN_ADDRESS}/"
        self.table_url = f"http://{OWN_ADDRESS}:{table_port}/"
        self.seen: set[str] = set()
        """The addresses of the phones that were shown the page: they are told that all is well."""
        self._clients: dict[asyncio.Task[None] | None, None] = {}
        """The tasks of those who are being answered, the one that came first at the beginning."""
        self._asked = asyncio.Event()

    async def serve(self, listening: socket.socket) -> None:
        """Answers on a socket that listens already, until nobody has asked for a while."""
        server = await asyncio.start_server(self._client, sock=listening, limit=_LONGEST_HEAD)
        async with server:
            with contextlib.suppress(TimeoutError):
                while True:
                    async with asyncio.timeout(QUIET_S):
                        await self._asked.wait()
                    self._asked.clear()

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._asked.set()
        task = asyncio.current_task()
        self._clients[task] = None
        if len(self._clients) > _MOST_CLIENTS and (first := next(iter(self._clients))):
            first.cancel()
        try:
            async with asyncio.timeout(_LONGEST_S):
                head = await reader.readuntil(b"\r\n\r\n")
                writer.write(self.answer(head.decode("latin-1"), writer.get_extra_info("peername")))
                writer.close()
                await writer.wait_closed()
        except (OSError, TimeoutError, EOFError, asyncio.LimitOverrunError, asyncio.CancelledError):
            pass  # too slow, too long, gone, or making room: it gets no answer
        finally:
            del self._clients[task]
            writer.transport.abort()

    def answer(self, head: str, client: tuple[str, int]) -> bytes:
        """The page, what a phone expects that has seen it, or the way to the page."""
        request, *lines = head.split("\r\n")
        method, _, target = request.partition(" ")
        path = target.partition(" ")[0].partition("?")[0]
        pairs = (line.partition(":") for line in lines)
        headers = {name.lower(): value.strip() for name, _, value in pairs}
        if method not in ("GET", "HEAD"):
            status, text = 501, ""
        elif path == "/" and headers.get("host", "").split(":")[0] == OWN_ADDRESS:
            self.seen.add(client[0])
            german = headers.get("accept-language", "").lower().startswith("de")
            status, text = 200, page(self.table_url, translator("de" if german else "en"))
        elif client[0] in self.seen and path in ANSWERS:
            text = ANSWERS[path]
            status = 200 if text else 204
        else:
            status, text = 302, ""
        body = text.encode()
        answer = [
            f"HTTP/1.0 {status} {HTTPStatus(status).phrase}",
            *([f"Location: {self.own_url}"] if status == 302 else []),
            "Content-Type: text/html; charset=utf-8",
            f"Content-Length: {len(body)}",
            "Cache-Control: no-store",
        ]
        return "\r\n".join([*answer, "", ""]).encode() + (body if method == "GET" else b"")


def main() -> None:
    """Answers on the socket that systemd hands over."""
    try:
        port = load_config(config_dir(), data_dir()).port
        asyncio.run(Portal(port).serve(socket.socket(fileno=os.dup(_HANDED_OVER))))
    except (PochboardError, OSError) as error:
        print(f"pochboard-portal: {shown(str(error))}", file=sys.stderr)  # noqa: T201 - no other output
        sys.exit(1)


if __name__ == "__main__":
    main()
