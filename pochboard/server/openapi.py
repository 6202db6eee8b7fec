"""The OpenAPI document, made from the declared routes and their types."""

from __future__ import annotations

import inspect
import itertools
import re
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

import msgspec

from pochboard.server.language import QUERY
from pochboard.server.routing import OptionalJson, Permission, Route, UncheckedJson, Upload
from pochboard.views.refusals import RefusalAnswer

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
