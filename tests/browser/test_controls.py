"""Every command has a control on the page: a night without a button pressed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pochboard.rules.commands import COMMANDS
from tests.browser.conftest import OpenWindow
from tests.browser.daemons import LAN_NAME, Daemon
from tests.browser.phone import out_of_reach
from tests.browser.reference import Reference
from tests.browser.stages import reach
from tests.browser.window import Window
from tests.not_empty import not_empty

SMALLEST: Final = {"width": 360, "height": 640}
OPTIONS: Final = {"bluff_penalty": 1, "deals": "open", "leftover": "split", "all_in": False}


class Table:
    """Taps on controls, and compares the result with the book."""

    def __init__(self, window: Window) -> None:
        self.window = window
        self.book = Reference()
        self.used: set[str] = set()

    def tap(self, *selectors: str) -> None:
        for selector in selectors:
            self.window.tap(selector)

    def choose(self, selector: str, value: str) -> None:
        self.window.find(selector).select_option(value)

    def write(self, selector: str, text: str) -> None:
        self.window.find(selector).fill(text)

    def recorded(self, name: str, /, **fields: Any) -> None:
        """The taps before this one ought to be this command."""
        self.book.do(name, **fields)
        self.used.add(name)
        try:
            self.book.agree(self.window)
        except AssertionError as error:
            raise AssertionError(f"{name} {fields}: {error}") from None

    def form(self, command: str, **fields: str) -> None:
        """Opens a form, fills it in and sends it."""
        form = self.window.find(f"form[data-form={command}]")
        if not form.is_visible():
            self.tap(f"[data-open={command}]")
        for field, value in fields.items():
            part = form.locator(f"[name={field}]")
            if part.evaluate("part => part.localName") == "select":
                part.select_option(value)
            else:
                part.fill(value)
        self.tap(f"#drawer [data-command={command}]")

    def tap_dead(self, selector: str) -> None:
        """Taps a control that is off."""
        self.window.wait_until_controls_act()
        part = self.window.find(selector)
        self.window.wait_until(f"{selector} is off", part.is_disabled)
        if self.window.touch:
            part.tap(force=True)
        else:
            part.click(force=True)

    def close(self) -> None:
        """Leaves a form without sending it."""
        self.tap("#drawer [data-cancel]")
        self.window.find("#drawer").wait_for(state="hidden")

    def told(self, said: str) -> None:
        """The page says this for a moment."""
        toast = self.window.find("#toast.shown")
        self.window.wait_until(said, lambda: said in (toast.text_content() or "").lower())

    def error(self, command: str, said: str) -> None:
        """The command was refused, and the reason is shown beside the control."""
        self.window.find(f'[data-error="{command}"]', has_text=said).wait_for()


def fill_in_the_lobby(table: Table) -> int:
    """Three players, rules of the house, and a lot; returns the seat it fell on."""
    window = table.window
    names = window.find("#start [name=player]")
    for number, name in enumerate(("Anna", "Ben", "Clara")):
        names.nth(number).fill(name)
    table.tap("#add")
    names.nth(3).fill("Nobody")
    table.tap('#start [aria-label="Remove Nobody"]')
    window.wait_until("the line is gone", lambda: names.count() == 3)
    places = window.find("#start [name=place]")
    assert [place.input_value() for place in places.all()] == ["1", "2", "3"]
    places.nth(2).select_option("7")
    window.find("#start [data-place='7']").wait_for()
    table.tap("#draw")
    said = window.find(".first-dealer span")
    window.wait_until("the lot", lambda: (said.text_content() or "").endswith(" deals first."))
    table.choose("[name=ruleset]", "thirty-one")
    table.write("[name=stack]", "60")
    table.tap(".house summary", "[data-all]")
    window.find('[name="option-bluff_penalty"]').fill("1")
    window.find('[name="option-bluff_penalty"]').blur()
    table.choose('[name="option-deals"]', "open")
    table.choose('[name="option-leftover"]', "split")
    table.tap('[name="option-all_in"]')
    assert "(4 changed)" in (window.find(".house summary").text_content() or "")
    dealer = (said.text_content() or "").split()[0]
    return ["Anna", "Ben", "Clara"].index(dealer) + 1


def count_again(table: Table, account: str, counted: str, against: str = "bank") -> None:
    """Taps what was counted, and enters the chips that lie there."""
    table.tap("[data-open=adjust]", f"#drawer [data-account='{account}']")
    field = table.window.find("#drawer [name=counted]")
    field.and_(table.window.find(":focus")).wait_for()
    table.choose("#drawer [name=against]", against)
    field.fill(counted)


def between_deals(table: Table) -> None:
    table.form("rename", seat="2", name="Benjamin")
    table.recorded("rename", seat=2, name="Benjamin")
    table.form("join", name="Dora", place="5")
    table.recorded("join", name="Dora", place=5)
    table.form("rebuy", seat="3", chips="15")
    table.recorded("rebuy", seat=3, chips=15)
    count_again(table, "pool:poch", "6", against="seat:4")
    says = "Recount: 6 chips from Dora to Poch (recount of Poch: 6 instead of 0)."
    table.window.find("#count-says", has_text=says).wait_for()
    table.tap("#drawer [data-command=adjust]")
    reason = "recount of Poch: 6 instead of 0"
    table.recorded("adjust", **{"from": "seat:4", "to": "pool:poch", "chips": 6, "reason": reason})
    table.form("sit_out", seat="4")
    table.recorded("sit_out", seat=4)
    table.window.find("#seat-4 .word", has_text="sits out").wait_for()
    table.form("sit_in", seat="4")
    table.recorded("sit_in", seat=4)
    table.form("dealer", seat="3")
    table.recorded("dealer", seat=3)
    table.tap("[data-command=undo]")
    table.recorded("undo")
    table.tap("[data-command=redo]")
    table.recorded("redo")


def meld(table: Table) -> None:
    table.tap("[data-command=deal]")
    table.recorded("deal")
    # The card comes first, unless somebody says otherwise.
    table.tap("[data-turn=later]")
    table.window.find("[data-command=claim]").first.wait_for()
    table.tap("#trump button", "#controls [data-card=H]")
    table.recorded("turn", card="H")
    table.tap("#trump button", "#controls [data-card=JH]")
    table.recorded("turn", card="JH")
    table.window.find("#trump [data-suit=H]", has_text="Trumps").wait_for()
    jack = table.window.find("[data-command=claim][data-pool=jack][data-dead]")
    jack.wait_for()
    # What is off says why.
    table.window.wait_until_controls_act()
    table.tap("[data-command=claim][data-pool=king]")
    table.told("tap first who shows the card")
    table.tap("#plates [data-seat='2']", "[data-command=claim][data-pool=king]")
    table.recorded("claim", seat=2, pool="king")
    # The seat stays chosen for the next pool.
    table.tap("[data-command=claim][data-pool=ace]")
    table.recorded("claim", seat=2, pool="ace")
    # The king has been shown by somebody else, so the marriage is not this seat's.
    table.tap("#plates [data-seat='1']")
    ten = table.window.find("[data-command=claim][data-pool=ten]")
    table.window.wait_until("Ten can be claimed", ten.is_enabled)
    table.tap_dead("[data-command=claim][data-pool=marriage]")
    table.told("benjamin has shown a card")
    assert table.window.find(".error").count() == 0, "it is said once"
    table.tap("[data-command=next]")
    table.recorded("next")


def bet(table: Table) -> None:
    """Everybody puts in three but one, who passes."""

    def chips() -> str | None:
        return table.window.find("#stake-chips").text_content()

    def to_act() -> int:
        seat = table.book.public["to_act"]
        assert isinstance(seat, int)
        return seat

    table.tap("[aria-label='one chip more']", "[aria-label='one chip more']")
    assert chips() == "3"
    table.tap("[aria-label='one chip less']", "[data-command=stake]")
    table.recorded("stake", seat=to_act(), chips=2)
    stack = table.book.public["stacks"][str(to_act())]
    table.write(".stepper .typed", "4")
    assert chips() == "4"
    # A number above the stack becomes the whole stack, and the page says so.
    table.write(".stepper .typed", "9999")
    table.window.find(".stepper .typed").blur()
    assert chips() == table.window.find(".stepper .typed").input_value() == str(stack)
    table.write(".stepper .typed", "٣")
    assert chips() == "3"
    table.tap(f"text=All {stack}")
    assert chips() == str(stack)
    table.write(".stepper .typed", "3")
    table.tap("[data-command=stake]")
    table.recorded("stake", seat=to_act(), chips=3)
    table.tap("[data-command=pass]")
    table.recorded("pass", seat=to_act())
    table.tap("[data-command=stake]")  # what is needed is there at once
    table.recorded("stake", seat=to_act(), chips=3)
    table.tap("[data-command=stake]")
    table.recorded("stake", seat=to_act(), chips=1)


def showdown_with_a_tie(table: Table) -> None:
    seats = table.book.book.state.still_in
    first, second, third = seats
    table.tap(f"#plates [data-seat='{first}']", "[data-tie]")
    table.tap(f"#plates [data-seat='{third}']", f"#plates [data-seat='{second}']")
    names = table.book.book.state
    order = f"1. {names.name_of(first)} = {names.name_of(third)} 2. {names.name_of(second)}"
    told = " ".join((table.window.find(".order").text_content() or "").split())
    assert told == order
    table.tap("[data-command=showdown]:not([data-nobody])")
    table.recorded("showdown", ranking=[[first, third], second])


def count(table: Table, *cards: int) -> None:
    """Enters the cards of one seat after another."""
    for number in cards:
        assert table.window.find("[data-command=settle]").count() == 0
        if not number:
            table.tap("[data-more]")
        table.tap(f"[data-number='{number}']")
        # A double tap counts once, so the page waits a moment between two numbers.
        table.window.page.wait_for_timeout(500)


def shed(table: Table) -> None:
    # Where a run ends too, the name comes first.
    table.tap("#plates [data-seat='4']", "[data-command=go][data-seat='4']")
    table.recorded("go", seat=4)
    table.tap("#plates [data-seat='1']", "[data-command=out][data-seat='1']")
    table.recorded("out", seat=1)
    table.tap("[data-run]", "#plates [data-seat='1']")
    table.recorded("go", seat=1)
    count(table, 3, 0)
    table.tap("#plates [data-seat='2']", "[data-number='2']")
    table.window.find("#seat-2 .word", has_text="2").wait_for()
    table.tap("#plates [data-seat='4']")
    table.window.page.wait_for_timeout(500)
    table.tap("[data-number='1']")
    table.recorded("settle", cards={"2": 2, "3": 0, "4": 1})


def test_a_night_by_the_controls_alone(daemon: Daemon, open_window: OpenWindow) -> None:
    window = open_window(daemon, "phone", host=LAN_NAME)
    window.wait_until_live()
    window.watch.expect_refusals(409)
    table = Table(window)
    dealer = fill_in_the_lobby(table)
    table.tap("[data-command=start]")
    table.recorded(
        "start",
        ruleset="thirty-one",
        players=["Anna", "Ben", "Clara"],
        places=[1, 2, 7],
        dealer=dealer,
        options=OPTIONS,
        stack=60,
    )
    between_deals(table)
    meld(table)
    bet(table)
    showdown_with_a_tie(table)
    shed(table)
    second_deal(table)
    the_end(table)
    assert table.used == set(COMMANDS) - {"banker"}


def test_the_office_of_the_banker_is_passed_on(daemon: Daemon, open_window: OpenWindow) -> None:
    options = {"ante_from": "banker"}
    daemon.do("start", ruleset="modern", players=["Anna", "Ben", "Clara"], options=options)
    window = open_window(daemon, "phone")
    window.wait_until_live()
    table = Table(window)
    legend = window.find("#legend")
    legend.filter(has_text="Anna, the banker").wait_for(state="attached")
    table.form("banker", seat="3")
    legend.filter(has_text="Clara, the banker").wait_for(state="attached")


def end_without_rulesets(window: Window) -> Callable[[], None]:
    """Ends a night, but holds back the rulesets for the next one. The result lets them arrive.

    A table that is opened between nights brings them.
    """

    def let_arrive() -> None:
        window.wait_until("the rulesets are asked for", lambda: held)
        held[0].continue_()
        window.find("#start option[value=modern]").wait_for(state="attached")

    window.daemon.do("start", ruleset="modern", players=["Anna", "Ben", "Clara"])
    window.open()
    window.wait_until_live()
    held = window.hold("**/api/rulesets?*")
    window.daemon.do("end")
    window.tap("[data-otherwise]")
    return let_arrive


def test_names_typed_before_the_rulesets_arrive_stay(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    window = open_window(daemon, "phone", path=None)
    let_rulesets_arrive = end_without_rulesets(window)
    names = window.find("#start [name=player]")
    names.first.fill("Dora")
    let_rulesets_arrive()
    assert names.first.input_value() == "Dora"
    assert window.find(".first-dealer span").text_content() == "Dora deals first."


def second_deal(table: Table) -> None:
    """A misdeal, a deal in which nobody has cards left, and one who goes home."""
    table.tap("[data-command=deal]")
    table.recorded("deal")
    table.tap("[data-open=void]", "#drawer [data-command=void]")
    table.recorded("void")
    table.tap("[data-command=deal]")
    table.recorded("deal")
    table.tap("[data-turn=later]")
    table.tap("[data-command=next]")
    table.recorded("next")
    for _ in range(2):
        seat = table.book.public["to_act"]
        table.tap("[data-command=stake]")
        table.recorded("stake", seat=seat, chips=1)
    while (seat := table.book.public["to_act"]) is not None:
        table.tap("[data-command=pass]")
        table.recorded("pass", seat=seat)
    # Where high cards win, somebody always wins.
    first = table.book.book.state.still_in[0]
    table.tap(f"#plates [data-seat='{first}']")
    assert table.window.find("[data-nobody]").count() == 0
    table.tap("[data-command=showdown]")
    table.recorded("showdown", ranking=[first])
    table.tap("#plates [data-seat='3']", "[data-command=out][data-seat='3']")
    table.recorded("out", seat=3)
    count(table, 0, 0, 0)
    table.recorded("settle", cards={"1": 0, "2": 0, "4": 0})
    table.form("leave", seat="4")
    table.recorded("leave", seat=4)


def the_end(table: Table) -> None:
    table.tap("[data-open=end]", "#drawer [data-command=end]")
    table.recorded("end")
    standings = table.window.seen()["standings"]
    names = table.book.book.state.name_of
    due = [[names(seat), str(stack)] for seat, stack, _ in table.book.public["standings"]]
    assert [row[:2] for row in standings] == due
    table.tap("#back [data-command=undo]")
    table.recorded("undo")
    table.tap("[data-command=redo]")
    table.recorded("redo")
    # The next night is set up like the last one, for those who are still there.
    window = table.window
    window.tap("[data-otherwise]")
    window.find(".house summary", has_text="(4 changed)").wait_for()
    names_now = window.find("#start [name=player]")
    assert [name.input_value() for name in names_now.all()] == ["Anna", "Benjamin", "Clara"]
    assert window.find("[name=ruleset]").input_value() == "thirty-one"
    assert window.find("[name=stack]").input_value() == "60"
    table.tap("[data-command=start]")
    table.recorded(
        "start",
        ruleset="thirty-one",
        players=["Anna", "Benjamin", "Clara"],
        places=[1, 2, 7],
        dealer=1,
        options=OPTIONS,
        stack=60,
    )


# Whether the part that has the focus is on the screen, and nothing is over it.
_FOCUS_IS_SEEN: Final = """() => {
  const {left, right, top, bottom} = document.activeElement.getBoundingClientRect();
  return document.activeElement === document.elementFromPoint(
    (left + right) / 2, (top + bottom) / 2);
}"""


def test_the_button_that_begins_a_night_leads_to_the_name_that_is_missing(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    window = open_window(daemon, "phone", viewport=SMALLEST)
    window.wait_until_live()
    names = window.find("#start [name=player]")
    for number, name in enumerate(("Anna", "Ben")):
        window.tap("[data-command=start]")
        names.nth(number).and_(window.find(":focus")).wait_for()
        window.wait_until("its sight", lambda: window.page.evaluate(_FOCUS_IS_SEEN))
        window.page.keyboard.type(name)
    window.tap("[data-command=start]")
    window.find("#phase[data-phase=idle]").wait_for()
    state = daemon.get("/api/state")
    assert list(state["names"].values()) == ["Anna", "Ben"]
    assert daemon.get(f"/api/nights/{state['night']}/json")["ruleset"] == "family"


def test_names_of_earlier_nights_are_tapped(daemon: Daemon, open_window: OpenWindow) -> None:
    daemon.do("start", ruleset="modern", players=["Anna", "Ben", "Clara", "Dora"])
    for seat in (1, 2):
        daemon.do("leave", seat=seat)
    daemon.do("end")
    window = open_window(daemon, "phone")
    window.tap("[data-otherwise]")
    earlier = window.find("[data-earlier]")
    earlier.first.wait_for()
    assert earlier.all_inner_texts() == ["Anna", "Ben"]
    names = window.find("#start [name=player]")
    for name in ("Ben", "Anna"):
        window.find("[data-earlier]", has_text=name).tap()
    earlier.first.wait_for(state="detached")
    assert [name.input_value() for name in names.all()] == ["Ben", "Anna", "Clara", "Dora"]
    window.find("[name=ruleset] option").first.wait_for(state="attached")
    assert window.find("[name=ruleset]").input_value() == "modern"


def test_what_is_refused_says_why_beside_its_control(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    window = open_window(daemon, "phone", host=LAN_NAME)
    window.wait_until_live()
    window.watch.expect_refusals(400, 409)
    table = Table(window)
    table.tap("[data-command=start]")
    table.error("start", "every player needs a name")
    names = window.find("#start [name=player]")
    for number, name in enumerate(("Anna", "Ben", "Anna")):
        names.nth(number).fill(name)
    table.tap("[data-command=start]")
    table.error("start", "two players are called anna")
    assert window.find("#toast.shown").count() == 0, "it is said once"
    names.nth(2).fill("Clara")
    table.tap("[data-command=start]")
    table.recorded(
        "start", ruleset="family", players=["Anna", "Ben", "Clara"], places=[1, 2, 3], dealer=1
    )
    table.form("rename", seat="2", name="Anna")
    table.error("rename", "anna")
    assert window.find("#toast.shown, dialog .message").count() == 0, "it is said once"
    table.close()
    count_again(table, "seat:1", "999", against="seat:2")
    table.tap("#drawer [data-command=adjust]")
    window.find("#drawer .message", has_text="There are only 50 chips to move.").wait_for()
    assert window.find("#drawer [name=counted]").input_value() == "999", "what was counted stays"
    window.page.keyboard.press("Escape")
    table.book.agree(window)


def test_the_answer_to_a_form_that_was_left_is_no_other_form_s(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    reach(daemon, "idle")
    window = open_window(daemon, "phone", host=LAN_NAME)
    window.wait_until_live()
    window.watch.expect_refusals(400)
    table = Table(window)
    held = window.hold("**/api/commands?*")

    def leave(command: str, **fields: str) -> None:
        """Sends a form, leaves it before the answer, and opens another one."""
        held.clear()
        table.form(command, **fields)
        window.wait_until("the command", lambda: held)
        table.close()
        table.tap("[data-open=join]")
        window.find("#drawer [name=name]").fill("Emil")
        held[0].continue_()

    leave("rename", seat="2", name="Anna")
    window.find("#drawer .message", has_text="Anna").wait_for()
    assert window.find("#drawer .error").count() == 0
    table.close()
    leave("join", name="Frieda", place="2")
    window.wait_for_newest_entry()
    window.wait_until_controls_act()
    assert window.find("#drawer [name=name]").input_value() == "Emil"


def test_forms_open_over_the_table_and_keep_the_focus(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    reach(daemon, "idle")
    window = open_window(daemon, "phone", viewport=SMALLEST, locale="de-DE")
    window.wait_until_live()
    opened: list[str] = []
    for deal in (False, True):
        if deal:
            daemon.do("deal")
            window.find("[data-open=void]").wait_for(state="attached")
        for opener in not_empty(window.find("#more [data-open], #both").all()):
            window.tap("#dots")
            opener.tap()
            sheet = window.find("#drawer[open] [data-sheet]")
            sheet.wait_for()
            opened.append(sheet.get_attribute("data-sheet") or "")
            sends = "#drawer :is([data-command], [data-account])"
            assert not out_of_reach(window, sends, "#drawer [data-cancel]")
            for _ in range(8):
                window.page.keyboard.press("Tab")
                left = "document.activeElement !== document.body"
                left += " && !document.activeElement.closest('#drawer')"
                assert not window.page.evaluate(left)
            window.page.keyboard.press("Escape")
            window.find("#drawer").wait_for(state="hidden")
            window.find("#dots:focus").wait_for()
    assert {"adjust", "rebuy", "join", "end", "void"} <= {*opened}


def test_the_button_says_who_leaves(daemon: Daemon, open_window: OpenWindow) -> None:
    daemon.do("start", ruleset="family", players=["Lena", "Oma Hilde", "Opa Karl"])
    window = open_window(daemon, "phone", locale="de-DE")
    window.tap("[data-open=leave]")
    window.find("#drawer [data-command=leave]", has_text="Lena geht").wait_for()
    window.find("#drawer [name=seat]").select_option("2")
    window.find("#drawer [data-command=leave]", has_text="Oma Hilde geht").tap()
    window.find("#drawer").wait_for(state="hidden")
    assert daemon.get("/api/state")["live"] == [1, 3]


def test_a_stake_of_six_digits_can_be_typed(daemon: Daemon, open_window: OpenWindow) -> None:
    reach(daemon, "meld")
    more = {"from": "bank", "to": "seat:2", "chips": 200_000, "reason": "a new box of chips"}
    daemon.do("adjust", **more)
    daemon.do("next")
    window = open_window(daemon, "phone", host=LAN_NAME)
    field = window.find(".stepper .typed")
    field.wait_for()
    field.tap()
    window.page.keyboard.type("123456")
    window.find("[data-command=stake][data-chips='123456']").wait_for()
    assert field.input_value() == "123456"
