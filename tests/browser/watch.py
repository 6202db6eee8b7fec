"""Listens for everything that goes wrong in a page: a test that did not expect it fails."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import ConsoleMessage, Error, Page, Request, Response


class Watch:
    """The complaints of pages, and which of them were expected."""

    def __init__(self) -> None:
        self._heard: list[str] = []
        self._expected: list[re.Pattern[str]] = []
        self._over = False
        self.requests: list[Request] = []

    def follow(self, page: Page) -> None:
        """Listens to a page from now on."""
        page.on("console", self._console)
        page.on("pageerror", self._error)
        page.on("requestfailed", self._failed)
        page.on("response", self._response)
        page.on("request", self._request)

    def expect(self, *patterns: str) -> None:
        """The test provokes complaints that match; they do not count."""
        self._expected += [re.compile(pattern) for pattern in patterns]

    def expect_refusals(self, *statuses: int) -> None:
        """The test provokes answers with these statuses, which browsers report twice."""
        for status in statuses:
            self.expect(rf"^status {status} ", rf"^console: .*the server responded with .*{status}")

    def expect_outages(self) -> None:
        """The daemon goes away in the middle of this test: requests get no answer."""
        self.expect(r"^failed ", r"^console: Failed to load resource: net::ERR_")

    def close(self) -> None:
        """Ignores what happens while pages are being closed."""
        self._over = True

    @property
    def complaints(self) -> list[str]:
        """The complaints that were not expected."""
        return [
            said
            for said in self._heard
            if not any(pattern.search(said) for pattern in self._expected)
        ]

    def _hear(self, said: str) -> None:
        if not self._over:
            self._heard.append(said)

    def _request(self, request: Request) -> None:
        self.requests.append(request)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self._hear(f"console: {message.text} ({message.location['url']})")

    def _error(self, error: Error) -> None:
        self._hear(f"error: {error.stack or error.message}")

    def _failed(self, request: Request) -> None:
        # A page that is left cancels its pending requests, and so does one that asks for a new
        # stream.
        if request.method in ("GET", "HEAD") and request.failure == "net::ERR_ABORTED":
            return
        self._hear(f"failed {request.method} {request.url}: {request.failure}")

    def _response(self, response: Response) -> None:
        method, url = response.request.method, response.url
        if response.status >= 400:
            self._hear(f"status {response.status} {method} {url}")
