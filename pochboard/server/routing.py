"""A route of the API, declared once: path, types, permission and errors, at its handler.

The declaration makes Flask's rule, its part of the OpenAPI document, and its tests:

    @routes.add("POST", "/api/bots/speed", body=SpeedBody,
                responses={204: None, 409: RefusalAnswer}, permission=Permission.PAIRED)
    def set_speed(context: Context, body: SpeedBody) -> Refusal | None:
        ...
"""

from __future__ import annotations

import inspect
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final, Literal, TypeAlias, TypeVar

import msgspec
from flask import Flask, Response, request

from pochboard.errors import Refusal, RefusalAnswer, refuse
from pochboard.rules.seating import unknown_seat
from pochboard.server.context import Context
from pochboard.server.errors import ApiError, refused
from pochboard.server.language import QUERY, request_translator
from pochboard.text.allowed_values import why_refused
from pochboard.text.decoding import NestedTooDeeplyError, decode_json
from pochboard.text.lazy import LazyText, lazy_gettext

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
        raise bad_argument(reason) from None


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


def in_query(name: str, kind: Any, default: Any) -> Any:
    """A value of the query, of this type. Raises ApiError 400 if it is of another one."""
    text = request.args.get(name)
    if text is None:
        return default
    try:
        return msgspec.convert(text, kind, strict=False)
    except msgspec.ValidationError:
        raise bad_argument(why_refused(kind, text, name)) from None


def bad_argument(sentence: LazyText) -> ApiError:
    """The error for a value that is not what it must be."""
    return ApiError(400, refuse("bad-argument", sentence))


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
    429: "Too many requests from this client.",
    421: "The board does not go by that name.",
    500: "A bug of the daemon, or the ledger failed.",
    503: "The daemon is stopping or too busy.",
}
_NUMBER: Final = {"type": "integer", "minimum": 1}
_VARIABLES: Final[dict[str, dict[str, Any]]] = {
    "account": {"type": "string"},
    "name": {"type": "string"},
    "night": _NUMBER,
    "number": _NUMBER,
}
"""The schemas of the variables in paths."""
_LANGUAGE: Final = "a language for the answer; else the cookie or Accept-Language says which"
"""What the query that every route takes means."""


def document(routes: Sequence[Route], prefix: str = "") -> dict[str, Any]:
    """The OpenAPI 3.1 description of these routes, which may be below a prefix of a proxy."""
    types = _types(routes)
    schemas, components = msgspec.json.schema_components(
        types, ref_template="#/components/schemas/{name}"
    )
    for schema in components.values():
        # Only since 3.13 does Python itself remove the indentation of docstrings.
        if "description" in schema:
            schema["description"] = inspect.cleandoc(schema["description"])
    schema_of = dict(zip(map(str, types), schemas, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, schema_of)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "pochboard",
            "version": _version(),
            "description": (
                "Every refusal is a code and a sentence. Requests must name the board by one of"
                " its own names or addresses."
            ),
        },
        "servers": [{"url": prefix or "/"}],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {
                "pairing": {"type": "apiKey", "in": "cookie", "name": "pochboard"},
                "local": {"type": "http", "scheme": "bearer"},
            },
        },
    }


def _types(routes: Sequence[Route]) -> list[Any]:
    """All types that the routes use, each once."""
    used = itertools.chain(
        [RefusalAnswer],
        *((_body_type(route.body), *route.declared.values(), *route.schemas) for route in routes),
    )
    return list({str(kind): kind for kind in used if kind and not isinstance(kind, str)}.values())


def _body_type(body: Any) -> Any:
    """The type of a declared body, or its media type as a string."""
    match body:
        case UncheckedJson() | OptionalJson():
            return body.type
        case Upload():
            return body.media_types[0]
        case _:
            return body


def _operation(route: Route, schema_of: dict[str, Any]) -> dict[str, Any]:
    operation: dict[str, Any] = {"summary": route.summary}
    parameters: list[dict[str, Any]] = [
        {"name": name, "in": "path", "required": True, "schema": _VARIABLES[name]}
        for name in re.findall(r"{(\w+)}", route.path)
    ]
    parameters += [
        {"name": name, "in": "query", "description": meaning, "schema": {"type": "string"}}
        for name, meaning in {**route.query, QUERY: _LANGUAGE}.items()
    ]
    operation["parameters"] = parameters
    if route.permission is not Permission.ANYONE:
        operation["security"] = [{"pairing": []}, {"local": []}]
    if route.body is not None:
        content = _content(_body_type(route.body), schema_of)
        operation["requestBody"] = {
            "required": not isinstance(route.body, OptionalJson),
            "content": content,
        }
    operation["responses"] = {
        str(status): {
            "description": _MEANING[status],
            **({"content": _content(kind, schema_of)} if kind else {}),
        }
        for status, kind in sorted(route.responses.items())
    }
    return operation


def _content(kind: Any, schema_of: dict[str, Any]) -> dict[str, Any]:
    if isinstance(kind, str):
        return {kind: {"schema": {"type": "string"}}}
    return {"application/json": {"schema": schema_of[str(kind)]}}


def _version() -> str:
    try:
        return version("pochboard")
    except PackageNotFoundError:
        return "0"
