"""`pochboard referee`: settles by the cards what people argue about."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Final

import click
import msgspec

from pochboard.cards.card import Card, Names, parse_card, parse_suit
from pochboard.cards.hands import hand_claims
from pochboard.cards.referee import SequenceHolder
from pochboard.cards.referee import sequence as settle_sequence
from pochboard.cards.referee import showdown as settle_showdown
from pochboard.cards.validation import check_cards, check_trump, seat_label
from pochboard.cli.common import chosen_rules, ruleset_options
from pochboard.errors import CardError
from pochboard.messages.translator import ENGLISH
from pochboard.messages.verdicts import (
    Words,
    hand_phrase,
    may_claim,
    seat_phrase,
    why_held,
    why_ranked,
)
from pochboard.rules.accounts import MOST_PLACES
from pochboard.rules.ruleset import LEAST_LIVE, Ruleset

_AS_IN: Final = 'as in "2: KH KD 7S"'


class Asked(msgspec.Struct, frozen=True):
    """What people want settled: cards that can lie on one table."""

    rules: Ruleset
    hands: dict[int, tuple[Card, ...]]
    """From forehand on, as far as anybody said."""
    trump: str | None
    names: Names
    as_json: bool


@click.group()
def referee() -> None:
    """Settle by the cards what people argue about.

    A hand is "SEAT: CARDS" in quotes, as in "2: KH KD 7S"; spaces or commas part the cards. A card
    is its rank, 2 to 10 (or T), J, Q, K or A, and its suit, C, D, H or S. ♥K, Herz-König and
    Rot-Ober are understood too.
    """


def _question(
    *, in_order: bool = False, alone: bool = False
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Makes a command about hands, which is given its cards read and checked, as an `Asked`.

    `in_order`: the order of play counts. `alone`: a hand by itself needs no seat.
    """

    def made(answer: Callable[..., None]) -> Callable[..., None]:
        @wraps(answer)
        def asked(
            *,
            settings: Path | None,
            ruleset: str,
            options: Sequence[str],
            trump: Sequence[str],
            turned: Sequence[str],
            players: int | None,
            names: Names,
            as_json: bool,
            hands: Sequence[str],
            dealer: int | None = None,
        ) -> None:
            rules = chosen_rules(settings, ruleset, options)
            card = _only("cards", map(parse_card, turned), "turned up")
            suit = check_trump(_only("suits", map(parse_suit, trump), "trumps"), card)
            read = _read_hands(hands, alone=alone)
            check_cards(read, rules, turned=card, live=players)
            if dealer is not None:
                read = _from_forehand(read, dealer, rules)
            answer(Asked(rules, read, suit, names, as_json))

        for option in (*_ANSWERED, *([_DEALER] if in_order else []), *_DEALT):
            asked = option(asked)
        return ruleset_options(asked)

    return made


def _only(things: str, named: Iterable[str], what: str) -> str | None:
    """What was named once, or the same again. Raises CardError for two that differ."""
    first, *others = dict.fromkeys(named) or (None,)
    if others:
        raise CardError(
            f"{first} and {others[0]} are named as {what}: only one of these {things} is"
        )
    return first


# To click the one that is applied last is the first one.
_ANSWERED: Final = (
    click.argument("hands", nargs=-1, metavar='"SEAT: CARDS"...'),
    click.option("--json", "as_json", is_flag=True, help="Answer in JSON."),
    click.option(
        "--names",
        type=click.Choice(["english", "french", "german"]),
        default="english",
        show_default=True,
        help="Names of cards: English, or German by French suits or by German ones.",
    ),
)
_DEALER: Final = click.option(
    "--dealer",
    type=click.IntRange(1),
    metavar="SEAT",
    help=(
        "Seat that dealt: the others follow by number in the order of play. Without it the hands"
        " stand in the order given, forehand first."
    ),
)
_DEALT: Final = (
    click.option(
        "--players",
        type=click.IntRange(LEAST_LIVE, MOST_PLACES),
        metavar="NUMBER",
        help="Live seats, which decide deck and hand size.  [default: as fits]",
    ),
    click.option(
        "--turned",
        metavar="CARD",
        multiple=True,
        help="Card turned up, which fixes the trump suit.",
    ),
    click.option(
        "--trump", metavar="SUIT", multiple=True, help="Trump suit, where the card is not named."
    ),
)


@referee.command()
@_question()
def showdown(asked: Asked) -> None:
    """Say who wins a showdown, and why.

    Without trump equal pairs tie. Hands may be given in part: what is not named is not shown.
    """
    hands, trump, words = asked.hands, asked.trump, Words(names=asked.names)
    found = settle_showdown(hands, asked.rules, trump)
    why = why_ranked(found, asked.rules, words)
    if asked.as_json:
        _print_json({"ranking": found.ranking, "why": why})
        return
    click.echo(why)
    if not found.ranking:
        return
    click.echo("")
    place = 1
    for tied in found.ranking:
        for seat in tied:
            shown = hand_phrase(hands[seat], trump, words)
            click.echo(f"  {place}. {seat_phrase(seat)}: {shown}")
        place += len(tied)


@referee.command()
@_question(in_order=True)
def sequence(asked: Asked) -> None:
    """Say who takes the sequence pool, and why.

    Of equal runs that of forehand wins, or the next in the order of play.
    """
    if "sequence" not in asked.rules.pools:
        raise CardError(f"{asked.rules.name} has no sequence pool")
    found = _holder(asked)
    why = _why_held(found, asked)
    if asked.as_json:
        _print_json({"seat": found.seat, "why": why})
    else:
        click.echo(why)


@referee.command()
@_question(in_order=True, alone=True)
def claims(asked: Asked) -> None:
    """Say which pools each hand may claim.

    The sequence pool is named for the best run alone. A hand by itself needs no seat; in JSON it
    is then that of seat 1.
    """
    rules, hands = asked.rules, asked.hands
    if asked.trump is None:
        raise CardError("claims depend on the trump suit: name it by --turned or --trump")
    due = {seat: hand_claims(hand, asked.trump, rules) for seat, hand in hands.items()}
    runs = [seat for seat, pools in due.items() if "sequence" in pools]
    why = []
    if runs:
        found = _holder(asked)
        why.append(_why_held(found, asked))
        for seat in runs:
            if seat != found.seat:
                due[seat] = due[seat][1:]
        if len(hands) == 1 and rules.sequence != "trump-789":
            why.append("Another hand may have a better run.")
    said = [may_claim(seat_phrase(seat), pools, ENGLISH) for seat, pools in due.items()]
    if asked.as_json:
        pools = {str(seat): pools for seat, pools in due.items()}
        _print_json({"pools": pools, "why": " ".join(said + why)})
        return
    for sentence in said + why:
        click.echo(sentence)


def _holder(asked: Asked) -> SequenceHolder:
    """Who takes the sequence pool."""
    if asked.trump is None and asked.rules.sequence == "trump-789":
        raise CardError(
            f"in {asked.rules.name} 7 8 9 of trumps take the sequence pool: name the trump suit by"
            " --turned or --trump"
        )
    return settle_sequence(asked.hands, asked.rules, asked.trump)


def _why_held(found: SequenceHolder, asked: Asked) -> str:
    return why_held(found, asked.rules, asked.trump, Words(names=asked.names))


def _from_forehand(
    hands: Mapping[int, tuple[Card, ...]], dealer: int, rules: Ruleset
) -> dict[int, tuple[Card, ...]]:
    """The hands in the order of play after the dealer, where seats sit as they are numbered."""
    steps = 1 if rules.direction == "clockwise" else -1
    round_ = max(*hands, dealer) + 1
    order = sorted(hands, key=lambda seat: ((seat - dealer) * steps - 1) % round_)
    return {seat: hands[seat] for seat in order}


def _read_hands(texts: Sequence[str], *, alone: bool) -> dict[int, tuple[Card, ...]]:
    """The hands by seat. Raises CardError."""
    if not texts:
        raise CardError(f"no hand is named: write each with its seat, {_AS_IN}")
    if alone and len(texts) == 1 and ":" not in texts[0]:
        texts = [f"1: {texts[0]}"]
    hands: dict[int, tuple[Card, ...]] = {}
    for text in texts:
        where, colon, listed = text.partition(":")
        if not colon:
            raise CardError(f"{text[:40]!r} names no seat: write a hand in quotes, {_AS_IN}")
        number = where.strip()
        if not (number.isascii() and number.isdigit() and len(number) < 9 and int(number)):
            raise CardError(f"{number[:40]!r} is no seat: seats are numbered 1, 2, 3 …")
        seat = int(number)
        if seat in hands:
            raise CardError(f"{seat_label(seat)} is there twice")
        hands[seat] = tuple(_read_cards(listed))
        if not hands[seat]:
            raise CardError(
                f"{seat_label(seat)} has no cards: write them after the colon, {_AS_IN}"
            )
    return hands


def _read_cards(text: str) -> Iterable[Card]:
    """The cards that are named, parted by commas or spaces. Raises CardError."""
    # A letter and its dots may come as two characters.
    for part in unicodedata.normalize("NFC", text).split(","):
        words = part.split()
        while words:
            count = next(filter(lambda count: _is_card(words[:count]), (3, 2)), 1)
            yield parse_card(" ".join(words[:count]))
            del words[:count]


def _is_card(words: Sequence[str]) -> bool:
    """Whether words are one card, as `king of hearts` and `Herz König` are."""
    try:
        parse_card(" ".join(words))
    except CardError:
        return False
    return True


def _print_json(value: object) -> None:
    # JSON is UTF-8, whatever the terminal is.
    click.echo(json.dumps(value, ensure_ascii=False).encode())
