"""Pairing, and the list of paired clients (BOARD.md 5)."""

from __future__ import annotations

from typing import Final

from flask import Response, request

from pochboard.errors import refuse
from pochboard.server.authentication import (
    Client,
    device_label,
    forget_cookie,
    set_cookie,
)
from pochboard.server.context import Context
from pochboard.server.errors import ApiError
from pochboard.server.responses import PairAnswer, PairingAnswer, RefusalAnswer
from pochboard.server.routing import (
    Permission,
    Routes,
    json_response,
    not_found,
    number_in_path,
)

routes: Final = Routes()


@routes.add(
    "POST",
    "/api/pair",
    summary="Pairs this client by a cookie, while the window is open.",
    responses={200: PairAnswer, 403: RefusalAnswer},
)
def pair(context: Context) -> Response:
    """Pairs the client if the window is open."""
    before = context.client().pairing
    token = context.table.pair(device_label(request.headers.get("User-Agent", "")))
    if token is None:
        raise ApiError(403, refuse("pairing-closed"))
    if before:
        # The client has a new token now, so the old one must not stay valid.
        context.table.unpair(before.number)
    pairing = context.table.pairing_of(token)
    assert pairing is not None, "it was made just now"
    response = json_response(PairAnswer(pairing.number, pairing.label))
    set_cookie(response, token)
    return response


@routes.add(
    "GET",
    "/api/pairings",
    summary="All paired clients.",
    responses={200: list[PairingAnswer]},
    permission=Permission.PAIRED,
)
def list_pairings(context: Context) -> list[PairingAnswer]:
    """All paired clients, oldest first."""
    client = context.client()
    return [
        PairingAnswer(one.number, one.label, one.paired_ms, one.used_ms, _is(client, one.number))
        for one in context.table.pairings()
    ]


@routes.add(
    "DELETE",
    "/api/pairings/{number}",
    summary="Revokes a pairing.",
    responses={204: None, 404: RefusalAnswer},
    permission=Permission.PAIRED,
)
def revoke_pairing(context: Context, number: str) -> Response:
    """Revokes one pairing, which may be the client's own."""
    client = context.client()
    revoked = number_in_path(number, "pairing")
    if not context.table.unpair(revoked):
        raise not_found(revoked, "pairing")
    response = Response(status=204)
    if _is(client, revoked):
        forget_cookie(response)
    return response


@routes.add(
    "DELETE",
    "/api/pairings",
    summary="Revokes all pairings, including the client's own.",
    responses={204: None},
    permission=Permission.PAIRED,
)
def revoke_all_pairings(context: Context) -> Response:
    """Revokes every pairing."""
    client = context.client()
    for one in context.table.pairings():
        context.table.unpair(one.number)
    response = Response(status=204)
    if client.pairing:
        forget_cookie(response)
    return response


def _is(client: Client, number: int) -> bool:
    return client.pairing is not None and client.pairing.number == number
