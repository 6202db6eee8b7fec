"""Pairing, and the list of paired clients (BOARD.md 5)."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec
from flask import Response, request
from msgspec import Meta

from pochboard.errors import Refusal
from pochboard.server.authentication import (
    Client,
    device_label,
    forget_cookie,
    set_cookie,
)
from pochboard.server.context import Context
from pochboard.server.errors import ApiError
from pochboard.server.hosts import plain_address
from pochboard.server.responses import (
    OwnWifi,
    PairAnswer,
    PairingAnswer,
    ReachAnswer,
    RefusalAnswer,
)
from pochboard.server.routing import (
    OptionalJson,
    Permission,
    Routes,
    json_response,
    not_found,
    number_in_path,
)

routes: Final = Routes()


class PairBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The code that the board shows."""

    code: Annotated[str, Meta(max_length=16)] = ""


@routes.add(
    "POST",
    "/api/pair",
    summary="Pairs this client by a cookie, with the code that the board shows.",
    body=OptionalJson(PairBody),
    responses={200: PairAnswer, 403: RefusalAnswer},
)
def pair(context: Context, body: PairBody) -> Response:
    """Pairs the client if it has the code of the open window."""
    client = context.client()
    before = client.pairing
    label = device_label(request.headers.get("User-Agent", ""))
    token = context.table.pair(label, body.code, plain_address(client.address))
    if isinstance(token, Refusal):
        raise ApiError(429 if token.code == "too-many-codes" else 403, token)
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
    context.table.unpair_all()
    response = Response(status=204)
    if client.pairing:
        forget_cookie(response)
    return response


@routes.add(
    "GET",
    "/api/reach",
    summary="The addresses of the page, and the machine's own Wi-Fi if it is open.",
    responses={200: ReachAnswer},
    permission=Permission.PAIRED,
)
def get_reach(context: Context) -> ReachAnswer:
    """How other phones reach the page. Contains the password of the Wi-Fi."""
    reach = context.reach()
    if reach.wifi is None:
        return ReachAnswer(reach.urls)
    wifi = reach.wifi
    return ReachAnswer(reach.urls, OwnWifi(wifi.name, wifi.password, wifi.qr_text))


def _is(client: Client, number: int) -> bool:
    return client.pairing is not None and client.pairing.number == number
