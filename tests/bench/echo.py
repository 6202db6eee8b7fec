"""The least time that Flask, a2wsgi and uvicorn take for a request.

`python -m tests.bench.echo PORT` answers a page at `/`, and returns the JSON that is posted there.
The packages are the project's own, so that both run the same versions.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from a2wsgi import WSGIMiddleware
from flask import Flask, Response, jsonify, request

from tests.bench.process import ENVIRONMENT, free_port, until_answered


def make() -> Flask:
    """The application."""
    app = Flask("echo")

    @app.get("/")
    def page() -> str:
        return "<!doctype html><title>Echo</title>"

    @app.post("/")
    def echo() -> Response:
        return jsonify(request.get_json())

    return app


@contextmanager
def echo_server() -> Iterator[tuple[int, int, float]]:
    """Such a server as a process: its port, its pid, and the seconds until its first page."""
    port = free_port()
    begun = time.perf_counter()
    words = (sys.executable, "-m", "tests.bench.echo", str(port))
    process = subprocess.Popen(words, env=ENVIRONMENT)
    try:
        until_answered(port, "/")
        yield port, process.pid, time.perf_counter() - begun
    finally:
        process.terminate()
        process.wait(20)


def main() -> None:
    """Serves until the process is ended."""
    # As the daemon sets uvicorn up, and with as many threads as it has for requests that write.
    uvicorn.run(
        WSGIMiddleware(make(), workers=32),  # type: ignore[arg-type]  # uvicorn's type names its own
        port=int(sys.argv[1]),
        http="h11",
        ws="none",
        lifespan="off",
        log_level="error",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
    )


if __name__ == "__main__":
    main()
