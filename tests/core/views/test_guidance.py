"""What may happen now, in words, in every phase, and what each player has to do."""

from __future__ import annotations

import pytest

from pochboard.buttons.press import Lobby, Pending
from pochboard.errors import directly
from pochboard.lights.lights_config import LightsConfig
from pochboard.table.snapshot import BoardInfo
from pochboard.text.translator import ENGLISH
from pochboard.views.board import pairing_state
from pochboard.views.seats import seat_rows
from tests.core import play
from tests.core.play import Night, melding
from tests.core.views.moments import guide, lines, snapshot

MISDEAL = "Misdeal? Hold next and undo together for 2 s."


def counted(*cards: tuple[int, int]) -> Pending:
    """Cards counted so far, by seat."""
    return Pending(counts=(cards,))


def betting(**options: object) -> Night:
    night = melding(options=options, players=3, places=[2, 5, 7])
    night.do("next")
    return night


# Between nights.


def test_switching_off() -> None:
    asked = guide(Night(), switching_off="asked")
    assert asked.title == "Switch the board off?"
    assert asked.lines == ("Press next on the board to switch it off. Any other button cancels.",)
    going = guide(Night(), switching_off="confirmed")
    assert going.title == "The board is switching off"
    assert going.lines == (
        "The night continues when it is switched on again.",
        "Once all lights are out, wait ten seconds before you pull the plug.",
    )


def test_nobody_wins_a_night_in_which_all_have_as_much() -> None:
    night = melding()
    night.do("void")
    night.do("end")
    assert guide(night).title == "The night is over"


@pytest.mark.parametrize(
    ("lobby", "said"),
    [
        (
            Lobby(),
            (
                "Nobody is in yet. Press the place of each player.",
                "Then press next twice to begin.",
            ),
        ),
        (
            Lobby(places=(4,)),
            (
                "Place 4 is in. Place 4 deals first.",
                "Press next to begin, or Pinke to draw who deals first.",
            ),
        ),
        (
            Lobby(places=(1, 3, 6), chosen=3, armed=True),
            ("Places 1, 3 and 6 are in. Place 3 deals first.", "Press next once more to begin."),
        ),
    ],
)
def test_a_night_is_put_together_by_presses(lobby: Lobby, said: tuple[str, ...]) -> None:
    assert lines(Night(None), Pending(lobby=lobby)) == said


# Between deals.


# The melding.


def test_melding() -> None:
    night = melding(places=[2, 5, 7])
    guidance = guide(night)
    assert guidance.title == "Show your cards"
    assert guidance.lines == (
        "If you hold the cards for a pool, show them and press your place, then the pool.",
        "Has a card been turned up? Enter it on a phone: it may block pools.",
        "When everybody is done, press next to start the betting.",
    )
    assert lines(night, Pending(place=5))[0] == (
        "Ben is selected. Press each pool that Ben shows the cards for."
    )


def test_the_turned_card_and_what_it_blocks() -> None:
    night = melding()
    night.do("turn", card="KS")
    assert lines(night)[1:3] == (
        "The trump suit is spades.",
        "Nobody can win King and Marriage.",
    )


def test_who_will_be_out_at_the_next_deal() -> None:
    night = Night("modern", 4, options={"short_seats": "retire"})
    night.have({2: 8})
    assert lines(night)[0] == (
        "Press next to deal without Ben, who cannot pay the ante of 9 chips."
        " To buy in first, press the place, then Pinke."
    )


def test_who_keeps_the_next_deal_waiting_is_the_title() -> None:
    night = Night()
    night.have({2: 8})
    assert guide(night).title == "Ben cannot pay the ante"
    night.do("rebuy", seat=2, chips=50)
    assert guide(night).title == "Anna deals next"


# The betting.


def test_a_call() -> None:
    night = betting()
    night.do("stake", seat=2, chips=2)
    guidance = guide(night)
    assert guidance.title == "Clara’s turn: 2 chips to stay in"
    assert guidance.lines == (
        "To stake, press place 7 once for each chip, then Poch.",
        "To pass, hold place 7.",
    )
    assert lines(night, Pending(chips=2)) == (
        "2 chips in hand. Press Poch to stake, or hold place 7 to cancel.",
        "Press place 7 again for one more chip.",
        "Hold Poch to go all in.",
    )
    night = betting()
    night.do("stake", seat=2, chips=1)
    assert guide(night).title == "Clara’s turn: 1 chip to stay in"


def poor_caller(chips: int, **options: object) -> Night:
    """Ben has knocked with 4; Clara has this many chips."""
    night = melding(options=options, places=[2, 5, 7])
    night.have({3: chips})
    night.do("next")
    night.do("stake", seat=2, chips=4)
    return night


def test_a_call_of_the_whole_stack_or_more() -> None:
    assert guide(poor_caller(4)).title == "Clara’s turn: 4 chips to stay in"
    assert guide(poor_caller(1)).title == "Clara’s turn: all in with 1, or pass"


# The showdown.


def showdown(**options: object) -> Night:
    night = betting(**options)
    for seat in (2, 3, 1):
        night.do("stake", seat=seat, chips=1)
    return night


def test_the_showdown() -> None:
    guidance = guide(showdown())
    assert guidance.title == "Show your hands"
    assert guidance.lines == (
        (
            "Anna, Ben and Clara compare their hands."
            " Press their places in the order of the hands, the best first."
        ),
        "If nobody has a set, hold Poch.",
        "If hands tie, enter the order on a phone.",
    )
    assert lines(showdown(), Pending(hands=(3, 1)))[1] == "So far: 1. Clara, 2. Anna."


# The shedding.


def test_the_cards_are_played() -> None:
    night = Night(places=[2, 5, 7])
    night.shed()
    guidance = guide(night)
    assert guidance.title == "Ben leads"
    assert guidance.lines == (
        "When you play your last card, press your place, then Pinke.",
        MISDEAL,
    )
    assert lines(night, Pending(place=7)) == (
        "Clara is selected. Press Pinke if Clara has played the last card.",
        MISDEAL,
    )


def test_run_bonuses_are_named() -> None:
    night = Night("thirty-one")
    night.shed()
    assert lines(night)[1] == "When you play the last card of a run, press your place, then Poch."
    assert lines(night, Pending(place=1))[1] == "Press Poch if Anna played the last card of a run."
    without = ["ace", "king", "queen", "jack", "ten", "marriage", "sequence", "pinke"]
    night = Night("thirty-one", options={"pools": without, "bet_pool": "pinke"})
    night.shed()
    assert lines(night)[1] == (
        "When you play the last card of a run, press your place, then the pool at the upper left."
    )
    assert lines(night, Pending(place=1))[1] == (
        "Press the pool at the upper left if Anna played the last card of a run."
    )


def test_cards_left_are_counted() -> None:
    night = Night(players=4)
    night.shed()
    night.do("out", seat=2)
    guidance = guide(night)
    assert guidance.title == "Ben is out of cards"
    assert guidance.lines == (
        "How many cards do Anna, Clara and David have left? Press your place once for each card.",
        "No cards left, or miscounted? Hold your place.",
    )
    assert lines(night, counted((1, 3), (4, 0)))[0] == (
        "How many cards does Clara have left? Press your place once for each card."
    )
    assert lines(night, counted((1, 3), (4, 0), (3, 2))) == (
        "Everybody has counted. Press next to settle the deal.",
    )


# The headline.


def how_to_pair(*, simulated: bool = False, is_open: bool = False) -> str:
    moment = snapshot(
        Night(),
        board=BoardInfo("board", link=True, simulated=simulated),
        pairing_open_until_ms=1 if is_open else None,
    )
    return pairing_state(moment, LightsConfig(), ENGLISH, directly, paired=False).how


def test_a_phone_that_watches_is_told_how_it_is_paired() -> None:
    assert how_to_pair() == (
        "To play from this phone, hold next on the board for 3 s. Count the white lights on"
        " the rings Ace, King, Queen, Jack and Ten of the board, and type these numbers in this"
        " order."
    )
    assert how_to_pair(is_open=True) == (
        "Count the white lights on the rings Ace, King, Queen, Jack and Ten of the board, and type"
        " these numbers in this order."
    )


def tasks(night: Night, pending: Pending | None = None) -> dict[int, str]:
    """The tasks by seat, without those who wait."""
    rows = seat_rows(night.book.state, pending, ENGLISH)
    return {row.seat: row.task for row in rows if row.task}


def test_between_deals_the_dealer_deals_and_who_is_short_buys_in() -> None:
    night = Night(players=3)
    assert tasks(night) == {1: "You deal"}
    night.have({2: 3})
    assert tasks(night) == {1: "You deal", 2: "You need more chips to play on"}


def test_who_has_too_few_chips_is_told_how_many_are_left() -> None:
    night = Night(players=3)
    night.have({3: 11})
    night.do("deal")
    night.do("next")
    night.do("stake", seat=2, chips=5)
    assert tasks(night) == {3: "Your turn: all in with 2, or pass"}


def test_hands_are_shown_and_cards_counted_by_those_who_have_not_done_so() -> None:
    night = play.betting(players=3)
    for seat in (2, 3):
        night.do("stake", seat=seat, chips=1)
    night.do("pass", seat=1)
    assert tasks(night) == {2: "Show your hand", 3: "Show your hand"}
    assert tasks(night, Pending(hands=(3,))) == {2: "Show your hand"}
    night.do("showdown", ranking=[3])
    assert tasks(night) == {3: "You lead"}
    night.do("out", seat=1)
    left = "How many cards do you have left?"
    assert tasks(night) == {2: left, 3: left}
    assert tasks(night, Pending(counts=(((2, 0),),))) == {3: left}
