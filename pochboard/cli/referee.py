"""`pochboard referee`: answers questions about the cards that players hold."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from pochboard.cards.card import Card, card_set, parse_card, parse_suit
from pochboard.cards.hands import (
    SeatNames,
    SequenceHolder,
    check_cards,
    check_trump,
    hand_claims,
    seat_label,
)
from pochboard.cards.hands import sequence as settle_sequence
from pochboard.cards.hands import showdown as settle_showdown
from pochboard.cli.common import chosen_rules, echo, echo_json, ruleset_options, say
from pochboard.errors import CardError
from pochboard.messages.labels import pool_names
from pochboard.messages.verdicts import (
    Words,
    hand_phrase,
    seat_phrase,
    shown_without_set,
    why_held,
    why_ranked,
)
from pochboard.rules.accounts import MOST_PLACES
from pochboard.rules.ruleset import LEAST_LIVE, RUN, Ruleset
from pochboard.text.allowed_values import quoted
from pochboard.text.lazy import lazy_alternatives
from pochboard.text.names import CardNaming
from pochboard.text.translator import ENGLISH, Translator
from pochboard.text.unicode_names import sight, tidy

_EXAMPLE: Final = 'such as "2: KH KD 7S" or "Anna: KH KD 7S"'
_LONGEST_NAME: Final = 40
_EPILOG: Final = (
    "SEAT is a seat number or a player's name. `pochboard referee --help` says how to write cards."
)


class HandHolders(msgspec.Struct, frozen=True):
    """Who holds the hands."""

    names: dict[int, str] = {}
    """By seat; empty if the hands are given by seat number."""

    @property
    def label(self) -> SeatNames:
        """What a player is called within a sentence."""
        return self.names.__getitem__ if self.names else seat_label

    def phrase(self, t: Translator) -> SeatNames:
        """What a player is called at the beginning of a sentence."""
        return self.names.__getitem__ if self.names else partial(seat_phrase, t=t)

    def seat(self, text: str) -> int | None:
        """The seat of this number or name; None if it is neither."""
        if not self.names:
            is_number = text.isascii() and text.isdigit() and len(text) < 9
            return int(text) or None if is_number else None
        wanted = sight(text).casefold()
        return next((s for s, name in self.names.items() if sight(name).casefold() == wanted), None)


class CheckedHands(msgspec.Struct, frozen=True):
    """Hands that have been read and checked: all of them are possible at one table."""

    rules: Ruleset
    hands: dict[int, tuple[Card, ...]]
    """By seat, in the order of play from forehand on, as far as it is known."""
    players: HandHolders
    turned: Card | None
    trump: str | None
    words: Words
    """How answers name players and cards."""
    as_json: bool

    def answer(self, why: Sequence[str], **fields: object) -> None:
        """Prints the sentences, or all as JSON: seats given by name are listed by number."""
        if not self.as_json:
            for sentence in why:
                say(sentence)
            return
        fields["why"] = " ".join(why)
        if self.players.names:
            fields["players"] = {str(seat): name for seat, name in self.players.names.items()}
        echo_json(json.dumps(fields, ensure_ascii=False))


@click.group()
def referee() -> None:
    """Settle arguments about the cards.

    Give each hand in quotes, with the seat or the player's name, such as "2: KH KD 7S" or
    "Anna: KH KD 7S". A card is its rank (2 to 10 or T, J, Q, K, A) and its suit (C, D, H, S);
    ♥K, Herz-König and Rot-Ober work too. Separate cards by spaces or commas.
    """


def _check(  # its parameters are the options below
    settings: Path | None,
    ruleset: str,
    options: Sequence[str],
    trump: Sequence[str],
    turned: Sequence[str],
    players: int | None,
    names: CardNaming,
    as_json: bool,
    hands: Sequence[str],
    dealer: str | None = None,
    *,
    alone: bool = False,
) -> CheckedHands:
    """Reads and checks the arguments. `alone`: a single hand needs no seat. Raises CardError."""
    rules = chosen_rules(settings, ruleset, options)
    card = _only(
        map(parse_card, turned), "{} and {} cannot both be turned up: name one of these cards"
    )
    suits = _only(
        map(parse_suit, trump), "{} and {} cannot both be trumps: name one of these suits"
    )
    suit = check_trump(rules, suits, card)
    read, who = _read_hands(hands, alone=alone)
    check_cards(read, rules, turned=card, live=players, name_of=who.label)
    if dealer is not None:
        read = _from_forehand(read, _dealer_seat(dealer, who), rules)
    words = Words(who.phrase(ENGLISH), names, ENGLISH)
    return CheckedHands(rules, read, who, card, suit, words, as_json)


def _only(named: Iterable[str], sentence: str) -> str | None:
    """The value of an option, which may be repeated. Raises CardError if the values differ."""
    first, *others = dict.fromkeys(named) or (None,)
    if others:
        raise CardError(sentence.format(first, others[0]))
    return first


def _options(command: Callable[..., None]) -> Callable[..., None]:
    """The arguments of all questions."""
    # Click lists the decorators applied last first.
    for option in (
        click.argument("hands", nargs=-1, metavar='"SEAT: CARDS"...'),
        click.option("--json", "as_json", is_flag=True, help="Answer in JSON."),
        click.option(
            "--names",
            type=click.Choice(["english", "french", "german"]),
            default="english",
            show_default=True,
            help="Names of the cards: English, or German with French or German suits.",
        ),
        click.option(
            "--players",
            type=click.IntRange(LEAST_LIVE, MOST_PLACES),
            metavar="NUMBER",
            help="Number of live seats, which decides deck and hands.  [default: any that fits]",
        ),
        click.option(
            "--turned",
            metavar="CARD",
            multiple=True,
            help="The card turned up, which sets the trump suit.",
        ),
        click.option(
            "--trump",
            metavar="SUIT",
            multiple=True,
            help="The trump suit, if neither the ruleset nor --turned sets it.",
        ),
    ):
        command = option(command)
    return ruleset_options(command)


_dealer_option: Final = click.option(
    "--dealer",
    metavar="SEAT",
    help=(
        "Seat or name of the dealer, after whom the others play in the order of their seats. By"
        " default the hands are given in the order of play, forehand first."
    ),
)


@referee.command(epilog=_EPILOG)
@_options
def showdown(**given: Any) -> None:
    """Say who wins a showdown, and why.

    Only the cards that you name count. The ruleset's tie_break decides between equal pairs. They
    tie if it is "trump" and no trump suit is known.
    """
    checked = _check(**given)
    rules, words = checked.rules, checked.words
    verdict = settle_showdown(checked.hands, rules, checked.trump)
    sentences = [why_ranked(verdict, rules, words)]
    if without_set := shown_without_set(verdict.without_set, words):
        sentences.append(without_set)
    # The key is present only if the ruleset requires a set to stake.
    more = {"without_set": verdict.without_set} if rules.bet_needs_set else {}
    checked.answer(sentences, ranking=verdict.ranking, **more)
    if checked.as_json or not verdict.ranking:
        return
    echo("")
    place = 1
    for tied in verdict.ranking:
        for seat in tied:
            shown = hand_phrase(verdict.values[seat], rules, words)
            say(f"  {place}. {words.name_of(seat)}: {shown}")
        place += len(tied)


@referee.command(epilog=_EPILOG)
@_options
@_dealer_option
def sequence(**given: Any) -> None:
    """Say who takes the sequence pool, and why.

    Of equal runs, the first from forehand in the order of play wins.
    """
    checked = _check(**given)
    if "sequence" not in checked.rules.pools:
        raise CardError(f"{checked.rules.name} has no sequence pool")
    holder = _sequence_holder(checked)
    why = why_held(holder, checked.rules, checked.trump, checked.words)
    checked.answer([why], seat=holder.seat)


@referee.command(epilog=_EPILOG)
@_options
@_dealer_option
def claims(**given: Any) -> None:
    """Say which pools each hand may claim.

    The sequence pool goes to the best run only. A single hand needs no seat; in JSON it is seat 1.
    """
    checked = _check(**given, alone=True)
    rules, hands, words = checked.rules, checked.hands, checked.words
    if checked.trump is None:
        raise CardError("claims depend on the trump suit: name it with --turned or --trump")
    due = {seat: hand_claims(card_set(hand), checked.trump, rules) for seat, hand in hands.items()}
    runs = [seat for seat, pools in due.items() if "sequence" in pools]
    why = []
    if runs:
        holder = _sequence_holder(checked)
        why.append(why_held(holder, rules, checked.trump, words))
        for seat in runs:
            if seat != holder.seat:
                due[seat] = due[seat][1:]
        if len(hands) == 1 and not rules.cards_of_pools[RUN]:
            why.append("Another hand may have a better run.")
    sentences = []
    for seat, pools in due.items():
        named = pool_names(pools, words.t, rules) if pools else "nothing"
        sentences.append(f"{words.name_of(seat)} may claim {named}.")
    sentences += why
    if checked.turned and rules.turned_card == "dealer":
        for pool in rules.pools_of_card(checked.turned):
            if rules.cards_shown(pool) == 1:
                takes = rules.pool_name(pool)
                sentences.append(f"The dealer takes {takes} for the card turned up.")
    checked.answer(sentences, pools={str(seat): pools for seat, pools in due.items()})


def _sequence_holder(checked: CheckedHands) -> SequenceHolder:
    """Who takes the sequence pool. Raises CardError if that depends on the unknown trump suit."""
    rules, trump = checked.rules, checked.trump
    if trump is None and rules.run_needs_trump:
        raise CardError(
            f"in {rules.name} certain trumps take the sequence pool: name the trump suit with"
            " --turned or --trump"
        )
    return settle_sequence(checked.hands, rules, trump)


def _dealer_seat(text: str, players: HandHolders) -> int:
    """The seat of the dealer. Raises BadParameter."""
    seat = players.seat(text.strip())
    if seat is None:
        given = text[:_LONGEST_NAME]
        if players.names:
            names = list(players.names.values())
            wrong = f"The dealer must be {lazy_alternatives(names)}, not {quoted(given)}."
        else:
            wrong = f"The dealer must be a seat such as 1, 2 or 3, not {quoted(given)}."
        raise click.BadParameter(wrong, param_hint="'--dealer'")
    return seat


def _from_forehand(
    hands: Mapping[int, tuple[Card, ...]], dealer: int, rules: Ruleset
) -> dict[int, tuple[Card, ...]]:
    """The hands in the order of play after the dealer, with seats numbered round the table."""
    steps = 1 if rules.direction == "clockwise" else -1
    round_ = max(*hands, dealer) + 1
    order = sorted(hands, key=lambda seat: ((seat - dealer) * steps - 1) % round_)
    return {seat: hands[seat] for seat in order}


def _read_hands(
    texts: Sequence[str], *, alone: bool
) -> tuple[dict[int, tuple[Card, ...]], HandHolders]:
    """The hands by seat, and who holds them; names are seated in the order given.

    Raises CardError.
    """
    if not texts:
        raise CardError(f"no hand is given: write each with its seat or player, {_EXAMPLE}")
    if alone and len(texts) == 1 and ":" not in texts[0]:
        texts = [f"1: {texts[0]}"]
    holders, cards = [], []
    for text in texts:
        who, colon, listed_cards = text.partition(":")
        if not colon:
            raise CardError(f"{text[:40]!r} names no seat or player: write a hand {_EXAMPLE}")
        holders.append(tidy(who))
        cards.append(listed_cards)
    players = _read_players(holders)
    hands: dict[int, tuple[Card, ...]] = {}
    for who, text in zip(holders, cards, strict=True):
        seat = players.seat(who)
        assert seat is not None, "every holder has been read"
        if seat in hands:
            raise CardError(f"{players.label(seat)} appears twice")
        hands[seat] = tuple(_read_cards(text))
        if not hands[seat]:
            raise CardError(
                f"{players.label(seat)} has no cards: write them after the colon, {_EXAMPLE}"
            )
    return hands, players


def _read_players(holders: Sequence[str]) -> HandHolders:
    """Who holds the hands: seat numbers alone, or names alone. Raises CardError."""
    names = [who for who in holders if who[:1].isalpha()]
    for who in holders:
        if who not in names and HandHolders().seat(who) is None:
            raise CardError(
                f"{who[:_LONGEST_NAME]!r} is neither a seat (1, 2, 3 …) nor a player's name"
            )
        if len(who) > _LONGEST_NAME and who in names:
            raise CardError(f"{who[:_LONGEST_NAME]!r}… is too long for a name")
    if names and len(names) < len(holders):
        raise CardError("hands are given by seat or by name, not by both")
    # Names that differ in case only are one player, whose second hand is then refused.
    seats: dict[str, str] = {}
    for name in names:
        seats.setdefault(sight(name).casefold(), name)
    return HandHolders(dict(enumerate(seats.values(), 1)))


def _read_cards(text: str) -> Iterable[Card]:
    """The cards in a text, separated by commas or spaces. Raises CardError."""
    # An umlaut may be typed as two characters.
    for part in unicodedata.normalize("NFC", text).split(","):
        words = part.split()
        while words:
            count = next(filter(lambda count: _is_card(words[:count]), (3, 2)), 1)
            yield parse_card(" ".join(words[:count]))
            del words[:count]


def _is_card(words: Sequence[str]) -> bool:
    """Whether words are one card, such as `king of hearts` or `Herz König`."""
    try:
        parse_card(" ".join(words))
    except CardError:
        return False
    return True
