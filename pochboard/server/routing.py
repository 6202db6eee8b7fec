"""A route of the API, declared once at its handler: its annotations say what it takes and answers.

The declaration makes Flask's rule, its part of the OpenAPI document, and its tests:

    @routes.add("POST", "/api/bots/speed", paired=True)
    def set_speed(context: Context, body: SpeedBody) -> Refusal | None:
        ...
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from types import NoneType, UnionType
from typing import Any, Final, TypeVar, get_args

import msgspec
from flask import Flask, Response, request
from werkzeug.routing import BaseConverter

from pochboard.errors import Refusal, RefusalAnswer, refuse
from pochboard.server.arrival import LANGUAGE_QUERY, request_translator
from pochboard.server.context import Context
from pochboard.server.errors import ApiError, refused
from pochboard.text.allowed_values import why_refused
from pochboard.text.decoding import NestedTooDeeplyError, decode_json
from pochboard.text.lazy import LazyText, lazy_gettext

H = TypeVar("H", bound=Callable[..., object])


class Upload(msgspec.Struct, frozen=True):
    """A body that is not JSON; the handler gets its bytes."""

    media_types: tuple[str, ...]
    """The first is the one in the description."""
    limit: int
    """In bytes."""
    otherwise: Refusal
    """The refusal for a body of another media type."""


class Route(msgspec.Struct, frozen=True, kw_only=True):
    """One method of one path: what it takes, and what it answers."""

    method: str
    path: str
    summary: str
    handler: Callable[..., object] | None
    """None if it is answered on the server's event loop instead of by Flask."""
    answer: Any
    """The type of the JSON; None for no body, a string for text of that media type."""
    status: int = 200
    """The status of a request that worked."""
    body: Any = None
    """The type of the JSON that it takes, or an Upload."""
    checked: bool = True
    """Whether the handler gets a body of that type, and not just JSON."""
    query: Mapping[str, str] = {}
    paired: bool = False
    """Whether only paired clients may use it."""
    schemas: tuple[Any, ...] = ()
    """Further types for the description, such as those of events."""

    @property
    def endpoint(self) -> str:
        """What Flask calls it."""
        return f"{self.method} {self.path}"

    @property
    def needs_body(self) -> bool:
        """False if the body may be left out, because all its fields have defaults."""
        if not isinstance(self.body, type):
            return self.body is not None
        return any(field.required for field in msgspec.structs.fields(self.body))


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
        answer: Any = None,
        status: int = 200,
        body: Any = None,
        query: Mapping[str, str] | None = None,
        paired: bool = False,
        summary: str | None = None,
    ) -> Callable[[H], H]:
        """Declares the route that the decorated function handles.

        The function gets the Context, the variables of the path, and `body`, of its annotated type.
        It returns what becomes JSON, None for an empty response, a Flask response, whose type is
        `answer`, or a Refusal, whose code decides the status; ApiError says the status itself. Its
        docstring is the `summary`. `body` is an Upload, or the type of JSON that it checks itself.
        """

        def decorate(handler: H) -> H:
            hints = inspect.get_annotations(handler, eval_str=True)
            returned = hints["return"]
            kinds = get_args(returned) if isinstance(returned, UnionType) else (returned,)
            (kind, *_) = [one for one in kinds if one not in (Refusal, Response)] or [answer]
            empty = kind in (None, NoneType)
            self._routes.append(
                Route(
                    method=method,
                    path=path,
                    summary=summary or " ".join((handler.__doc__ or "").split()),
                    handler=handler,
                    answer=None if empty else kind,
                    status=204 if empty and status == 200 else status,
                    body=body or hints.get("body"),
                    checked=body is None,
                    query=query or {},
                    paired=paired,
                )
            )
            return handler

        return decorate


class Number(BaseConverter):
    """A number in a path, which fits into the ledger's integers."""

    regex = "[0-9]{1,18}"

    def to_python(self, value: str) -> int:
        """The number."""
        return int(value)


NUMBERS: Final = ("night", "number")
"""The variables in paths that are numbers."""


def flask_rule(path: str) -> str:
    """Flask's rule for a path of the API."""
    return re.sub(
        r"{(\w+)}", lambda m: f"<number:{m[1]}>" if m[1] in NUMBERS else f"<{m[1]}>", path
    )


def add_views(app: Flask, context: Context, routes: Iterable[Route]) -> None:
    """Makes Flask's views from the handlers of declared routes."""
    for route in routes:
        if route.handler is not None:
            app.endpoint(route.endpoint)(_view(route, route.handler, context))


def _view(
    route: Route, handler: Callable[..., object], context: Context
) -> Callable[..., Response]:
    def view(**arguments: Any) -> Response:
        if route.paired:
            context.paired_client()
        if route.body is not None:
            arguments["body"] = _read_body(route)
        elif route.method != "GET":
            _check_no_form()
        answer = handler(context, **arguments)
        if isinstance(answer, Refusal):
            raise refused(answer)
        if isinstance(answer, Response):
            return answer
        if answer is None:
            return Response(status=route.status)
        return json_response(answer, route.status)

    return view


def json_response(value: object, status: int = 200) -> Response:
    """A response of JSON."""
    return Response(
        msgspec.json.encode(value, enc_hook=_in_language), status, content_type="application/json"
    )


def json_list(answers: Iterable[Any]) -> Response:
    """A JSON list of answers that are made one by one: they may take ten times its memory."""
    body = b"[" + b",".join(map(msgspec.json.encode, answers)) + b"]"
    return Response(body, content_type="application/json")


def _in_language(value: object) -> str:
    """A text in the client's language; the code that made it does not know who reads it."""
    assert isinstance(value, LazyText), f"{type(value)} cannot be JSON"
    return value.in_language(request_translator())


def _read_body(route: Route) -> Any:
    """The body of the current request, as declared. Raises ApiError 415 or 400."""
    declared, body = route.body, request.get_data(cache=False)
    if isinstance(declared, Upload):
        if request.mimetype not in declared.media_types:
            raise ApiError(415, declared.otherwise)
        return body
    if not body and not route.needs_body:
        _check_no_form()
        return declared()
    if request.mimetype != "application/json":
        raise ApiError(
            415, refuse("not-json", "Send JSON, with the content type application/json.")
        )
    value = _parse(body)
    if not route.checked:
        return value
    try:
        return msgspec.convert(value, declared)
    except msgspec.ValidationError as error:
        raise bad_argument(LazyText("{reason}.", reason=str(error))) from None


def _parse(body: bytes) -> Any:
    try:
        return decode_json(body)
    except UnicodeDecodeError:
        why = lazy_gettext("This is not JSON: it is not UTF-8 text.")
    except NestedTooDeeplyError:
        why = lazy_gettext("This JSON is nested too deeply.")
    except msgspec.DecodeError as error:
        why = lazy_gettext("This is not JSON: {reason}", reason=error)
    raise ApiError(400, refuse("bad-json", why))


def _check_no_form() -> None:
    """Refuses a form of another site, which is sent without asking us first. Raises ApiError."""
    if request.mimetype not in ("", "application/json"):
        raise ApiError(415, refuse("not-json", "Send no body, or JSON."))


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


_LANGUAGE: Final = "a language for the answer; else the cookie or Accept-Language says which"
"""What the query that every route takes means."""


def document(routes: Sequence[Route]) -> dict[str, Any]:
    """The OpenAPI 3.1 description of these routes."""
    used: list[Any] = [RefusalAnswer]
    for route in routes:
        used += [route.body, route.answer, *route.schemas]
    types = {str(kind): kind for kind in used if kind and not isinstance(kind, str | Upload)}
    schemas, components = msgspec.json.schema_components(
        types.values(), ref_template="#/components/schemas/{name}"
    )
    for schema in components.values():
        # Only since 3.13 does Python itself remove the indentation of docstrings.
        if "description" in schema:
            schema["description"] = inspect.cleandoc(schema["description"])
    schema_of = dict(zip(types, schemas, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, schema_of)
    try:
        program = version("pochboard")
    except PackageNotFoundError:
        program = "0"
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "pochboard",
            "version": program,
            "description": (
                "Every refusal is a code and a sentence. Requests must name the board by one of"
                " its own names or addresses."
            ),
        },
        # From the address of this description, which a proxy may serve below a path.
        "servers": [{"url": "../"}],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {
                "pairing": {"type": "apiKey", "in": "cookie", "name": "pochboard"},
                "local": {"type": "http", "scheme": "bearer"},
            },
        },
    }


def _operation(route: Route, schema_of: dict[str, Any]) -> dict[str, Any]:
    text, number = {"type": "string"}, {"type": "integer", "minimum": 1}

    def content(kind: Any) -> dict[str, Any]:
        if isinstance(kind, str):
            return {"content": {kind: {"schema": text}}}
        return {"content": {"application/json": {"schema": schema_of[str(kind)]}}} if kind else {}

    operation: dict[str, Any] = {
        "summary": route.summary,
        "parameters": [
            {
                "name": name,
                "in": "path",
                "required": True,
                "schema": number if name in NUMBERS else text,
            }
            for name in re.findall(r"{(\w+)}", route.path)
        ]
        + [
            {"name": name, "in": "query", "description": meaning, "schema": text}
            for name, meaning in {**route.query, LANGUAGE_QUERY: _LANGUAGE}.items()
        ],
        "responses": {
            str(route.status): {"description": "The answer", **content(route.answer)},
            "default": {"description": "A refusal or an error", **content(RefusalAnswer)},
        },
    }
    if route.paired:
        operation["security"] = [{"pairing": []}, {"local": []}]
    if isinstance(route.body, Upload):
        operation["requestBody"] = {"required": True, **content(route.body.media_types[0])}
    elif route.body is not None:
        operation["requestBody"] = {"required": route.needs_body, **content(route.body)}
    return operation
