"""A phone that plays: taps on what is on its screen, counted, for every command."""

from __future__ import annotations

from typing import Any, Final

from pochboard.rules.commands import (
    AnyCommand,
    Claim,
    Deal,
    Next,
    Out,
    Pass,
    Settle,
    Showdown,
    Stake,
    Turn,
)
from tests.browser.window import Window

DOUBLE_TAP_MS: Final = 450
"""After this long a second tap on a number counts for the next seat."""

# The controls that are not wholly on the screen, or under something else.
_OUT_OF_REACH: Final = """(selectors) => selectors.flatMap((selector) => {
  const found = [...document.querySelectorAll(selector)];
  if (!found.length) return [`no ${selector}`];
  return found.filter((one) => {
    const {left, right, top, bottom} = one.getBoundingClientRect();
    const on = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return top < 0 || left < 0 || bottom > innerHeight || right > innerWidth || !one.contains(on);
  }).map((one) => one.outerHTML.slice(0, 160));
})"""


def out_of_reach(window: Window, *selectors: str) -> list[str]:
    """What of these is not wholly on the screen without scrolling."""
    found: list[str] = window.page.evaluate(_OUT_OF_REACH, list(selectors))
    return found


class Phone:
    """Counts its taps, and taps only what is on the screen."""

    def __init__(self, window: Window) -> None:
        self.window = window
        self.taps = 0
        self.owner: int | None = None
        """The seat of the person whose phone it is."""

    def tap(self, selector: str) -> None:
        """Taps something visible without scrolling, once a tap counts again after a change."""
        self.wait_until_on(selector)
        self._wait_until_in_reach(selector)
        self._tap(selector)

    def wait_until_on(self, selector: str) -> None:
        """Waits until a control acts: in the first moments after a change none does."""
        part = self.window.find(selector)
        part.wait_for(state="attached")
        self.window.wait_until(f"{selector} acts", lambda: not part.get_attribute("aria-disabled"))

    def _wait_until_in_reach(self, *either: str) -> None:
        """Waits until one of these is wholly on the screen.

        The bar may still grow with the state that was just published.
        """

        def away() -> list[str]:
            found = [out_of_reach(self.window, selector) for selector in either]
            return [f"not on the screen: {found}"] if all(found) else []

        self.window.wait_until_equal(away)

    def is_pressed(self, selector: str) -> bool:
        """Whether a choice is made already."""
        return self.window.find(selector).get_attribute("aria-pressed") == "true"

    def belong_to(self, seat: int) -> None:
        """The phone of the person at this seat, from now on."""
        self.window.tap("#me")
        self.tap(f"#who [data-owner='{seat}']")
        self.window.find("#who").wait_for(state="hidden")
        self.owner = seat

    def carry_out(self, command: AnyCommand) -> int:
        """Sends a command; returns the number of taps it took. Typing is not counted."""
        self.taps = 0
        for selector in self.selectors_of(command):
            self.tap(selector)
        return self.taps

    def selectors_of(self, command: AnyCommand) -> list[str]:
        """Taps everything that a command needs except its last control, which is returned."""
        name = type(command).__name__.lower()
        match command:
            case Turn(card):
                return [f"[data-command=turn][data-card={card}]"]
            case Claim(seat, pool):
                self._reach_pools(seat)
                return [f"[data-command=claim][data-pool={pool}]"]
            case Stake(_, chips):
                self._reach("[data-command=stake]")
                self._count_out(chips)
            case Showdown(ranking):
                self._reach("[data-tie]")
                return [self._rank(ranking)]
            case Out(seat):
                return [self._played(name, seat)]
            case Settle(cards):
                return [self._count_cards(cards)]
            case Deal() | Next() | Pass():
                self._reach(f"[data-command={name}]")
            case _:
                raise AssertionError(f"nobody taps {command}")
        return [f"[data-command={name}]"]

    def _tap(self, selector: str) -> None:
        self.window.tap(selector)
        self.taps += 1

    def _reach(self, selector: str) -> None:
        """Opens what is for others on somebody's phone, or leaves it, if a control is not there."""
        self.window.find(f":is({selector}, [data-others], [data-own])").first.wait_for()
        if not self.window.find(selector).count():
            self.tap(":is([data-others], [data-own])")

    def _reach_pools(self, seat: int) -> None:
        """What this seat may claim; for somebody else on an owner's phone one tap further away."""
        if seat == self.owner:
            self._reach(".claims [data-command=claim]")
            if self.window.find("[data-own]").count():
                self.tap("[data-own]")
            return
        self._reach(f"#plates [data-seat='{seat}']")
        self._choose(f"#plates [data-seat='{seat}']")

    def _played(self, name: str, seat: int) -> str:
        """Who has played the last card; where a run ends too, the name comes first."""
        control = f"[data-command={name}][data-seat='{seat}']"
        self.window.find(f":is({control}, #plates [data-seat], [data-others])").first.wait_for()
        if not self.window.find(control).count():
            plate = f"#plates [data-seat='{seat}']"
            self._reach(plate)
            if not self.window.find(control).count():
                self._choose(plate)
        return control

    def _choose(self, selector: str) -> None:
        if not self.is_pressed(selector):
            self.tap(selector)

    def _count_out(self, chips: int) -> None:
        """Brings the number of chips on the button to this, in as few taps as a person needs."""
        shown = self.window.find("#stake-chips")
        shown.wait_for(state="attached")
        direct = self.window.find(".stepper [data-chips]")
        offered = direct.evaluate_all("all => all.map((one) => Number(one.dataset.chips))")
        now = int(shown.text_content() or "")
        if chips == now:
            return
        if chips in offered:
            self.tap(f".stepper [data-chips='{chips}']")
        elif abs(chips - now) == 1:
            self.tap(f"[data-step='{chips - now}']")
        else:
            self.tap(".stepper .typed")
            self.window.page.keyboard.type(str(chips))
        self.window.find("#stake-chips", has_text=str(chips)).wait_for(state="attached")

    def _rank(self, ranking: list[Any]) -> str:
        for tied in ranking:
            for number, seat in enumerate(tied if isinstance(tied, list) else [tied]):
                if number:
                    self.tap("[data-tie]")
                self.tap(f"#plates [data-seat='{seat}']")
        nobody = "[data-nobody]" if not ranking else ":not([data-nobody])"
        return f"[data-command=showdown]{nobody}"

    def _count_cards(self, cards: Any) -> str:
        """Enters all counts but the last, which settles the deal."""
        last = ""
        for seat, held in cards.items():
            if last:
                self.tap(last)
                self.window.page.wait_for_timeout(DOUBLE_TAP_MS)
            # The owner's phone asks only for the owner's cards.
            if seat != self.owner:
                self._reach(f"#plates [data-seat='{seat}']")
                self._choose(f"#plates [data-seat='{seat}']")
            last = f"[data-number='{held}']"
            if self.window.find(last).count() == 0:
                self.tap("[data-more]")
        return last
