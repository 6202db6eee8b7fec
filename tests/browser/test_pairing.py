"""Watching is free, changing anything takes a paired phone: pairing as phones see it."""

from __future__ import annotations

import time
from typing import Any, Final

from tests.browser.conftest import OpenWindow
from tests.browser.daemons import LAN_NAME, Daemon
from tests.browser.phone import out_of_reach
from tests.browser.reference import Reference
from tests.browser.test_accessibility import ELSEWHERE, violations
from tests.browser.test_page import small_targets
from tests.browser.window import Window

DAY_S: Final = 24 * 3600
_ASK: Final = """async ([method, path, body]) => {
  const headers = body ? {"Content-Type": "application/json"} : {};
  const answer = await fetch(path, {method, headers, body: body && JSON.stringify(body)});
  return [answer.status, await answer.json().catch(() => null)];
}"""

# Controls, and the buttons of the board that act.
_USABLE: Final = """() => [
  ...[...document.querySelectorAll("[data-command], [data-open], form, #settings")]
    .filter((one) => one.id !== "settings" || one.checkVisibility())
    .map((one) => one.outerHTML.slice(0, 120)),
  ...[...document.querySelectorAll("button[data-button]:enabled")]
    .map((one) => one.dataset.button),
]"""

AFTER_GUARD_MS: Final = 500
"""After this long a tap on a list that has changed counts again."""


def ask(window: Window, method: str, path: str, body: object = None) -> tuple[int, Any]:
    """A request from within the page, with its cookies."""
    status, answer = window.page.evaluate(_ASK, [method, path, body])
    return status, answer


def begun(daemon: Daemon) -> Reference:
    book = Reference()
    players = ["Anna", "Ben", "Clara"]
    daemon.do("start", ruleset="modern", players=players)
    book.do("start", ruleset="modern", players=players)
    return book


def is_paired(window: Window) -> bool:
    return bool(ask(window, "GET", "/api/state")[1]["pairing"]["paired"])


def only_watches(window: Window) -> None:
    """There is no control, and nothing to press but `next`."""
    window.find("#pairing").wait_for()
    window.find("#pairing", has_text="You are watching").wait_for()
    window.wait_until_equal(lambda: _may_be_used(window))


def _may_be_used(window: Window) -> list[str]:
    """What a phone that only watches should not offer."""
    found = window.page.evaluate(_USABLE)
    return [] if found == ["next"] else [f"can be used: {found}"]


def code_on_board(window: Window) -> str:
    """The code as read from the board, once it is there: the white lights of its first rings."""

    def rings() -> list[list[str]]:
        pixels = window.daemon.get("/api/board")["pixels"]
        return [pixels[12 * ring : 12 * ring + 12] for ring in range(5)]

    window.wait_until(
        "a code in white",
        lambda: {pixel for ring in rings() for pixel in ring} == {"#ffffff", "#000000"},
    )
    return "".join(str(ring.count("#ffffff")) for ring in rings())


def pair(window: Window) -> None:
    """Holds `next` on the simulated board and types the code, as the page says."""
    assert window.find("#pair").count() == 0
    with window.holding("next"):
        window.find("#pair:enabled").wait_for()
    window.find("#code").fill(code_on_board(window))
    window.tap("#pair")
    window.find("#more button, form#start").first.wait_for(state="attached")


def test_who_is_not_paired_sees_everything_and_changes_nothing(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    window = open_window(daemon, "phone", host=LAN_NAME, **ELSEWHERE)
    window.wait_until_live()
    only_watches(window)
    book = begun(daemon)
    book.agree(window)
    for command in ("deal", "next"):
        daemon.do(command)
        book.do(command)
        book.agree(window)
    only_watches(window)

    window.watch.expect_refusals(401, 403)
    before = daemon.get("/api/state")
    for method, path, body in (
        ("POST", "/api/commands", {"do": "undo"}),
        ("POST", "/api/board/edge", {"button": "seat1", "down": True}),
        ("POST", "/api/board/press", {"button": "undo", "ms": 50}),
        ("POST", "/api/board/press", {"button": ["next", "undo"], "ms": 50}),
        ("GET", "/api/pairings", None),
        ("DELETE", "/api/pairings/1", None),
    ):
        status, answer = ask(window, method, path, body)
        assert status == 401, f"{method} {path} {body}: {status} {answer}"
        assert set(answer) == {"code", "message"}
    assert ask(window, "POST", "/api/pair")[0] == 403
    assert window.page.context.cookies() == []
    assert daemon.get("/api/state") == before


def test_anybody_may_hold_next_and_one_of_them_is_paired(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    book = begun(daemon)
    first = open_window(daemon, "phone", host=LAN_NAME, **ELSEWHERE)
    second = open_window(daemon, "phone", host=LAN_NAME, **ELSEWHERE)
    for window in (first, second):
        window.wait_until_live()
        only_watches(window)
    pair(first)
    only_watches(second)
    second.find("#pair").wait_for(state="detached")  # the window closed behind the first one
    second.watch.expect_refusals(403)
    assert ask(second, "POST", "/api/pair")[0] == 403

    (cookie,) = first.page.context.cookies()
    assert cookie["httpOnly"]
    assert cookie["sameSite"] == "Strict"
    assert cookie["path"] == "/"
    assert len(cookie["value"]) >= 22, "128 bits take 22 letters"
    assert 89 * DAY_S < cookie["expires"] - time.time() <= 90 * DAY_S
    assert first.page.evaluate("document.cookie") == ""

    first.tap("[data-command=deal]")
    book.do("deal")
    book.agree(first)
    book.agree(second)
    first.press("seat2")
    book.pending = {"seat": 2}
    book.agree(first)
    book.agree(second)


def test_a_wrong_code_is_refused_and_asked_for_again(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    here = open_window(daemon, "desktop")
    phone = open_window(daemon, "phone", host=LAN_NAME, **ELSEWHERE)
    for window in (here, phone):
        window.wait_until_live()
    with phone.holding("next"):
        phone.find("#pair:enabled").wait_for()
    phone.find(
        "#pairing", has_text=("The page on the computer that runs pochboard shows it now")
    ).wait_for()
    code = code_on_board(here)
    # The page on this machine shows the code, the phone's page does not.
    here.find("#shown").wait_for()
    assert here.find("#shown").inner_text().endswith(f" {code}.")
    assert code not in phone.find("body").inner_text()
    phone.watch.expect_refusals(403)
    phone.find("#code").fill("00000")
    phone.tap("#pair")
    phone.wait_until("it is empty again", lambda: phone.find("#code").input_value() == "")
    assert not is_paired(phone)
    phone.find("#toast.shown", has_text="code").wait_for()
    phone.find("#code").fill(" ".join(code))
    phone.find("#code").press("Enter")
    phone.find("form#start").wait_for()
    # It has taken the place of what was wrong before.
    phone.find("#toast.shown:text-is('This phone is paired.')").wait_for()
    here.find("#shown").wait_for(state="hidden")


def test_a_double_tap_pairs_once_and_nothing_contradicts_it(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    phone = open_window(daemon, "phone", host=LAN_NAME, **ELSEWHERE)
    phone.wait_until_live()
    with phone.holding("next"):
        phone.find("#pair:enabled").wait_for()
    phone.find("#code").fill(code_on_board(phone))
    # The second tap comes when the first has been answered, and before the page knows more.
    with phone.page.expect_response("**/api/pair?*"):
        phone.find("#pair").evaluate(
            """button => {
              const toast = document.querySelector("#toast");
              new MutationObserver((_, observer) => {
                observer.disconnect();
                button.click();
              }).observe(toast, {childList: true, attributes: true});
              button.click();
              button.click();
            }"""
        )
    phone.find("form#start").wait_for()
    assert phone.find("#toast.shown").inner_text() == "This phone is paired."
    sent = [request for request in phone.watch.requests if "/api/pair?" in request.url]
    assert len(sent) == 1


def test_a_pairing_outlives_a_restart_and_can_be_revoked_from_another_phone(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    book = begun(daemon)
    second = open_window(daemon, "desktop", host=LAN_NAME, **ELSEWHERE)
    second.wait_until_live()
    pair(second)
    first = open_window(daemon, "phone", host=LAN_NAME, **ELSEWHERE)
    first.wait_until_live()
    pair(first)
    values = [window.page.context.cookies()[0]["value"] for window in (first, second)]
    assert values[0] != values[1]

    first.watch.expect_outages()
    with first.reconnecting(), second.reconnecting():
        daemon.kill()
        daemon.start()
    for window in (first, second):
        window.page.reload()
        window.wait_until_live()
        assert is_paired(window)
    first.tap("[data-command=deal]")
    book.do("deal")
    book.agree(second)

    first.watch.expect_refusals(401)
    first.tap("#settings")
    rows = first.find("#drawer [data-pairing]")
    rows.first.wait_for()
    mine = first.find("#drawer [data-pairing]", has_text="this phone")
    assert (rows.count(), mine.count()) == (2, 1)
    other = first.find("#drawer [data-pairing]", has_not_text="this phone")
    other.locator("[data-ask-revoke]").tap()
    # If that fails, it is said where it can be seen: an open dialog covers the bar.
    first.watch.expect_outages()
    first.page.route("**/api/pairings/*?*", lambda route: route.abort())
    other.locator("[data-revoke]").tap()
    first.find("#drawer .message", has_text="did not answer").wait_for()
    assert not out_of_reach(first, "#drawer .message")
    assert rows.count() == 2
    first.page.unroute("**/api/pairings/*?*")
    first.page.wait_for_timeout(AFTER_GUARD_MS)
    other.locator("[data-ask-revoke]").tap()
    other.locator("[data-revoke]").evaluate("button => { button.click(); button.click(); }")
    first.wait_until("one row", lambda: rows.count() == 1)
    first.page.wait_for_timeout(AFTER_GUARD_MS)
    assert mine.count() == 1
    only_watches(second)
    assert ask(second, "POST", "/api/commands", {"do": "undo"})[0] == 401
    book.agree(second)

    # Its own pairing, too: the page starts again and watches.
    with first.page.expect_navigation():
        mine.locator("[data-ask-revoke]").tap()
        mine.locator("[data-revoke]").tap()
    first.wait_until_live()
    only_watches(first)
    assert first.page.context.cookies() == []
    book.agree(first)


def test_the_page_leads_to_the_pair_button(daemon: Daemon, open_window: OpenWindow) -> None:
    begun(daemon)
    size = {"width": 360, "height": 640}
    phone = open_window(daemon, "phone", host=LAN_NAME, viewport=size, **ELSEWHERE)
    phone.wait_until_live()
    phone.find("svg.where-next").wait_for()
    assert phone.find("#pairing h3").inner_text() == "You are watching"
    assert not out_of_reach(phone, "svg.where-next")
    # What is off says why.
    phone.tap("[data-view=board]")
    phone.find(".board-frame").tap(position={"x": 100, "y": 100})
    phone.find("#toast.shown", has_text="only a paired phone can play").wait_for()
    with phone.holding("next"):
        phone.find("#pair:enabled").wait_for()
    phone.find("#code:focus").wait_for()
    assert not out_of_reach(phone, "#code", "#pair")
    phone.page.keyboard.type(code_on_board(phone))
    phone.page.keyboard.press("Enter")
    phone.find("[data-command=deal]").wait_for()


def test_phones_can_be_named_and_the_address_handed_on(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    phone = open_window(daemon, "phone", host=LAN_NAME, **ELSEWHERE)
    phone.wait_until_live()
    pair(phone)
    phone.tap("#settings")
    name = phone.find("#drawer [name=label]")
    name.fill("Anna’s phone")
    phone.tap("[data-rename]")
    phone.find("#drawer [name=label][aria-label='Name of Anna’s phone']").wait_for()
    assert name.input_value() == "Anna’s phone"
    assert daemon.get("/api/pairings")[0]["label"] == "Anna’s phone"
    assert phone.find("#drawer p a:not(.plain)").inner_text() == daemon.url("/", LAN_NAME)
    assert phone.find("svg.qr path").get_attribute("d")
    phone.tap("#drawer .main")
    # Where the machine has opened its own Wi-Fi, that comes first.
    reach = ask(phone, "GET", "/api/reach")[1]
    reach["wifi"] = {"name": "Poch", "password": "geheim12", "qr": reach["qr"]}
    phone.page.route("**/api/reach?*", lambda route: route.fulfill(json=reach))
    phone.tap("#settings")
    codes = phone.find("#drawer svg.qr")
    codes.nth(1).wait_for()
    assert [code.get_attribute("aria-label") for code in codes.all()] == [
        "QR code of the Wi-Fi Poch", f"QR code of {daemon.url('/', LAN_NAME)}",
    ]  # fmt: skip
    assert phone.find("#drawer dd").all_inner_texts() == ["Poch", "geheim12"]
    assert not violations(phone)
    assert not small_targets(phone)


def test_revoking_a_phone_asks_first(daemon: Daemon, open_window: OpenWindow) -> None:
    phone = open_window(daemon, "phone", host=LAN_NAME, **ELSEWHERE)
    phone.wait_until_live()
    pair(phone)
    phone.tap("#settings")
    phone.find("#drawer [data-ask-revoke]").dblclick()
    phone.find("#drawer .sheet", has_text="Until it is paired again, it can only watch.").wait_for()
    assert not violations(phone)
    assert not small_targets(phone)
    phone.tap("#drawer [data-keep]")
    phone.find("#drawer .sheet").wait_for(state="detached")
    phone.page.reload()
    phone.wait_until_live()
    assert is_paired(phone)
