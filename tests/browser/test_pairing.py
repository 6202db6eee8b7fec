"""Watching is free, changing anything takes a paired phone: pairing as phones see it."""

from __future__ import annotations

from typing import Final

from playwright.sync_api import Dialog

from tests.browser.conftest import OpenWindow
from tests.browser.daemons import LAN_NAME, Daemon
from tests.browser.phone import out_of_reach
from tests.browser.reference import Reference
from tests.browser.test_accessibility import ELSEWHERE, violations
from tests.browser.test_page import small_targets
from tests.browser.window import Window

# Controls, and the buttons of the board that act.
_USABLE: Final = """() => [
  ...[...document.querySelectorAll("[data-command], [data-open], form, #settings")]
    .filter((one) => one.id !== "settings" || one.checkVisibility())
    .map((one) => one.outerHTML.slice(0, 120)),
  ...[...document.querySelectorAll("button[data-button]:enabled")]
    .map((one) => one.dataset.button),
]"""


def begun(daemon: Daemon) -> Reference:
    book = Reference()
    players = ["Anna", "Ben", "Clara"]
    daemon.do("start", ruleset="modern", players=players)
    book.do("start", ruleset="modern", players=players)
    return book


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


def test_a_wrong_code_is_refused_and_asked_for_again(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    here = open_window(daemon, "desktop")
    phone = open_window(daemon, "phone", host=LAN_NAME, **ELSEWHERE)
    for window in (here, phone):
        window.wait_until_live()
    with phone.holding("next"):
        phone.find("#pair:enabled").wait_for()
    phone.find("#pairing", has_text="shown by the page on the computer").wait_for()
    code = code_on_board(here)
    # The page on this machine shows the code, the phone's page does not.
    here.find("#shown").wait_for()
    assert here.find("#shown").inner_text().endswith(f" {code}.")
    assert code not in phone.find("body").inner_text()
    phone.watch.expect_refusals(403)
    phone.find("#code").fill("00000")
    phone.tap("#pair")
    phone.wait_until("it is empty again", lambda: phone.find("#code").input_value() == "")
    assert phone.find("#pair").is_visible()
    phone.find("#toast.shown", has_text="code").wait_for()
    phone.find("#code").fill(" ".join(code))
    phone.find("#code").press("Enter")
    phone.find("form#start").wait_for()
    # It has taken the place of what was wrong before.
    phone.find("#toast.shown:text-is('This phone is paired.')").wait_for()
    here.find("#shown").wait_for(state="hidden")


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
    reach = phone.page.evaluate("fetch('/api/reach').then((answer) => answer.json())")
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
    phone.find("#drawer [data-revoke]").wait_for()
    assert not violations(phone)
    assert not small_targets(phone)
    asked: list[str] = []

    def refuse(dialog: Dialog) -> None:
        asked.append(dialog.message)
        dialog.dismiss()

    phone.page.once("dialog", refuse)
    phone.tap("#drawer [data-revoke]")
    assert asked[0].endswith("Until it is paired again, it can only watch.")
    phone.page.reload()
    phone.wait_until_live()
    phone.watch.expect_refusals(401)
    phone.tap("#settings")
    # The page starts again, and watches.
    phone.page.once("dialog", lambda dialog: dialog.accept())
    with phone.page.expect_navigation():
        phone.find("#drawer [data-revoke]").tap()
    phone.wait_until_live()
    only_watches(phone)
