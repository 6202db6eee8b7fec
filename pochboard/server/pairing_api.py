"""The API of pairing (BOARD.md 5)."""

from __future__ import annotations

from flask import Flask, Response, request

from pochboard.server.authentication import CLEAR_COOKIE, label_of, set_cookie
from pochboard.server.context import Context
from pochboard.server.errors import ApiError
from pochboard.server.reply import json_answer, only_empty
from pochboard.server.responses import PairAnswer, PairingAnswer


def add(app: Flask, context: Context) -> None:
    """Adds the routes."""

    @app.post("/api/pair")
    def pair() -> Response:
        only_empty(request)
        before = context.client().pairing
        label = label_of(request.headers.get("User-Agent", ""))
        token = context.table.pair(label)
        if token is None:
            raise ApiError(
                403,
                "pairing-closed",
                "Pairing is closed: hold “next” on the board for 3 seconds, then try again.",
            )
        if before:
            # The client gets a fresh token; its old one is not to outlive it.
            context.table.unpair(before.number)
        pairing = context.table.pairing_of(token)
        assert pairing is not None, "it was made just now"
        response = json_answer(PairAnswer(pairing.number, pairing.label))
        response.headers["Set-Cookie"] = set_cookie(token)
        return response

    @app.get("/api/pairings")
    def pairings() -> Response:
        own = context.paired_client().pairing
        return json_answer(
            [
                PairingAnswer(
                    one.number,
                    one.label,
                    one.paired_ms,
                    one.used_ms,
                    own is not None and one.number == own.number,
                )
                for one in context.table.pairings()
            ]
        )

    @app.delete("/api/pairings/<number>")
    def unpair(number: str) -> Response:
        own = context.paired_client().pairing
        only_empty(request)
        known = number.isascii() and number.isdigit() and len(number) < 19
        if not known or not context.table.unpair(int(number)):
            raise ApiError(404, "unknown-pairing", f"There is no pairing {number[:40]}.")
        response = Response(status=204)
        if own and own.number == int(number):
            response.headers["Set-Cookie"] = CLEAR_COOKIE
        return response

    @app.delete("/api/pairings")
    def unpair_all() -> Response:
        own = context.paired_client().pairing
        only_empty(request)
        for one in context.table.pairings():
            context.table.unpair(one.number)
        response = Response(status=204)
        if own:
            response.headers["Set-Cookie"] = CLEAR_COOKIE
        return response

    @app.after_request
    def _renew(response: Response) -> Response:
        """A pairing lasts 90 days from its last use, so the cookie is renewed with it."""
        used = request.endpoint in ("table", "nights_page", "night_page") or (
            request.method == "POST" and response.status_code < 400
        )
        if used and "Set-Cookie" not in response.headers and not context.stopping.is_set():
            token = context.client().token
            if token:
                response.headers["Set-Cookie"] = set_cookie(token)
        return response
