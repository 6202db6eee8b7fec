"""How Poch is played, for people who have never played it.

What differs between rulesets is on the page of each ruleset (`rules_text.py`).
"""

from __future__ import annotations

from pochboard.messages.labels import pool_name
from pochboard.messages.rules_text import RulesLine, RulesSection
from pochboard.text.translator import Translator


def how_to_play(t: Translator) -> tuple[RulesSection, ...]:
    """Poch for beginners."""
    return (
        RulesSection(t.gettext("In short"), tuple(map(RulesLine, _in_short(t)))),
        RulesSection(t.gettext("A deal, step by step"), _steps(t)),
        RulesSection(t.gettext("An example"), tuple(map(RulesLine, _example(t)))),
        RulesSection(t.gettext("With this board"), tuple(map(RulesLine, _board(t)))),
        RulesSection(t.gettext("Words you will hear"), _words(t)),
    )


def _in_short(t: Translator) -> tuple[str, ...]:
    return (
        t.gettext(
            "Poch is an old German card game for chips. The board has a pool in the middle and"
            " others round it, and you win their chips with cards, with bets, and by getting rid of"
            " your cards."
        ),
        t.gettext(
            "A deal has three parts. Each has its own way to win chips, so even a bad hand "
            "has a chance."
        ),
    )


def _steps(t: Translator) -> tuple[RulesLine, ...]:
    return (
        RulesLine(
            t.gettext(
                "Everybody puts chips into the pools, and the dealer deals. The suit of one card is"
                " trumps in this deal."
            ),
            t.gettext("The ante"),
        ),
        RulesLine(
            t.gettext(
                "Whoever holds the ace of trumps shows it and takes the chips from the pool Ace. "
                "The same goes for king, queen, jack and ten. King and queen of trumps together win"
                " Marriage, and a run of cards wins Sequence. Chips that nobody wins stay there, "
                "and the pool grows."
            ),
            t.gettext("Melding"),
        ),
        RulesLine(
            t.gettext(
                "Now you bet on who has the best set of equal cards, such as two queens or three"
                " sevens. One player knocks and puts in chips. The others put in as many, raise, or"
                " pass. If several stay in, they show their cards, and the best set takes the pool"
                " with all bets."
            ),
            t.gettext("Betting, or “pochen”"),
        ),
        RulesLine(
            t.gettext(
                "Then you play your cards, often upwards in a suit. Whoever runs out of cards "
                "first gets a chip from everybody else for each card they still hold."
            ),
            t.gettext("Playing the cards"),
        ),
    )


def _example(t: Translator) -> tuple[str, ...]:
    return (
        t.gettext(
            "The ace of hearts is turned up, so hearts are trumps, and nobody can win Ace in this"
            " deal. Anna has the king and queen of hearts: she takes King, Queen and Marriage."
            " Clara has the jack of hearts and takes Jack."
        ),
        t.gettext(
            "Anna also has the queen of clubs. She knocks with her two queens and puts in 2 chips."
            " Ben passes. Clara has two kings and puts in 2 chips as well. They show their cards:"
            " two kings beat two queens, so Clara takes the pool with all bets."
        ),
        t.gettext(
            "Clara leads the jack of hearts. Anna plays the queen and the king. The ace lies face"
            " up, so nobody can continue, and Anna leads again. In the end Ben is the first without"
            " cards. Anna still has two and Clara three, so they pay him 2 and 3 chips."
        ),
    )


def _board(t: Translator) -> tuple[str, ...]:
    return (
        t.gettext(
            "You hold real cards. The board counts the chips: its lights show what is in each pool,"
            " and whose turn it is."
        ),
        t.gettext("To take a pool, press your place, then the pool. Or tap it on a phone."),
        t.gettext("No mistake is final: undo takes back the last step, as often as you like."),
    )


def _words(t: Translator) -> tuple[RulesLine, ...]:
    return (
        RulesLine(t.gettext("The suit that wins pools in this deal."), t.gettext("Trumps")),
        RulesLine(
            t.gettext("Two, three or four cards of the same rank, such as two queens."),
            t.gettext("Set"),
        ),
        RulesLine(t.gettext("To open the betting with some chips."), t.gettext("To knock")),
        RulesLine(t.gettext("The player after the dealer, who begins."), t.gettext("Forehand")),
        RulesLine(
            t.gettext("The pool in the middle. Some rulesets play without it."),
            pool_name("pinke", t),
        ),
        RulesLine(t.gettext("Where all chips come from and go back to."), t.gettext("The bank")),
    )
