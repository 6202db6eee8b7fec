"""The front door: every request passes it, whatever answers it then."""

from __future__ import annotations

import logging
from contextlib import suppress
from typing import Final

from pochboard.errors import Refusal
from pochboard.server.asgi import (
    App,
    Gone,
    Message,
    Receive,
    Scope,
    Send,
    headers_of,
    respond_problem,
)
from pochboard.server.hosts import KnownHosts, is_loopback, parse_host

log = logging.getLogger(__name__)

EVENTS: Final = "/api/events"

_SECURITY: Final = [
    (
        b"content-security-policy",
        (
            b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
            b" connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        ),
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
]
# Over plain HTTP browsers heed this one on this machine alone, and elsewhere complain that they
# do not.
_ON_THIS_MACHINE: Final = [(b"cross-origin-opener-policy", b"same-origin")]


class Middleware:
    """Checks Host and Origin, adds the security headers, and hands on to the streams or the app."""

    def __init__(self, hosts: KnownHosts, events: App, others: App) -> None:
        self._hosts = hosts
        self._events = events
        self._others = others

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close"})
            return
        if scope["type"] != "http":
            return
        started = False
        security = _SECURITY + (_ON_THIS_MACHINE if _is_this_machine(scope) else [])

        async def guarded(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                message = {**message, "headers": [*message["headers"], *security]}
            await send(message)

        try:
            await self._answer(scope, receive, guarded)
        except Gone:
            pass
        except Exception:
            log.exception("%s %s failed", scope["method"], scope["path"])
            if not started:
                sentence = "Something went wrong in the daemon; its log says what."
                with suppress(Gone):
                    await respond_problem(scope, guarded, 500, Refusal("internal", sentence))

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        method = scope["method"]
        refused = self._hosts.refusal(method, headers_of(scope), scope["server"][1])
        if refused:
            status, refusal = refused
            await respond_problem(scope, send, status, refusal)
        elif scope["path"] == EVENTS and method in ("GET", "HEAD"):
            await self._events(scope, receive, send)
        else:
            await self._others(scope, receive, send)


def _is_this_machine(scope: Scope) -> bool:
    """Whether the browser knows that this comes from its own machine."""
    asked = parse_host(headers_of(scope).get("host", ""))
    return asked is not None and (asked.host == "localhost" or is_loopback(asked.host))
