"""Settling up after a night (RULES.md 8): whose chips went to whom, and who pays whom how much.

The chips of a night are followed from one player to another. Those in a pool belong to those who
put them there. What a pool pays comes from them in proportion to what each has in it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from operator import sub
from typing import Final, Literal, NamedTuple

import msgspec

from pochboard.ledger.entry import Entry, Posting
from pochboard.ledger.replay import moves_in_force
from pochboard.ledger.results import results_of
from pochboard.rules.accounts import (
    BANK,
    FIRST_SEAT,
    POOL,
    POOLS,
    account_index,
    account_name,
    seat_account,
    transfer,
)
from pochboard.rules.betting import return_unmatched
from pochboard.rules.commands import (
    Adjust,
    End,
    Go,
    Join,
    Leave,
    Pass,
    Rebuy,
    Settle,
    Showdown,
    Start,
)
from pochboard.rules.state import State

CAUSES: Final = (*POOLS, "cards", "bonus", "recount", "leftover", "bank")
"""The causes for which chips change hands: a pool, the cards that a loser had left, a run bonus, a
recount, what lay in the pools when the night ended, or a share of the bank's result."""

Balances = tuple[int, ...]

_BOUGHT: Final = frozenset((Start, Join, Rebuy, Leave))
"""Commands that exchange chips with the bank for what they are worth."""
_END_BETTING: Final = frozenset((Pass, Showdown))

_CAUSE_OF: Final[Mapping[type, str]] = {Adjust: "recount", Go: "bonus", End: "leftover"}


class Payment(NamedTuple):
    """Chips that one party has lost to another. A party is a seat, or 0 for the bank."""

    payer: int
    payee: int
    chips: int
    cause: str
    """One of `CAUSES`."""


class _Flows:
    """Follows the chips of a night entry by entry."""

    def __init__(self) -> None:
        self._put_in: list[Counter[int]] = [Counter() for _ in POOLS]
        """By pool, the chips of each party that are in it."""

    def follow(self, entry: Entry, before: State, after: State) -> Iterator[Payment]:
        """The losses of parties to each other through an entry."""
        command = entry.command
        kind = type(command)
        if not entry.postings or kind in _BOUGHT:
            return
        balances, cause = before.balances, _CAUSE_OF.get(kind)
        if kind in _END_BETTING and before.knocker is not None:
            balances = self._return_unmatched(before, before.knocker)
        elif type(command) is Settle:
            paid = _cards_paid(before, command)
            yield from self._move(before, balances, paid, "cards")
            balances = paid
            if before.rules.centre_to_winner and before.winner is not None:
                winner, pinke = seat_account(before.winner), POOL["pinke"]
                centre = transfer(balances, (pinke, winner, balances[pinke]))
                yield from self._move(before, balances, centre)
                balances = centre
            cause = "leftover"
        yield from self._move(before, balances, after.balances, cause)

    def _return_unmatched(self, before: State, knocker: int) -> Balances:
        """The knocker takes back its own chips that nobody has matched (RULES.md 6)."""
        if before.highest == 0:
            return before.balances
        after = return_unmatched(before).balances
        pool = POOL[before.rules.bet_pool]
        self._put_in[pool - 1][knocker] -= before.balances[pool] - after[pool]
        return after

    def _move(
        self, before: State, balances: Balances, after: Balances, cause: str | None = None
    ) -> Iterator[Payment]:
        """Chips that move at once, from all who pay to all who receive.

        Without a cause it is the pool that pays.
        """
        moved = {account: paid for account, paid in enumerate(map(sub, balances, after)) if paid}
        for source, target, chips in distribute(moved):
            from_pool, to_pool = BANK < source < FIRST_SEAT, BANK < target < FIRST_SEAT
            taken = {_party(source): chips}
            if from_pool:
                taken = split(chips, self._put_in[source - 1])
                self._put_in[source - 1].subtract(taken)
            if to_pool:
                for party, part in taken.items():
                    self._put_in[target - 1][party] += part
                continue
            # A bluff penalty goes through the bet pool.
            won_from = POOLS[source - 1] if from_pool else before.rules.bet_pool
            for party, part in taken.items():
                if party != _party(target):
                    yield Payment(party, _party(target), part, cause or won_from)


def flows(entries: Sequence[Entry], states: Sequence[State]) -> Iterator[Payment]:
    """All payments of a night, given the state after each of its entries."""
    followed = _Flows()
    for entry, before, after in moves_in_force(entries, states):
        yield from followed.follow(entry, before, after)


def distribute(paid: Mapping[int, int]) -> Iterator[tuple[int, int, int]]:
    """Yields who pays whom how much, in proportion: payer, payee, chips.

    `paid` has what each one pays, negative for those who receive. It must sum to 0.
    """
    due = {payee: -chips for payee, chips in paid.items() if chips < 0}
    for payer, chips in paid.items():
        if chips > 0:
            for payee, part in split(chips, due).items():
                due[payee] -= part
                yield payer, payee, part


def chip_moves(postings: Iterable[Posting]) -> Iterator[tuple[str, str, int]]:
    """The chips of an entry by account, from all who pay to all who receive, in proportion."""
    paid = {account_index(name): -chips for name, chips in postings}
    for source, target, chips in distribute(paid):
        yield account_name(source), account_name(target), chips


def split(chips: int, weights: Mapping[int, int]) -> dict[int, int]:
    """Chips in proportion to weights, which are 0 or more; the odd ones by largest remainder.

    Of equal remainders, lower keys come first, and 0, the bank, last (RULES.md 8).
    No part exceeds its weight, unless the chips exceed the sum of the weights. Leaves out parts of
    0.
    """
    if not chips:
        return {}
    if len(weights) == 1:
        return dict.fromkeys(weights, chips)
    total = sum(weights.values())
    if chips == total:
        return {key: weight for key, weight in weights.items() if weight}
    parts = {key: divmod(chips * weight, total) for key, weight in weights.items()}
    odd = chips - sum([whole for whole, _ in parts.values()])
    # The bank comes last.
    first = sorted(parts, key=lambda key: (-parts[key][1], not key, key))[:odd] if odd else ()
    return {key: part for key, (whole, _) in parts.items() if (part := whole + (key in first))}


def _party(account: int) -> int:
    return 0 if account == BANK else account - FIRST_SEAT + 1


def _cards_paid(before: State, command: Settle) -> Balances:
    """The balances after each loser has paid for its cards."""
    assert before.winner is not None, "a deal is settled after somebody is out"
    winner = seat_account(before.winner)
    return transfer(
        before.balances,
        *(
            (seat_account(int(seat)), winner, min(cards, before.stack_of(int(seat))))
            for seat, cards in command.cards.items()
        ),
    )


# Settling

Way = Literal["fewest", "pairwise"]
"""How to settle: with the fewest payments, or pairwise, what each two parties have won from each
other."""
BankChoice = Literal["shared", "kept"]
"""Whether the players share what the bank has won or lost, or the bank keeps and pays it."""

BANK_PARTY: Final = 0
"""The bank as a party. All other parties are seats."""

_MOST_EXACT: Final = 14
"""The most parties for which the fewest payments are searched; that takes 0.1 s."""


_WORTH: Final = re.compile(r"[0-9]{1,6}(?:[.,][0-9]{1,4})?")


def read_worth(text: str) -> Fraction | None:
    """What a chip is worth, such as `0.05` or `0,05`, in hundredths.

    None if it is not an amount above 0 with at most four decimals.
    """
    if not _WORTH.fullmatch(text.strip()):
        return None
    return 100 * Fraction(text.strip().replace(",", ".")) or None


class Transfer(msgspec.Struct, frozen=True):
    """What one party pays another, in units: chips, or hundredths of a currency."""

    payer: int
    payee: int
    amount: int
    causes: tuple[tuple[str, int], ...] = ()
    """Pairwise: the chips that the payee has won from the payer, by cause. They are negative where
    the payer has won."""


class Settlement(msgspec.Struct, frozen=True):
    """How a night is settled. A person who sat at several seats is a party once, by the first."""

    results: dict[int, int]
    """The chips each party has won or, negative, lost. They sum to 0."""
    amounts: dict[int, int]
    """The same in units, as the transfers pay it."""
    transfers: tuple[Transfer, ...]
    shared: int = 0
    """What the bank has won, or lost, if the players share it."""


def settle_night(
    entries: Sequence[Entry],
    states: Sequence[State],
    way: Way,
    *,
    share_bank: bool = False,
    worth: Fraction = Fraction(1),
    aliases: Mapping[str, str] = {},
) -> Settlement:
    """Settles a night that is over, given the state after each of its entries.

    `worth` is how many units a chip is worth. With `share_bank` the players share in equal parts
    what the bank has won or lost; otherwise the bank is a party. `aliases` is that of the remarks.
    """
    state = states[-1]
    assert state.phase == "closed", "only a night that is over can be settled"
    people = sorted(results_of(state, aliases), key=lambda person: person.seats)
    party = {seat: person.seats[0] for person in people for seat in person.seats}
    results = {person.seats[0]: person.net for person in people}
    bank = -sum(results.values())
    shares: dict[int, int] = {}
    if share_bank:
        sign = 1 if bank > 0 else -1
        equal = split(abs(bank), dict.fromkeys(results, 1))
        shares = {seat: sign * chips for seat, chips in equal.items()}
        results = {seat: net + shares.get(seat, 0) for seat, net in results.items()}
    elif bank:
        results[BANK_PARTY] = bank
    if way == "fewest":
        transfers = tuple(fewest_transfers(in_units(results, worth)))
    else:
        won = _won_pairwise(entries, states, party)
        if share_bank:
            _share_bank(won, shares)
        transfers = tuple(_net_transfers(won, worth))
    amounts = dict.fromkeys(results, 0)
    for payment in transfers:
        # Pairwise, the bank may receive from some what it pays to others.
        amounts[payment.payer] = amounts.get(payment.payer, 0) - payment.amount
        amounts[payment.payee] = amounts.get(payment.payee, 0) + payment.amount
    return Settlement(
        {**dict.fromkeys(amounts, 0), **results}, amounts, transfers, bank if share_bank else 0
    )


def in_units(results: Mapping[int, int], worth: Fraction) -> dict[int, int]:
    """Results in whole units. They sum to 0 and differ from the exact ones by less than a unit."""
    exact = {party: chips * worth for party, chips in results.items()}
    units = {party: amount.__floor__() for party, amount in exact.items()}
    by_rest = sorted(units, key=lambda party: units[party] - exact[party])
    for party in by_rest[: -sum(units.values())]:
        units[party] += 1
    return units


# The fewest payments. A group of n parties whose amounts sum to 0 settles among itself with n - 1
# payments. So the payments are fewest if there are as many such groups as possible.


def fewest_transfers(amounts: Mapping[int, int]) -> Iterator[Transfer]:
    """The fewest payments that give each party its amount; the amounts must sum to 0.

    With more than 14 parties that do not cancel out in pairs there may be a few more than
    necessary, but always fewer than parties.
    """
    left = {party: amount for party, amount in amounts.items() if amount}
    for party, amount in list(left.items()):
        other = next((candidate for candidate, its in left.items() if its == -amount), None)
        if party in left and other is not None:
            # Some solution with the fewest payments has any such pair as a group.
            yield from _paid_within({party: left.pop(party), other: left.pop(other)})
    groups = _zero_groups(list(left.items())) if len(left) <= _MOST_EXACT else [left]
    for group in groups:
        yield from _paid_within(group)


def _paid_within(group: Mapping[int, int]) -> Iterator[Transfer]:
    """Payments within a group, each from whoever still owes most to whoever is still owed most."""
    owed = dict(group)
    while any(owed.values()):
        payer, payee = min(owed, key=owed.__getitem__), max(owed, key=owed.__getitem__)
        amount = min(-owed[payer], owed[payee])
        owed[payer] += amount
        owed[payee] -= amount
        yield Transfer(payer, payee, amount)


def _zero_groups(parties: Sequence[tuple[int, int]]) -> list[dict[int, int]]:
    """The most groups of parties whose amounts each sum to 0."""
    count = len(parties)
    sums, most = [0] * (1 << count), [0] * (1 << count)
    # Parties are added one by one, each group after the other; `most` is how many groups are
    # complete at best. A set of parties that sums to 0 completes one.
    for chosen in range(1, 1 << count):
        lowest = (chosen & -chosen).bit_length() - 1
        sums[chosen] = sums[chosen & (chosen - 1)] + parties[lowest][1]
        before = max(most[chosen & ~(1 << party)] for party in range(count) if chosen >> party & 1)
        most[chosen] = before + (sums[chosen] == 0)
    groups: list[dict[int, int]] = []
    chosen = (1 << count) - 1
    group: dict[int, int] = {}
    while chosen:
        if sums[chosen] == 0 and group:
            groups.append(group)
            group = {}
        wanted = most[chosen] - (sums[chosen] == 0)
        party = next(
            party
            for party in range(count)
            if chosen >> party & 1 and most[chosen & ~(1 << party)] == wanted
        )
        chosen &= ~(1 << party)
        group[parties[party][0]] = parties[party][1]
    return [*groups, group] if group else groups


# Pairwise.

_Won = dict[tuple[int, int], dict[str, int]]
"""By payer and payee the chips that the payee has won from the payer, by cause."""


def _won_pairwise(
    entries: Sequence[Entry], states: Sequence[State], party: Mapping[int, int]
) -> _Won:
    won: _Won = {}
    for payment in flows(entries, states):
        payer, payee = party.get(payment.payer, 0), party.get(payment.payee, 0)
        if payer != payee:
            causes = won.setdefault((payer, payee), {})
            causes[payment.cause] = causes.get(payment.cause, 0) + payment.chips
    return won


def _share_bank(won: _Won, shares: Mapping[int, int]) -> None:
    """Lets the players settle among themselves what they would settle with the bank."""
    owed = {party: -share for party, share in shares.items()}
    for payer, payee in list(won):
        if BANK_PARTY in (payer, payee):
            chips = sum(won.pop((payer, payee)).values())
            party, sign = (payer, 1) if payee == BANK_PARTY else (payee, -1)
            owed[party] = owed.get(party, 0) + sign * chips
    for payer, payee, chips in distribute(owed):
        won.setdefault((payer, payee), {})["bank"] = chips


def _net_transfers(won: _Won, worth: Fraction) -> Iterator[Transfer]:
    """One payment for each two parties, unless they are even; the largest first."""
    payments = []
    for one, other in sorted({(min(pair), max(pair)) for pair in won}):
        net: dict[str, int] = dict(won.get((one, other), {}))
        for cause, chips in won.get((other, one), {}).items():
            net[cause] = net.get(cause, 0) - chips
        chips = sum(net.values())
        sign, payer, payee = (1, one, other) if chips >= 0 else (-1, other, one)
        amount = round(abs(chips) * worth)
        if amount:
            causes = tuple((cause, sign * net[cause]) for cause in CAUSES if net.get(cause))
            payments.append(Transfer(payer, payee, amount, causes))
    yield from sorted(payments, key=lambda transfer: -transfer.amount)
