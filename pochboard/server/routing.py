"""A route of the API, declared once: path, types, permission and errors, at its handler.

The declaration makes Flask's rule, its part of the OpenAPI document, and its tests:

    @routes.add("POST", "/api/demo/speed", body=SpeedBody,
                responses={204: None, 409: RefusalAnswer}, permission=Permission.PAIRED)
    def set_speed(context: Context, body: SpeedBody) -> Refusal | None:
        ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from typing import Any, Final, Literal, TypeAlias, TypeVar

import msgspec
from flask import Flask, Response, request

from pochboard.errors import Refusal, refuse
from pochboard.rules.seating import unknown_seat
from pochboard.server.context import Context
from pochboard.server.errors import ApiError, refused
from pochboard.server.language import request_translator
from pochboard.text.decoding import NestedTooDeeplyError, decode_json
from pochboard.text.lazy import LazyText, lazy_gettext
from pochboard.views.refusals import RefusalAnswer

H = TypeVar("H", bound=Callable[..., object])

COMMON_ERRORS: Final = dict.fromkeys((403, 408, 413, 421, 429, 500, 503), RefusalAnswer)
"""Errors of any request: wrong origin or host, too many requests, a bug, stopping, busy.

Also a body that is too slow or too large, because a client may send one where none is expected.
"""
_BODY_ERRORS: Final = dict.fromkeys((400, 415), RefusalAnswer)


class Permission(Enum):
    """Who may use a route."""

    ANYONE = "anyone"
    PAIRED = "paired clients"
    HANDLER = "paired clients, and others where the handler says so"


class UncheckedJson(msgspec.Struct, frozen=True):
    """A body of JSON that the handler checks itself; `type` is what the description says."""

    type: Any


class OptionalJson(msgspec.Struct, frozen=True):
    """A body of JSON of this type, which may be left out; all its fields have defaults."""

    type: Any


class Upload(msgspec.Struct, frozen=True):
    """A body that is not JSON; the handler gets its bytes."""

    media_types: tuple[str, ...]
    """The first is the one in the description."""
    limit: int
    """In bytes."""
    otherwise: Refusal
    """The refusal for a body of another media type."""


class Route(msgspec.Struct, frozen=True, kw_only=True):
    """One method of one path: what it takes, and which status it answers with what."""

    method: str
    path: str
    summary: str
    handler: Callable[..., object] | None
    """None if it is answered on the server's event loop instead of by Flask."""
    declared: dict[int, Any]
    """Types by status: None for no body, a string for text of that media type."""
    body: Any = None
    query: Mapping[str, str] = {}
    permission: Permission = Permission.ANYONE
    heavy: bool = False
    """Whether its answers take long to make, and are therefore made one at a time."""
    schemas: tuple[Any, ...] = ()
    """Further types for the description, such as those of events."""

    @property
    def endpoint(self) -> str:
        """What Flask calls it."""
        return f"{self.method} {self.path}"

    @property
    def responses(self) -> dict[int, Any]:
        """All responses, including the errors that follow from the rest of the declaration."""
        found: dict[int, Any] = {}
        if self.body is not None:
            found |= _BODY_ERRORS
        elif self.method != "GET":
            found[415] = RefusalAnswer
        if self.permission is not Permission.ANYONE:
            found[401] = RefusalAnswer
        return {**found, **COMMON_ERRORS, **self.declared}

    @property
    def success(self) -> int:
        """The status of a request that worked."""
        return min(self.declared)


class Routes:
    """The routes of a part of the API."""

    def __init__(self) -> None:
        self._routes: list[Route] = []

    def __iter__(self) -> Iterator[Route]:
        return iter(self._routes)

    def add(  # noqa: PLR0913 - one parameter for each part of a declaration
        self,
        method: str,
        path: str,
        *,
        responses: dict[int, Any],
        body: Any = None,
        query: Mapping[str, str] | None = None,
        permission: Permission = Permission.ANYONE,
        heavy: bool = False,
        summary: str | None = None,
    ) -> Callable[[H], H]:
        """Declares the route that the decorated function handles.

        The function gets the Context, the variables of the path as strings, and `body` if one is
        declared. It returns what becomes JSON, None for an empty response, a Flask response, or a
        Refusal, whose code decides the status; ApiError says the status itself. Its docstring is
        the `summary`, unless one handler makes several routes.
        """

        def decorate(handler: H) -> H:
            self._routes.append(
                Route(
                    method=method,
                    path=path,
                    summary=summary or " ".join((handler.__doc__ or "").split()),
                    handler=handler,
                    declared=responses,
                    body=body,
                    query=query or {},
                    permission=permission,
                    heavy=heavy,
                )
            )
            return handler

        return decorate


def add_rules(app: Flask, routes: Iterable[Route]) -> None:
    """Makes Flask's rules from declared routes."""
    for route in routes:
        path = route.path.replace("{", "<").replace("}", ">")
        app.add_url_rule(path, endpoint=route.endpoint, methods=[route.method])


def add_views(app: Flask, context: Context, routes: Iterable[Route]) -> None:
    """Makes Flask's views from the handlers of declared routes."""
    for route in routes:
        app.endpoint(route.endpoint)(_view(route, context))


def _view(route: Route, context: Context) -> Callable[..., Response]:
    def view(**arguments: Any) -> Response:
        assert route.handler is not None, f"{route.path} is answered before Flask"
        if route.permission is Permission.PAIRED:
            context.paired_client()
        if route.body is not None:
            arguments["body"] = _read_body(route.body)
        elif route.method != "GET":
            _check_no_form()
        answer = route.handler(context, **arguments)
        if isinstance(answer, Refusal):
            raise refused(answer)
        if isinstance(answer, Response):
            return answer
        if answer is None:
            return Response(status=route.success)
        return json_response(answer, route.success)

    return view


def json_response(value: object, status: int = 200) -> Response:
    """A response of JSON."""
    return Response(
        msgspec.json.encode(value, enc_hook=_in_language), status, content_type="application/json"
    )


def _read_body(declared: Any) -> Any:
    """The body of the current request, as declared. Raises ApiError 415 or 400."""
    if isinstance(declared, Upload):
        if request.mimetype not in declared.media_types:
            raise ApiError(415, declared.otherwise)
        return request.get_data(cache=False)
    body = request.get_data(cache=False)
    if isinstance(declared, OptionalJson):
        declared = declared.type
        if not body:
            _check_no_form()
            return declared()
    if request.mimetype != "application/json":
        raise ApiError(
            415,
            refuse("not-json", lazy_gettext("Send JSON, with the content type application/json.")),
        )
    value = _parse(body)
    if isinstance(declared, UncheckedJson):
        return value
    try:
        return msgspec.convert(value, declared)
    except msgspec.ValidationError as error:
        reason = LazyText("{reason}.", reason=str(error))
        raise ApiError(400, refuse("bad-argument", reason)) from None


def _in_language(value: object) -> str:
    """A text in the client's language; the code that made it does not know who reads it."""
    assert isinstance(value, LazyText), f"{type(value)} cannot be JSON"
    return value.in_language(request_translator())


def _parse(body: bytes) -> Any:
    try:
        return decode_json(body)
    except UnicodeDecodeError:
        raise ApiError(
            400, refuse("bad-json", lazy_gettext("This is not JSON: it is not UTF-8 text."))
        ) from None
    except NestedTooDeeplyError:
        raise ApiError(
            400, refuse("bad-json", lazy_gettext("This JSON is nested too deeply."))
        ) from None
    except msgspec.DecodeError as error:
        raise ApiError(
            400,
            refuse(
                "bad-json",
                lazy_gettext("This is not JSON: {reason}", reason=error),
            ),
        ) from None


def _check_no_form() -> None:
    """Refuses a form of another site, which is sent without asking us first. Raises ApiError."""
    if request.mimetype not in ("", "application/json"):
        raise ApiError(415, refuse("not-json", lazy_gettext("Send no body, or JSON.")))


Thing: TypeAlias = Literal["night", "seat", "pairing", "entry"]
"""The things that an address may name by number."""


def number_in_path(text: str, thing: Thing, *, digits: int = 18) -> int:
    """The number of a night, seat, pairing or entry. Raises ApiError 404.

    By default a number may be as long as always fits into the ledger's integers.
    """
    if not (text.isascii() and text.isdigit() and len(text) <= digits):
        raise not_found(text, thing)
    return int(text)


def not_found(number: object, thing: Thing) -> ApiError:
    """The error for a night, seat, pairing or entry that does not exist."""
    shown = str(number)[:40]
    refusals = {
        "night": refuse("unknown-night", lazy_gettext("There is no night {number}.", number=shown)),
        "seat": unknown_seat(shown),
        "pairing": refuse(
            "unknown-pairing", lazy_gettext("There is no pairing {number}.", number=shown)
        ),
        "entry": refuse(
            "not-correctable", lazy_gettext("This night has no entry {number}.", number=shown)
        ),
    }
    return ApiError(404, refusals[thing])
