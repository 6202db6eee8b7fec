"""The next press on the way to a command: the command is recorded whatever was pending."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec
import pytest

from pochboard.bots.betting import DEFAULT_STRATEGIES, Strategy
from pochboard.bots.bot_table import NEXT, AwaitPerson, BotTable, next_press
from pochboard.buttons.press import BUTTONS
from pochboard.lights.lights_config import LightsConfig
from pochboard.lights.render import Scene, render
from pochboard.rules.accounts import POOLS
from pochboard.rules.commands import AnyCommand, Command
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.state import IN_A_DEAL
from pochboard.sheets import Sheet, SheetPlayer, run_sheet, write_sheet
from tests.core.panel_driver import PanelDriver, started
from tests.core.play import resolve
from tests.count_reader import read_counts

MOST_PRESSES = 60
"""No command takes this many: a long press puts in a whole stack, and hands are small."""


def strategies(count: int) -> dict[int, Strategy]:
    return {
        seat: DEFAULT_STRATEGIES[(seat - 1) % len(DEFAULT_STRATEGIES)]
        for seat in range(1, count + 1)
    }


def press_until_recorded(
    driver: PanelDriver, command: AnyCommand, slips_chance: Random | None
) -> None:
    """Makes the presses for a command, with a wrong press before some of them."""
    before = len(driver.commands)
    for _ in range(MOST_PRESSES):
        if slips_chance and slips_chance.random() < 0.3:
            slip(driver, slips_chance)
        if len(driver.commands) != before:
            return
        press = next_press(command, driver.state, driver.panel.pending)
        if press is None:
            fields = msgspec.to_builtins(command)
            driver.phone(fields.pop("do"), **fields)
            return
        if press == NEXT:
            driver.wait(1.1)
        held_s = 2.2 if len(press.buttons) > 1 else 0.9 if press.long else 0.05
        code = driver.hold(press.buttons, held_s)
        if slips_chance is None:
            assert code is None, (command, press, code)
    raise AssertionError(f"never recorded: {command}")


def slip(driver: PanelDriver, slips_chance: Random) -> None:
    """Presses a seat, which usually sends no command."""
    seats = [button for button in BUTTONS if button.startswith("seat")]
    driver.hold(slips_chance.choice(seats), 0.05)


def play_by_presses(
    driver: PanelDriver, table: BotTable, slips_chance: Random | None = None
) -> Iterator[str]:
    """Plays a night by presses, and yields each command after it was recorded."""
    while (action := table.next_action(driver.state)) is not None:
        assert not isinstance(action, AwaitPerson)
        if isinstance(action, Command):
            before = len(driver.commands)
            press_until_recorded(driver, action, slips_chance)
            yield driver.commands[-1]["do"]
            if not same(msgspec.to_builtins(action), driver.commands[before]):
                assert slips_chance, (action, driver.commands[before:])
                continue
        table.carried_out(action)
    assert driver.state.phase == "closed"


@pytest.mark.parametrize("ruleset", shipped_rulesets())
@pytest.mark.parametrize("slips", [False, True], ids=["steady", "slips"])
def test_a_night_of_bots_is_played_by_presses(ruleset: str, slips: bool) -> None:
    seed = f"{ruleset} {slips}"
    driver = started(ruleset, places=(2, 4, 5, 7), options={"deals": 3})
    table = BotTable(strategies(4), seed)
    pressed = set(play_by_presses(driver, table, Random(seed) if slips else None))
    assert {"deal", "turn", "next", "out", "settle"} <= pressed


@pytest.mark.parametrize(
    ("places", "options"),
    [
        ((1, 5), {"hand": "all", "deck": 52}),
        ((2, 4, 7), {"hand": "all", "deck": 36, "trump": "hearts"}),
        ((1, 2, 3, 4, 5, 6), {"hand": 5, "deck": 40, "trump": "spades", "packets": [3, 2]}),
        ((3, 4, 6, 8), {"hand": "all", "stack": 9, "short_seats": "retire", "deals": "open"}),
    ],
    ids=["26 cards each", "hearts", "talon", "retire"],
)
def test_a_night_with_the_rules_of_families_is_played_by_presses_and_lit(
    places: tuple[int, ...], options: dict[str, Any]
) -> None:
    lights = LightsConfig()
    driver = started(places=places, options={"players": [2, 6], "deals": 4, **options})
    table = BotTable(strategies(len(places)), "families")
    fixed = "trump" in options
    held_counts, live, pressed = set[int](), set[int](), set[str]()
    for command in play_by_presses(driver, table):
        state = driver.state
        pressed.add(command)
        frame = render(Scene(state=state), lights, 0)
        chips = [min(state.pool(pool), lights.max_chips) for pool in POOLS]
        assert read_counts(frame, lights) == tuple(chips)
        if options["hand"] == "all" or fixed:
            assert not state.blocked
        if fixed and state.phase in IN_A_DEAL:
            assert state.trump == options["trump"][0].upper()
        if command == "settle":
            held_counts.update(driver.commands[-1]["cards"].values())
        live.add(len(state.live))
    (played,) = driver.player.nights
    sheet = "".join(write_sheet(played.entries, played.state, "families"))
    assert run_sheet(Sheet(sheet.encode()), SheetPlayer(resolve())) is None
    assert ("turn" in pressed) != fixed
    assert {"deal", "claim", "next", "out", "settle"} <= pressed
    assert len(held_counts) > 1
    assert (len(live) > 1) == ("short_seats" in options)


def same(meant: dict[str, Any], recorded: dict[str, Any]) -> bool:
    """Whether this is the command that was meant; a showdown is sent once all pots are decided."""
    if meant["do"] == recorded["do"] == "showdown":
        return bool(meant["ranking"][: len(recorded["ranking"])] == recorded["ranking"])
    return meant == recorded
