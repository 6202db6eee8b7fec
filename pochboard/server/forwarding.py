"""How a request reached the daemon: directly, or through a proxy that may have changed it."""

from __future__ import annotations

import msgspec
from flask import request


class Arrival(msgspec.Struct, frozen=True):
    """What is known about the way of a request."""

    root: str
    """From the address of the request to that of the table, such as `./` or `../`.

    Pages link relatively to it. So they also work below a path that a proxy removes.
    """


def arrival_of(raw_path: str) -> Arrival:
    """The way of a request for a path, which is as the client sent it."""
    return Arrival("../" * (raw_path.count("/") - 1) or "./")


def current_arrival() -> Arrival:
    """The way of the current request of Flask."""
    arrival = request.environ["asgi.scope"]["state"]["arrival"]
    assert isinstance(arrival, Arrival), "the middleware sets it"
    return arrival
