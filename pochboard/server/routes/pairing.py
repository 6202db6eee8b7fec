"""Pairing, and the list of paired clients (BOARD.md 5)."""

from __future__ import annotations

import io
from typing import Annotated, Final

import msgspec
from flask import Response, request
from msgspec import Meta

from pochboard.errors import Refusal, refuse
from pochboard.server.arrival import current_arrival, forget_token, keep_token, request_translator
from pochboard.server.context import Client, Context, Reach
from pochboard.server.errors import ApiError
from pochboard.server.hosts import is_loopback, parse_host, plain_address, url_of
from pochboard.server.routing import Routes, json_response
from pochboard.table.table import NO_TABLE
from pochboard.text.allowed_values import why_refused
from pochboard.text.translator import N_
from pochboard.text.unicode_names import fitted, is_name, tidy

routes: Final = Routes()
_Label = Annotated[
    str,
    Meta(max_length=40),
    N_("1 to 40 visible characters"),
]


class PairAnswer(msgspec.Struct, frozen=True):
    """This client is paired now, under this number and label."""

    number: int
    label: str


class PairingAnswer(msgspec.Struct, frozen=True):
    """A paired client; `this` marks the one that sent the request."""

    number: int
    label: str
    paired_ms: int
    used_ms: int
    this: bool
    device: str | None = None
    """What this client is called until somebody names it; null for all others."""


class QrCode(msgspec.Struct, frozen=True):
    """A QR code as the path of an SVG, in a square with sides of `size` modules."""

    size: int
    path: str


class OwnWifi(msgspec.Struct, frozen=True):
    """The Wi-Fi that the machine has opened, because it found no known network."""

    name: str
    password: str
    qr: QrCode
    """With this code phones join it."""


class ReachAnswer(msgspec.Struct, frozen=True):
    """How other phones reach the page."""

    url: str | None
    """The address to hand on; null if only this machine can see the page."""
    named: str | None
    """Another one with a name, which not every phone can resolve; null if there is none."""
    qr: QrCode | None
    """The code of this address."""
    urls: list[str]
    """All addresses of the page, best first."""
    wifi: OwnWifi | None


class PairBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The code that the board shows, and the phone's time zone (BOARD.md 4)."""

    code: Annotated[str, Meta(max_length=16)] = ""
    zone: str = ""


@routes.add("POST", "/api/pair", answer=PairAnswer)
def pair(context: Context, body: PairBody) -> Response:
    """Pairs this client by a cookie, with the code that the board shows."""
    client = context.client()
    if not context.has_table:
        raise ApiError(403, NO_TABLE)
    before = client.pairing
    label = device_label(request.headers.get("User-Agent", ""))
    paired = context.table.pairings.pair(label, body.code, plain_address(client.address))
    if isinstance(paired, Refusal):
        raise ApiError(429 if paired.code == "too-many-codes" else 403, paired)
    token, pairing = paired
    if before:
        # The client has a new token now, so the old one must not stay valid.
        context.table.pairings.revoke(before.number)
    context.table.settings.adopt(language=request_translator().language, zone=body.zone)
    response = json_response(PairAnswer(pairing.number, pairing.label))
    keep_token(response, token)
    return response


@routes.add("GET", "/api/pairings", paired=True)
def list_pairings(context: Context) -> list[PairingAnswer]:
    """All paired clients."""
    client = context.client()
    return [
        PairingAnswer(
            pairing.number,
            pairing.label,
            pairing.paired_ms,
            pairing.used_ms,
            this := _is(client, pairing.number),
            device_label(request.headers.get("User-Agent", "")) if this else None,
        )
        for pairing in context.table.pairings.all()
    ]


class NameBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The new name of a paired client."""

    label: _Label


@routes.add("PATCH", "/api/pairings/{number}", paired=True)
def name_pairing(context: Context, body: NameBody, number: int) -> Refusal | None:
    """Names a paired client."""
    label = tidy(body.label)
    if not is_name(label):
        return refuse("bad-argument", why_refused(_Label, body.label, "label"))
    if not context.table.pairings.name(number, label):
        raise _unknown(number)
    return None


@routes.add("DELETE", "/api/pairings/{number}", paired=True)
def revoke_pairing(context: Context, number: int) -> Response:
    """Revokes a pairing."""
    client = context.client()
    if not context.table.pairings.revoke(number):
        raise _unknown(number)
    response = Response(status=204)
    if _is(client, number):
        forget_token(response)
    return response


@routes.add("GET", "/api/reach", paired=True)
def get_reach(context: Context) -> ReachAnswer:
    """How other phones reach the page.

    The answer has its address, and the machine's own Wi-Fi if it is open, both with their QR
    codes.
    """
    reach = current_reach(context)
    (url, named), wifi = handed_on(reach), reach.wifi
    return ReachAnswer(
        url,
        named,
        qr_code(url) if url else None,
        reach.urls,
        OwnWifi(wifi.name, wifi.password, qr_code(wifi.qr_text)) if wifi else None,
    )


def current_reach(context: Context) -> Reach:
    """How phones reach the page that are near the client of the current request."""
    return context.reach(current_arrival().own_address)


def handed_on(reach: Reach) -> tuple[str | None, str | None]:
    """The address to hand on to other phones, and another one with a name.

    What this client calls the board may mean nothing to them. So it is a numeric address, unless a
    trusted proxy says how the page is seen from outside. If only a proxy can be reached, it is
    that of the proxy.
    """
    arrival, asked = current_arrival(), parse_host(request.headers.get("Host", ""))
    host = arrival.host or asked
    is_seen = host is not None and host.host != "localhost" and not is_loopback(host.host)
    if arrival.proxied and not arrival.ingress and host is not None and is_seen:
        return f"{url_of(*host, arrival.scheme)}{arrival.prefix}/", None
    if reach.numeric:
        return f"{reach.numeric}/", f"{reach.named}/" if reach.named else None
    if host is None or not is_seen or arrival.ingress:
        return None, None
    # To another machine than their own, browsers send this over https alone.
    scheme = "https" if "Sec-Fetch-Site" in request.headers else "http"
    return f"{url_of(*host, scheme)}{arrival.prefix}/", None


def _unknown(number: int) -> ApiError:
    return ApiError(404, refuse("unknown-pairing", "There is no pairing {number}.", number=number))


def _is(client: Client, number: int) -> bool:
    return client.pairing is not None and client.pairing.number == number


BORDER: Final = 4
"""How many light modules have to surround a code."""


def terminal_code(text: str) -> str:
    """A QR code, as block characters for a terminal."""
    import segno  # noqa: PLC0415 - few processes and requests need it

    code = io.StringIO()
    segno.make(text, micro=False).terminal(code, border=BORDER, compact=True)
    return code.getvalue().rstrip("\n")


def qr_code(text: str) -> QrCode:
    """A text as a QR code, with the margin that readers need."""
    import segno  # noqa: PLC0415 - few processes and requests need it

    rows = list(segno.make(text, micro=False).matrix_iter(border=BORDER))
    runs = (f"M{x} {y}h1v1h-1z" for y, row in enumerate(rows) for x, dark in enumerate(row) if dark)
    return QrCode(len(rows), "".join(runs))


_DEVICES: Final = (
    ("iphone", "iPhone"),
    ("ipad", "iPad"),
    ("android", "Android"),
    ("cros", "Chromebook"),
    ("windows", "Windows"),
    ("macintosh", "Mac"),
    ("linux", "Linux"),
)
# The order matters, because most browsers also name the ones that they descend from.
_BROWSERS: Final = (
    ("edg", "Edge"),
    ("opr/", "Opera"),
    ("samsungbrowser", "Samsung Internet"),
    ("firefox", "Firefox"),
    ("fxios", "Firefox"),
    ("crios", "Chrome"),
    ("chromium", "Chromium"),
    ("chrome", "Chrome"),
    ("safari", "Safari"),
)


def device_label(user_agent: str) -> str:
    """What a client is called in the list of pairings, as in `iPhone, Safari`."""
    text = user_agent.lower()
    device = next((label for sign, label in _DEVICES if sign in text), None)
    browser = next((label for sign, label in _BROWSERS if sign in text), None)
    known = [label for label in (device, browser) if label]
    if known:
        return ", ".join(known)
    return fitted(user_agent[:40]) or "a client without a name"
