"""What another site makes a browser ask for on its own machine, where it needs no pairing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tests.browser.conftest import OpenWindow
from tests.browser.daemons import LAN_NAME, Daemon
from tests.outside.nginx import nginx

if TYPE_CHECKING:
    from tests.browser.window import Window

PAGE: Final = """
<img src="{0}/api/backup"><script src="{0}/api/nights"></script><iframe src="{0}/"></iframe>
<link rel=stylesheet href="{0}/static/base.css"><iframe src="{0}/api/backup"></iframe>
<form action="{0}/api/backup"></form><a id=backup href="{0}/api/backup">x</a>
<a id=table href="{0}/">x</a>
<script>fetch("{0}/api/backup", {{mode: "no-cors", credentials: "include"}}).catch(() => 0)</script>
"""


def count_answers(window: Window) -> Callable[[], Counter[tuple[str, int]]]:
    """How often the daemon answers an address with a status, even where the page is not told."""
    urls, statuses = dict[str, str](), list[tuple[str, int]]()

    def sent(event: dict[str, Any]) -> None:
        urls[event["requestId"]] = event["request"]["url"]

    def answered(event: dict[str, Any]) -> None:
        statuses.append((event["requestId"], event["statusCode"]))

    def counted() -> Counter[tuple[str, int]]:
        # The two events of a request come in any order.
        answers = Counter((urls.get(request, ""), status) for request, status in statuses)
        own = window.daemon.url("/")
        return Counter({key: often for key, often in answers.items() if key[0].startswith(own)})

    window.devtools.on("Network.requestWillBeSent", sent)
    window.devtools.on("Network.responseReceivedExtraInfo", answered)
    window.devtools.send("Network.enable")
    return counted


def test_a_page_elsewhere_gets_nothing_but_a_link_to_the_table(
    make_daemon: Callable[..., Daemon], open_window: OpenWindow, tmp_path: Path
) -> None:
    daemon = make_daemon()
    assert daemon.get("/api/state")["pairing"]["paired"], "a backup can be made from here"
    html = PAGE.format(daemon.url("").removesuffix("/")).replace("\n", " ")
    with nginx(tmp_path / "nginx", "/", f"default_type text/html; return 200 '{html}';") as port:
        window = open_window(daemon, path=None)
        window.watch.expect(".")  # what is refused is reported
        answers = count_answers(window)
        window.page.goto(f"http://{LAN_NAME}:{port}/")
        wanted = {("/api/backup", 403): 3, ("/api/nights", 403): 1}
        # It sees neither the page, which cannot be framed, nor its files, whose address it lacks.
        wanted |= {("/", 200): 1, ("/static/base.css", 404): 1}
        window.wait_until(
            "the refusal of all that it asks for",
            lambda: answers() == {(daemon.url(path), is_): n for (path, is_), n in wanted.items()},
        )
        for followed in ("document.forms[0].submit()", "document.all.backup.click()"):
            window.page.goto(f"http://{LAN_NAME}:{port}/")
            with window.page.expect_navigation() as backup:
                window.page.evaluate(f"setTimeout(() => {followed})")
            assert backup.value.url.startswith(daemon.url("/api/backup"))
            assert backup.value.status == 403
        window.page.goto(f"http://{LAN_NAME}:{port}/")
        window.page.evaluate("setTimeout(() => document.all.table.click())")
        window.page.wait_for_url(daemon.url("/"))
        window.wait_until_live()
