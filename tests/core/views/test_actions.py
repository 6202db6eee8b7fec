"""The controls of every accepted command."""

from __future__ import annotations

import msgspec
import pytest
from msgspec import UNSET

from pochboard.buttons.press import Pending
from pochboard.text.names import COMMANDS
from pochboard.views.actions import (
    Actions,
    StakeAction,
    StakeStep,
)
from tests.core.play import ALL_COMMANDS, Night, melding
from tests.core.views.moments import controls, legal
from tests.not_empty import not_empty


def names(actions: Actions) -> set[str]:
    return set(msgspec.to_builtins(actions))


def stake(night: Night) -> StakeAction:
    action = controls(night).stake
    assert isinstance(action, StakeAction)
    return action


def betting(stacks: dict[int, int] | None = None, **options: object) -> Night:
    night = melding(options=options)
    night.have(stacks or {})
    night.do("next")
    return night


LABELS = {
    "start": "Begin the night",
    "deal": "Deal",
    "turn": "Enter",
    "claim": "Claim",
    "next": "Start the betting",
    "stake": "Put in",
    "pass": "Pass",
    "showdown": "Confirm the order",
    "go": "End of a run",
    "out": "Out of cards",
    "settle": "Settle the deal",
    "void": "Misdeal",
    "rebuy": "Buy in",
    "join": "Join",
    "leave": "Somebody leaves",
    "sit_out": "Sit out",
    "sit_in": "Play again",
    "rename": "Rename",
    "dealer": "Dealer",
    "banker": "Banker",
    "adjust": "Recount",
    "undo": "Undo",
    "redo": "Redo",
    "end": "End the night",
}


def test_every_command_has_a_label_of_its_own() -> None:
    labels = {command: words.label for command, words in COMMANDS.items()}
    assert labels == LABELS
    assert len(set(labels.values())) == len(ALL_COMMANDS), "no two buttons say the same"


WORDS = {
    "idle": {
        "rebuy": {"title": "Who buys in?"},
        "join": {},
        "leave": {
            "title": "Who leaves?",
            "hint": "The chips go back to the bank, and the place is free.",
        },
        "sit_out": {
            "title": "Who sits out?",
            "hint": "The chips and the place stay. No ante is paid until the player is back.",
        },
        "rename": {"title": "Who gets a new name?"},
        "dealer": {"title": "Who deals next?"},
        "adjust": {"hint": "The chips on the table decide. Tap what you have counted."},
        "end": {
            "title": (
                "The night ends, and the chips left in the pools go back to the bank. Are you sure?"
            ),
            "confirm": "Yes, end the night",
        },
    },
    "meld": {
        "turn": {"title": "Card turned up"},
        "void": {
            "title": ("A misdeal undoes this whole deal, including the ante. Are you sure?"),
            "confirm": "Yes, a misdeal",
        },
    },
    "showdown": {
        "showdown": {
            "title": "Best hand first",
            "hint": "Tap the names in the order of their hands.",
        },
    },
    "shed": {"out": {"title": "Who has played the last card?"}},
    "run bonus": {"go": {"title": "Who ended the run?"}},
    "counting": {"settle": {"title": "Cards left in the hand"}},
}


@pytest.mark.parametrize("phase", WORDS)
def test_each_control_says_what_it_asks_for(phase: str) -> None:
    made = msgspec.to_builtins(controls(phases()[phase]))
    for command, words in not_empty(WORDS[phase].items()):
        shown = {key: made[command][key] for key in ("label", *words)}
        assert shown == {"label": LABELS[command], **words}


def phases() -> dict[str, Night]:
    idle, meld, shed, counting, closed = (Night() for _ in range(5))
    bonus = Night("thirty-one")
    meld.do("deal")
    shed.shed()
    bonus.shed()
    counting.shed()
    counting.do("out", seat=1)
    closed.do("end")
    showdown = betting()
    for seat in (2, 3, 1):
        showdown.do("stake", seat=seat, chips=1)
    return {
        "none": Night(None),
        "idle": idle,
        "meld": meld,
        "pochen": betting(),
        "showdown": showdown,
        "shed": shed,
        "run bonus": bonus,
        "counting": counting,
        "closed": closed,
    }


@pytest.mark.parametrize("phase", phases())
def test_exactly_the_accepted_commands_have_controls(phase: str) -> None:
    night = phases()[phase]
    assert names(controls(night)) == set(legal(night).commands)


def test_a_call_and_a_raise() -> None:
    night = betting({3: 9})
    night.do("stake", seat=2, chips=2)
    action = stake(night)
    assert (action.least, action.most) == (2, 9)
    assert action.steps == (
        StakeStep(2, "Stay in with {chips}"),
        StakeStep(3, "Put in {chips}: raise by {more}"),
    )


@pytest.mark.parametrize("raises", ["free", "none", "capped"])
@pytest.mark.parametrize("all_in", [True, False])
@pytest.mark.parametrize("stacks", [{3: 1}, {3: 2}, {3: 3}, {1: 4, 3: 6}, {1: 0, 3: 9}])
def test_the_range_of_stakes_is_what_is_accepted(
    raises: str, all_in: bool, stacks: dict[int, int]
) -> None:
    night = betting(stacks, raises=raises, all_in=all_in)
    for chips in (0, 2):
        if chips and night.would("stake", seat=2, chips=chips):
            night.do("stake", seat=2, chips=chips)
        seat = night["to_act"]
        accepted = [n for n in range(1, 60) if night.would("stake", seat=seat, chips=n)]
        action = controls(night).stake
        if action is UNSET:
            assert accepted == []
        else:
            assert accepted == list(range(action.least, action.most + 1))
            assert action.steps[0].least == action.least


def test_side_pots_say_who_can_win_them() -> None:
    night = betting({1: 3, 2: 50, 3: 12})
    for seat, chips in ((2, 20), (3, 12), (1, 3)):
        night.do("stake", seat=seat, chips=chips)
    showdown = controls(night).showdown
    assert showdown is not UNSET
    # Nobody has matched 8 of Ben's chips; the pool held one chip of each before the betting.
    assert [(pot.chips, pot.seats, pot.label) for pot in showdown.pots] == [
        (3 * 3 + 3, (1, 2, 3), "for all 3"),
        (2 * 9, (2, 3), "without Anna"),
    ]


def test_a_claim_says_which_pools_come_with_it() -> None:
    night = phases()["meld"]
    claim = controls(night).claim
    assert claim is not UNSET
    assert claim.others == {"marriage": ("King", "Queen")}
    night.do("claim", seat=2, pool="king")
    claim = controls(night).claim
    assert claim is not UNSET
    assert claim.others == {"marriage": ("Queen",)}


@pytest.mark.parametrize(
    ("chips", "unpaid"),
    [
        (0, "Clara has no chips and pays nothing for 4 cards."),
        (3, "Clara pays only 3 for 4 cards."),
        (4, None),
    ],
)
def test_cards_that_nobody_can_pay_for_are_named(chips: int, unpaid: str | None) -> None:
    night = phases()["counting"]
    night.have({3: chips})
    settle = controls(night, Pending(counts=(((3, 4),),))).settle
    assert settle is not UNSET
    assert [count.unpaid for count in settle.counts] == [None, unpaid]


def test_the_poorest_is_the_first_to_buy_in() -> None:
    night = Night()
    night.have({1: 20, 3: 4})
    rebuy = controls(night).rebuy
    assert rebuy is not UNSET
    assert (rebuy.seats, rebuy.chips) == ((3, 1, 2), 50)
    assert rebuy.short == {"3": "Clara buys in for 50 chips"}
    assert rebuy.own == "I buy in for 50 chips"
