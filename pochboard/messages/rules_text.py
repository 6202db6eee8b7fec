"""Rules to read: a ruleset, all of it made from its parameters, and Poch for beginners.

What differs between rulesets is on the page of each ruleset.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import msgspec

from pochboard.messages.labels import pool_name, pool_names, what_wins
from pochboard.messages.parameters import (
    hand_text,
    size_texts,
)
from pochboard.rules.accounts import MELD_POOLS
from pochboard.rules.ruleset import Ruleset
from pochboard.text.names import POOL_NAMES, card_name_in
from pochboard.text.translator import N_, Translator, ngettext_noop

_SENTENCES: Final[Mapping[str, Mapping[object, str]]] = {
    "deck": {
        32: N_("The pack has 32 cards: seven to ace in each suit."),
        36: N_("The pack has 36 cards: six to ace in each suit."),
        40: N_("The pack has 40 cards: five to ace in each suit."),
        52: N_("The pack has 52 cards: two to ace in each suit."),
        "auto": N_(
            "Up to four players use 32 cards, seven to ace in each suit. More players use all 52,"
            " also in deals in which somebody sits out."
        ),
    },
    "direction": {
        "clockwise": N_("The deal and all turns go round clockwise."),
        "anticlockwise": N_("The deal and all turns go round anticlockwise."),
    },
    "first_dealer": {
        "chosen": N_("Choose who deals first, or draw lots."),
        "lowest-card": N_(
            "Everybody draws a card. Whoever has the lowest one deals first; those with equal ones"
            " draw again."
        ),
        "first-ace": N_(
            "Cards are dealt face up, one at a time. Whoever gets the first ace deals first."
        ),
    },
    "tie_break": {
        "trump": N_("Of two equal pairs, the one with the card of the trump suit wins."),
        "side-cards": N_("Between two equal pairs, the highest other card decides."),
        "suits": N_(
            "Between two equal pairs, the highest suit decides: clubs, spades, hearts, diamonds."
        ),
        "split": N_("Two equal pairs share the pool."),
    },
    "high_card": {
        True: N_("Without a set, the highest card counts, then the next."),
        False: N_("A hand without a set cannot win a showdown."),
    },
    "bet_needs_set": {
        True: N_("Only a player with a set may stake."),
        False: N_("You may stake with any hand, so bluffing is part of the game."),
    },
    "raises": {
        "free": N_("Instead of only staying in, you may raise by any number of chips."),
        "none": N_("Nobody may raise."),
        "capped": N_("You may raise up to what the poorest player still in can match."),
    },
    "all_in": {
        True: N_(
            "If you have too few chips to stay in, you may put in all you have. Then you can only"
            " win what your stake covers."
        ),
        False: N_("If you have too few chips to stay in, you must pass."),
    },
    "prove_set": {
        True: N_("If all others pass, the last one in must still show a hand that could win."),
        False: N_("If all others pass, the last one in wins without showing any cards."),
    },
    "leader": {
        "poch-winner": N_(
            "Whoever has won the betting leads. If nobody has, the player after the dealer leads."
        ),
        "forehand": N_("The player after the dealer leads."),
    },
    "shedding": {
        "sequence": N_(
            "The leader plays any card. Whoever holds the next higher card of the suit plays it,"
            " then the next higher one, and so on. When nobody can, whoever played last leads"
            " again."
        ),
        "domino": N_(
            "As in dominoes, the leader plays any card, and whoever holds the next higher card of"
            " the suit adds it. When nobody can, whoever played last begins again."
        ),
        "rising": N_(
            "The leader plays any card. Then each player in turn who has a higher card of the suit"
            " plays one. At the ace, or when nobody has a higher card, whoever played last leads"
            " again."
        ),
        "tricks": N_(
            "The leader plays any card. The others follow suit in turn; whoever cannot plays no"
            " card. The highest card wins the trick, and its player leads again. There are no"
            " trumps here."
        ),
        "thirty-one": N_(
            "The leader plays any card, and the others add cards in turn while the count rises:"
            " court cards count ten, aces one, all others their number. The count never goes above"
            " 31."
        ),
    },
    "run_ends": {
        "nobody-can": N_(
            "Whoever cannot add a card is passed over. The run ends at 31 or when nobody can add a"
            " card. Whoever played last begins the next run."
        ),
        "next-cannot": N_(
            "The run ends at 31, or as soon as the next player cannot add a card. Whoever played"
            " last begins the next run."
        ),
    },
    "deals": {
        "open": N_("You play as many deals as you like."),
        "round": N_("The night is over when each player has dealt once."),
        "until-short": N_("The night is over when somebody cannot pay the ante."),
    },
    "leftover": {
        "bank": N_("Chips left on the board at the end go back to the bank."),
        "split": N_("Chips left on the board at the end are shared by the players."),
    },
    "won_by": {
        "most-won": N_("Whoever has won the most chips wins the night."),
        "most-chips": N_("Whoever has the most chips wins the night."),
        "last-with-chips": N_(
            "The last player with any chips wins the night; if it ends before, whoever has the"
            " most."
        ),
    },
}
"""What each value of a parameter means, in the rules to read."""


class RulesLine(msgspec.Struct, frozen=True):
    """One or more sentences; with a term, they explain it."""

    text: str
    term: str = ""


class RulesSection(msgspec.Struct, frozen=True):
    """A part of the rules, with its heading."""

    title: str
    lines: tuple[RulesLine, ...]


def rules_text(rules: Ruleset, t: Translator) -> tuple[RulesSection, ...]:
    """How a ruleset is played, in the order of a night."""
    parts = (
        (t.gettext("What you need"), _needs(rules, t)),
        (t.gettext("Before each deal"), _deal(rules, t)),
        (t.gettext("First part: melding"), _melding(rules, t)),
        (t.gettext("Second part: betting"), _betting(rules, t)),
        (t.gettext("Third part: playing the cards"), _shedding(rules, t)),
        (t.gettext("The end of the night"), end_texts(rules, t)),
    )
    return tuple(
        RulesSection(
            title,
            tuple(RulesLine(line) if isinstance(line, str) else line for line in lines),
        )
        for title, lines in parts
    )


def _needs(rules: Ruleset, t: Translator) -> Iterator[str]:
    yield from size_texts(rules, t)
    yield value_text("deck", rules, t)
    yield t.gettext("The ace is the highest card.")
    yield value_text("first_dealer", rules, t)
    yield value_text("direction", rules, t)


def value_text(parameter: str, rules: Ruleset, t: Translator) -> str:
    """The meaning of a parameter's value in a ruleset."""
    return t.gettext(_SENTENCES[parameter][getattr(rules, parameter)])


def ante_text(rules: Ruleset, t: Translator) -> str:
    """Who puts how many chips into which pools before a deal."""
    pools = pool_names(rules.ante_pools, t, rules)
    return t.ngettext(*_ANTES[rules.ante_from], rules.ante, pools=pools)


_ANTES: Final = {
    "seats": ngettext_noop(
        "Each player puts {count} chip into each of these pools: {pools}.",
        "Each player puts {count} chips into each of these pools: {pools}.",
    ),
    "bank": ngettext_noop(
        "The bank puts {count} chip into each of these pools: {pools}.",
        "The bank puts {count} chips into each of these pools: {pools}.",
    ),
    "banker": ngettext_noop(
        "The banker puts {count} chip into each of these pools: {pools}.",
        "The banker puts {count} chips into each of these pools: {pools}.",
    ),
}


def short_text(rules: Ruleset, t: Translator) -> str:
    """What somebody does who cannot pay the ante."""
    waits, banker = rules.short_seats == "refuse", rules.ante_from == "banker"
    if waits and banker:
        return t.gettext("A banker who cannot pay buys in, or somebody else takes over.")
    if banker:
        return t.gettext("If the banker cannot pay, the next player who can takes over.")
    if waits:
        return t.gettext("Whoever cannot pay the ante buys in or leaves first.")
    return t.gettext("Whoever cannot pay the ante sits out, and may buy in later.")


def _deal(rules: Ruleset, t: Translator) -> Iterator[str]:
    yield ante_text(rules, t)
    if rules.ante_from == "banker":
        yield t.gettext("Whoever deals first is the banker, until somebody else takes over.")
    if rules.ante_from != "bank":
        yield short_text(rules, t)
    yield hand_text(rules, t)
    if rules.packets == (1,):
        yield t.gettext("The cards are dealt one at a time.")
    else:
        packets = t.listed(map(str, rules.packets))
        yield t.gettext("The cards are dealt in packets of {packets}.", packets=packets)
    yield trump_text(rules, t)


def trump_text(rules: Ruleset, t: Translator) -> str:
    """How the trump suit is chosen."""
    if rules.fixed_trump:
        suit = card_name_in(t, rules.fixed_trump)
        return t.gettext("With these rules, {suit} are always trumps.", suit=suit)
    if rules.turned_is_held:
        return t.gettext(
            "The last card dealt is shown, and its suit is trumps. Its player keeps it."
        )
    return t.gettext("The next card is turned up, and its suit is trumps. Nobody holds this card.")


def _melding(rules: Ruleset, t: Translator) -> Iterator[str | RulesLine]:
    if not rules.meld_pools:
        yield t.gettext("This ruleset has no pools that are won by showing cards.")
        return
    yield t.gettext("Whoever holds the cards for a pool shows them and takes its chips.")
    yield from pool_lines(rules.meld_pools, rules, t)
    if rules.turned_card == "dealer":
        yield t.gettext("If the card turned up wins a pool by itself, the dealer takes that pool.")
    elif rules.turns_a_card and not rules.turned_is_held:
        yield t.gettext(
            "Nobody can win a pool whose card is the one turned up: it is in nobody’s hand."
        )
    yield t.gettext(UNCLAIMED)


UNCLAIMED: Final = N_("Chips that nobody wins stay where they are for the next deal.")


def pool_lines(pools: Iterable[str], rules: Ruleset, t: Translator) -> Iterator[RulesLine]:
    """What wins each of these pools."""
    for pool in pools:
        yield RulesLine(" ".join(what_wins(pool, rules, t)), pool_name(pool, t, rules))


def set_texts(rules: Ruleset, t: Translator) -> tuple[str, ...]:
    """Which hand wins a showdown, and what a tie gives."""
    return (
        t.gettext(
            "You bet on who has the best set: two, three or four cards of a rank. Four beat three,"
            " and three beat two. Between sets of the same size, the higher rank wins."
        ),
        value_text("tie_break", rules, t),
        value_text("high_card", rules, t),
    )


def knock_text(rules: Ruleset, t: Translator) -> str:
    """How the betting goes round."""
    return t.gettext(
        "The dealer asks: “Who’s betting?” The player after the dealer begins. Each player in turn"
        " knocks or passes. Whoever knocks puts chips into the pool {pool}. From then on, the"
        " others put in as many chips to stay in, or pass. A pass is final.",
        pool=pool_name(rules.bet_pool, t, rules),
    )


def _betting(rules: Ruleset, t: Translator) -> Iterator[str | RulesLine]:
    yield from set_texts(rules, t)
    yield knock_text(rules, t)
    yield value_text("bet_needs_set", rules, t)
    yield value_text("raises", rules, t)
    yield value_text("all_in", rules, t)
    if rules.bluff_penalty:
        yield t.ngettext(
            "Whoever knocked or raised last and does not win the showdown pays their stake"
            " {count} more time.",
            "Whoever knocked or raised last and does not win the showdown pays their stake"
            " {count} more times.",
            rules.bluff_penalty,
        )
    yield value_text("prove_set", rules, t)
    others = {*MELD_POOLS, *rules.meld_pools, *_won_last(rules)}
    yield from pool_lines((pool for pool in rules.pools if pool not in others), rules, t)


def _won_last(rules: Ruleset) -> tuple[str, ...]:
    """The pools that go to whoever is out of cards first."""
    return ("pinke",) if rules.centre_to_winner and rules.bet_pool != "pinke" else ()


def play_texts(rules: Ruleset, t: Translator) -> Iterator[str]:
    """Who leads, and how the cards are played."""
    yield value_text("leader", rules, t)
    yield value_text("shedding", rules, t)
    if rules.shedding == "thirty-one":
        yield value_text("run_ends", rules, t)
    yield t.gettext("Whoever can play a card must play one.")


CARDS_LEFT: Final = N_(
    "When somebody has no cards left, the deal is over. Everybody else pays that player one chip"
    " for each card still in hand."
)


def _shedding(rules: Ruleset, t: Translator) -> Iterator[str | RulesLine]:
    yield from play_texts(rules, t)
    if rules.run_bonus:
        yield t.ngettext(
            "Whoever plays the last card of a run gets {count} chip from everybody else.",
            "Whoever plays the last card of a run gets {count} chips from everybody else.",
            rules.run_bonus,
        )
    yield t.gettext(CARDS_LEFT)
    yield from pool_lines(_won_last(rules), rules, t)
    if rules.out_when_broke:
        yield t.gettext("Whoever has no chips after a deal is out.")


def end_texts(rules: Ruleset, t: Translator) -> Iterator[str]:
    """How long a night lasts, and who wins it."""
    if isinstance(rules.deals, int):
        yield t.ngettext(
            "The night is over after {count} deal.",
            "The night is over after {count} deals.",
            rules.deals,
        )
    else:
        yield value_text("deals", rules, t)
    if rules.last_deal_to != "none":
        yield t.gettext(
            "On the last deal, the chips that nobody has won go into {pool} before the betting.",
            pool=pool_name(rules.last_deal_to, t, rules),
        )
    yield value_text("leftover", rules, t)
    yield value_text("won_by", rules, t)


def how_to_play(t: Translator) -> tuple[RulesSection, ...]:
    """Poch for beginners."""
    return tuple(
        RulesSection(
            t.gettext(title),
            tuple(
                RulesLine(t.gettext(text), t.gettext(term) if term else "") for term, text in lines
            ),
        )
        for title, lines in _HOW_TO_PLAY
    )


IN_SHORT: Final = (
    N_(
        "Poch is an old German card game for chips. The board has a pool in the middle and others"
        " round it, and you win their chips with cards, with bets, and by getting rid of your"
        " cards."
    ),
    N_(
        "A deal has three parts. Each has its own way to win chips, so even a bad hand has a"
        " chance."
    ),
)
"""Poch in two sentences."""
_HOW_TO_PLAY: Final[tuple[tuple[str, tuple[tuple[str, str], ...]], ...]] = (
    (N_("In short"), tuple(("", text) for text in IN_SHORT)),
    (
        N_("A deal, step by step"),
        (
            (
                N_("The ante"),
                N_(
                    "Everybody puts chips into the pools, and the dealer deals. The suit of one"
                    " card is trumps in this deal."
                ),
            ),
            (
                N_("Melding"),
                N_(
                    "Whoever holds the ace of trumps shows it and takes the chips from the pool"
                    " Ace. The same goes for king, queen, jack and ten. King and queen of trumps"
                    " together win Marriage, and a run of cards wins Sequence. Chips that nobody"
                    " wins stay there, and the pool grows."
                ),
            ),
            (
                N_("Betting, or “pochen”"),
                N_(
                    "Now you bet on who has the best set of equal cards, such as two queens or"
                    " three sevens. One player knocks and puts in chips. The others put in as many,"
                    " raise, or pass. If several stay in, they show their cards, and the best set"
                    " takes the pool with all bets."
                ),
            ),
            (
                N_("Playing the cards"),
                N_(
                    "Then you play your cards, often upwards in a suit. Whoever runs out of cards"
                    " first gets a chip from everybody else for each card they still hold."
                ),
            ),
        ),
    ),
    (
        N_("An example"),
        (
            (
                "",
                N_(
                    "The ace of hearts is turned up, so hearts are trumps, and nobody can win Ace"
                    " in this deal. Anna has the king and queen of hearts: she takes King, Queen"
                    " and Marriage. Clara has the jack of hearts and takes Jack."
                ),
            ),
            (
                "",
                N_(
                    "Anna also has the queen of clubs. She knocks with her two queens and puts in 2"
                    " chips. Ben passes. Clara has two kings and puts in 2 chips as well. They show"
                    " their cards: two kings beat two queens, so Clara takes the pool with all"
                    " bets."
                ),
            ),
            (
                "",
                N_(
                    "Clara leads the jack of hearts. Anna plays the queen and the king. The ace"
                    " lies face up, so nobody can continue, and Anna leads again. In the end Ben is"
                    " the first without cards. Anna still has two and Clara three, so they pay him"
                    " 2 and 3 chips."
                ),
            ),
        ),
    ),
    (
        N_("With this board"),
        (
            (
                "",
                N_(
                    "You hold real cards. The board counts the chips: its lights show what is in"
                    " each pool, and whose turn it is."
                ),
            ),
            ("", N_("To take a pool, press your place, then the pool. Or tap it on a phone.")),
            (
                "",
                N_("No mistake is final: undo takes back the last step, as often as you like."),
            ),
        ),
    ),
    (
        N_("Words you will hear"),
        (
            (N_("Trumps"), N_("The suit that wins pools in this deal.")),
            (N_("Set"), N_("Two, three or four cards of the same rank, such as two queens.")),
            (N_("To knock"), N_("To open the betting with some chips.")),
            (N_("Forehand"), N_("The player after the dealer, who begins.")),
            (POOL_NAMES["pinke"], N_("The pool in the middle. Some rulesets play without it.")),
            (N_("The bank"), N_("Where all chips come from and go back to.")),
        ),
    ),
)
