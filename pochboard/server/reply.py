"""JSON in and out, compression, and what else every answer of the application has in common."""

from __future__ import annotations

import gzip
from typing import Any, Final, TypeVar

import msgspec
from flask import Request, Response

from pochboard.server.errors import ApiError

T = TypeVar("T")
_TEXT: Final = ("text/", "application/json", "application/x-ndjson", "image/svg+xml")
_WORTH_BYTES: Final = 1024
"""Below it an answer fits a packet or so anyway."""
KEPT_WHOLE: Final = "pochboard-whole"
"""A header that marks an answer that is not to be compressed; it is taken off."""


def json_answer(value: object, status: int = 200) -> Response:
    """An answer of JSON."""
    return json_bytes(msgspec.json.encode(value), status)


def json_bytes(body: bytes, status: int = 200) -> Response:
    """An answer of JSON that is encoded already."""
    return Response(body, status, content_type="application/json")


def nothing(status: int = 204) -> Response:
    """An answer without a body."""
    return Response(status=status)


def json_body(request: Request) -> Any:
    """The JSON that was sent. Raises ApiError 415 or 400."""
    if request.mimetype != "application/json":
        raise ApiError(415, "not-json", "Send JSON, with the content type application/json.")
    try:
        return msgspec.json.decode(request.get_data(cache=False))
    except UnicodeDecodeError:
        raise ApiError(400, "bad-json", "This is not JSON: it is not UTF-8 text.") from None
    except msgspec.DecodeError as error:
        raise ApiError(400, "bad-json", f"This is not JSON: {error}.") from None
    except RecursionError:
        raise ApiError(400, "bad-json", "This JSON is nested too deeply.") from None


def json_as(request: Request, kind: type[T]) -> T:
    """The JSON that was sent, as a type. Raises ApiError 415 or 400."""
    try:
        return msgspec.convert(json_body(request), kind)
    except msgspec.ValidationError as error:
        raise ApiError(400, "bad-argument", f"{error}.") from None


def only_empty(request: Request) -> None:
    """For requests that say all in their address. A form of another site would name its type."""
    if request.mimetype not in ("", "application/json"):
        raise ApiError(415, "not-json", "Send no body, or JSON.")


def finish(response: Response, request: Request) -> Response:
    """Compresses text that is worth it, and says how long answers may be kept."""
    if "Cache-Control" not in response.headers:
        response.headers["Cache-Control"] = "no-cache"
    whole = response.headers.pop(KEPT_WHOLE, None)
    if whole or not (response.mimetype or "").startswith(_TEXT):
        return response
    response.vary.add("Accept-Encoding")
    if response.status_code != 200 or "Content-Encoding" in response.headers:
        return response
    body = response.get_data()
    if len(body) >= _WORTH_BYTES and accepts_gzip(request):
        response.set_data(gzip.compress(body, 6, mtime=0))
        response.headers["Content-Encoding"] = "gzip"
    return response


def accepts_gzip(request: Request) -> bool:
    """Whether the client can unpack gzip."""
    return request.accept_encodings["gzip"] > 0
