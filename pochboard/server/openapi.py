"""The description of the API, made from the types that it reads and answers."""

from __future__ import annotations

import itertools
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final, Union

import msgspec

from pochboard.demo.wish import Wish
from pochboard.errors import Refusal
from pochboard.rules.commands import COMMANDS
from pochboard.server import responses
from pochboard.server.requests import EdgeBody, HandsBody, LayBody, PressBody, SpeedBody
from pochboard.table.records import Imported

ANY_COMMAND: Final = Union[tuple(COMMANDS.values())]  # noqa: UP007 - made from a table
JSON: Final = "application/json"
SHEET: Final = "application/x-ndjson"
EVENTS: Final = "text/event-stream"


class Way(msgspec.Struct, frozen=True, kw_only=True):
    """One method of one path: what it takes, and what it answers with which status."""

    method: str
    path: str
    says: str
    answers: dict[int, Any]
    """Types by status: None for no body, a string for text of that media type."""
    takes: Any = None
    query: dict[str, str] = {}
    paired: bool = False


_SHARED: Final = (403, 421, 500, 503)
"""What anything may be answered with: wrong origin, wrong host, an own bug, stopping or busy."""
_READ: Final = {304: None}
_CHANGED: Final = {400: Refusal, 408: Refusal, 413: Refusal, 415: Refusal}

WAYS: Final = (
    Way(
        method="get",
        path="/api/state",
        says="All that the page shows of the night in progress; the ETag is the revision.",
        answers={200: responses.StateAnswer, **_READ},
    ),
    Way(
        method="get",
        path="/api/events",
        says=(
            "Server-Sent Events: `state` (as /api/state) on connect and at every new revision,"
            " `refused` (RefusedEvent), `heartbeat` (HeartbeatEvent) every 5 s, and with frames=1"
            " `frame` (FrameEvent), at most 30 a second. The id is the revision."
        ),
        query={"frames": "1 to be sent frames too"},
        answers={200: EVENTS},
    ),
    Way(
        method="post",
        path="/api/commands",
        says="Applies a command. One whose id was applied before is answered as that one was.",
        takes=ANY_COMMAND,
        answers={200: responses.CommandAnswer, **_CHANGED, 401: Refusal, 409: Refusal},
        paired=True,
    ),
    Way(
        method="post",
        path="/api/referee/showdown",
        says=(
            "Ranks the hands shown at the showdown, says why, and with which command it is booked."
            " Seats that show nothing are left out. Changes nothing."
        ),
        takes=HandsBody,
        answers={200: responses.RankingAnswer, **_CHANGED, 409: Refusal},
    ),
    Way(
        method="post",
        path="/api/referee/sequence",
        says=(
            "Says in the melding who of the hands shown takes the sequence pool, why, and with"
            " which command it is booked. Changes nothing."
        ),
        takes=HandsBody,
        answers={200: responses.SequenceAnswer, **_CHANGED, 409: Refusal},
    ),
    Way(
        method="get",
        path="/api/board",
        says="The pixels as they are now.",
        answers={200: responses.BoardAnswer},
    ),
    Way(
        method="post",
        path="/api/board/edge",
        says=(
            "On the simulated board, a button goes down or up. A button held is let go 2 s after"
            " the last `down: true` of its client. `next` takes no pairing."
        ),
        takes=EdgeBody,
        answers={200: responses.PressAnswer, **_CHANGED, 401: Refusal, 409: Refusal},
        paired=True,
    ),
    Way(
        method="post",
        path="/api/board/press",
        says=(
            "On the simulated board, one or two buttons are held for so long; answered when the"
            " press is over. `next` alone takes no pairing."
        ),
        takes=PressBody,
        answers={200: responses.PressAnswer, **_CHANGED, 401: Refusal, 409: Refusal},
        paired=True,
    ),
    Way(
        method="post",
        path="/api/pair",
        says="Pairs this client by a cookie, while the window is open.",
        answers={200: responses.PairAnswer, 403: Refusal, 415: Refusal},
    ),
    Way(
        method="get",
        path="/api/pairings",
        says="All paired clients.",
        answers={200: list[responses.PairingAnswer], 401: Refusal},
        paired=True,
    ),
    Way(
        method="delete",
        path="/api/pairings",
        says="Revokes all pairings, that of the client too.",
        answers={204: None, 401: Refusal, 415: Refusal},
        paired=True,
    ),
    Way(
        method="delete",
        path="/api/pairings/{number}",
        says="Revokes a pairing.",
        answers={204: None, 401: Refusal, 404: Refusal, 415: Refusal},
        paired=True,
    ),
    Way(
        method="get",
        path="/api/rulesets",
        says="The rulesets that a night can be started with, and house files that cannot be used.",
        answers={200: responses.RulesetsAnswer},
    ),
    Way(
        method="get",
        path="/api/nights",
        says="All nights of the ledger, newest first.",
        answers={200: list[responses.ListedNight]},
    ),
    Way(
        method="post",
        path="/api/nights",
        says="Imports the nights of a score sheet; the night in progress stays current.",
        takes=SHEET,
        query={"day": "when it was played, YYYY-MM-DD; else today"},
        answers={201: Imported, **_CHANGED, 401: Refusal},
        paired=True,
    ),
    Way(
        method="get",
        path="/api/nights/{night}",
        says="A night, and the state it has come to.",
        answers={200: responses.NightAnswer, 404: Refusal},
    ),
    Way(
        method="get",
        path="/api/nights/{night}/entries",
        says="The entries of a night in order, each with the state after it.",
        query={
            "after": "only entries numbered above it",
            "pixels": "1 for the board, seats and pools after each as they are shown",
        },
        answers={200: list[responses.EntryAnswer], 400: Refusal, 404: Refusal},
    ),
    Way(
        method="get",
        path="/api/nights/{night}/sheet",
        says="A night as a score sheet.",
        answers={200: SHEET, 404: Refusal},
    ),
    Way(
        method="post",
        path="/api/demo",
        says=(
            "House players come to the simulated board between nights, start one and play it by"
            " its buttons. What lies open of their cards is `demo` in /api/state."
        ),
        takes=Wish,
        answers={201: None, **_CHANGED, 401: Refusal, 409: Refusal},
        paired=True,
    ),
    Way(
        method="delete",
        path="/api/demo",
        says="Sends the house players away; the night stays as it is.",
        answers={204: None, 401: Refusal, 409: Refusal, 415: Refusal},
        paired=True,
    ),
    Way(
        method="post",
        path="/api/demo/speed",
        says="How many times faster than people the house players play.",
        takes=SpeedBody,
        answers={204: None, **_CHANGED, 401: Refusal, 409: Refusal},
        paired=True,
    ),
    Way(
        method="post",
        path="/api/demo/seats/{number}",
        says="A person takes over the seat of a house player, and gets the key to its cards.",
        answers={201: responses.SeatAnswer, 401: Refusal, 404: Refusal, 409: Refusal, 415: Refusal},
        paired=True,
    ),
    Way(
        method="delete",
        path="/api/demo/seats/{number}",
        says="The house plays a seat again that a person had taken.",
        answers={204: None, 401: Refusal, 404: Refusal, 409: Refusal, 415: Refusal},
        paired=True,
    ),
    Way(
        method="get",
        path="/api/demo/hand",
        says="The cards of the person whose key is in the header X-Seat-Key.",
        answers={200: responses.HandAnswer, 409: Refusal},
    ),
    Way(
        method="post",
        path="/api/demo/cards",
        says="The person whose key is in the header X-Seat-Key lays a card.",
        takes=LayBody,
        answers={204: None, **_CHANGED, 401: Refusal, 409: Refusal},
        paired=True,
    ),
    Way(
        method="get",
        path="/api/openapi.json",
        says="This description.",
        answers={200: dict[str, Any]},
    ),
    Way(
        method="get",
        path="/healthz",
        says="Whether the daemon answers.",
        answers={200: responses.HealthAnswer},
    ),
)

_EVENTS: Final = (responses.RefusedEvent, responses.FrameEvent, responses.HeartbeatEvent)


@cache
def description() -> bytes:
    """The OpenAPI 3.1 description, as JSON."""
    return msgspec.json.encode(_document())


def _document() -> dict[str, Any]:
    kinds = _kinds()
    schemas, components = msgspec.json.schema_components(
        kinds, ref_template="#/components/schemas/{name}"
    )
    schema_of = dict(zip(map(str, kinds), schemas, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for way in WAYS:
        paths.setdefault(way.path, {})[way.method] = _operation(way, schema_of)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "pochboard",
            "version": _version(),
            "description": (
                "Whatever is refused is answered with a code and a sentence. Requests must name"
                " the board by one of its own names or addresses."
            ),
        },
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {
                "pairing": {"type": "apiKey", "in": "cookie", "name": "pochboard"},
                "local": {"type": "http", "scheme": "bearer"},
            },
        },
    }


def _kinds() -> list[Any]:
    """All types that the description speaks of, each once."""
    said = itertools.chain(
        (Refusal, *_EVENTS),
        *((way.takes, *way.answers.values()) for way in WAYS),
    )
    return list({str(kind): kind for kind in said if kind and not isinstance(kind, str)}.values())


def _operation(way: Way, schema_of: dict[str, Any]) -> dict[str, Any]:
    told: dict[str, Any] = {"summary": way.says}
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "integer", "minimum": 1}}
        for name in ("night", "number")
        if f"{{{name}}}" in way.path
    ]
    parameters += [
        {"name": name, "in": "query", "description": says, "schema": {"type": "string"}}
        for name, says in way.query.items()
    ]
    if parameters:
        told["parameters"] = parameters
    if way.paired:
        told["security"] = [{"pairing": []}, {"local": []}]
    if way.takes:
        told["requestBody"] = {"required": True, "content": _content(way.takes, schema_of)}
    answered = {**way.answers, **dict.fromkeys(_SHARED, Refusal)}
    told["responses"] = {
        str(status): {"description": _MEANING[status], **_with_content(kind, schema_of)}
        for status, kind in sorted(answered.items())
    }
    return told


def _with_content(kind: Any, schema_of: dict[str, Any]) -> dict[str, Any]:
    return {"content": _content(kind, schema_of)} if kind else {}


def _content(kind: Any, schema_of: dict[str, Any]) -> dict[str, Any]:
    if isinstance(kind, str):
        return {kind: {"schema": {"type": "string"}}}
    return {JSON: {"schema": schema_of[str(kind)]}}


_MEANING: Final = {
    200: "It is answered.",
    201: "It is stored.",
    204: "It is done.",
    304: "Nothing has changed.",
    400: "The request says something wrong.",
    401: "This client is not paired.",
    403: "Not from there, or not now.",
    404: "There is none.",
    408: "The request took too long to arrive.",
    409: "Refused as things stand.",
    413: "The body is too large.",
    415: "Another content type is expected.",
    421: "The board does not go by that name.",
    500: "An own bug, or the ledger failed.",
    503: "The daemon is stopping or too busy.",
}


def _version() -> str:
    try:
        return version("pochboard")
    except PackageNotFoundError:
        return "0"
