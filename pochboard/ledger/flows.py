"""Who has paid whom: the chips of a night followed from one player to another.

Chips in a pool belong to those who put them there. What a pool pays comes from them in proportion
to what each has in it (RULES.md 8).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from operator import sub
from typing import Final, NamedTuple

from pochboard.ledger.entry import Entry, Posting
from pochboard.ledger.replay import in_force
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
"""Why chips have changed hands: the pool they were won from, the cards that a loser had left, a run
bonus or a recount; or what lay in the pools when the night ended, or a share of the bank's result.
"""

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


class Flows:
    """Follows the chips of a night. `follow` it entry by entry, in the order of `in_force`."""

    def __init__(self) -> None:
        self._put_in: list[dict[int, int]] = [{} for _ in POOLS]
        """By pool, the chips of each party that are in it."""

    def follow(self, entry: Entry, before: State, after: State) -> Iterator[Payment]:
        """What parties have lost to each other by an entry.

        Consume it all before the next entry.
        """
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
        back = before.balances[pool] - after[pool]
        if back:
            self._put_in[pool - 1][knocker] -= back
        return after

    def _move(
        self, before: State, balances: Balances, after: Balances, cause: str | None = None
    ) -> Iterator[Payment]:
        """Chips that move at once, from all who pay to all who receive.

        Without a cause it is the pool that pays.
        """
        payers, payees = [], []
        for account, chips in enumerate(map(sub, balances, after)):
            if chips > 0:
                payers.append((account, chips))
            elif chips:
                payees.append((account, -chips))
        moves: Iterable[tuple[int, int, int]]
        if len(payers) == len(payees) == 1:
            moves = ((payers[0][0], *payees[0]),)
        else:
            moves = _shares(tuple(payers), tuple(payees))
        for source, target, chips in moves:
            to_pool = BANK < target < FIRST_SEAT
            if to_pool and source >= FIRST_SEAT:
                # Most moves by far are antes and stakes.
                put_in, party = self._put_in[target - 1], source - FIRST_SEAT + 1
                put_in[party] = put_in.get(party, 0) + chips
                continue
            from_pool, payee = BANK < source < FIRST_SEAT, _party(target)
            taken = self._take(source, chips) if from_pool else {_party(source): chips}
            if cause is None:
                # A bluff penalty goes through the bet pool.
                cause_here = POOLS[source - 1] if from_pool else before.rules.bet_pool
            else:
                cause_here = cause
            for party, part in taken.items():
                if to_pool:
                    put_in = self._put_in[target - 1]
                    put_in[party] = put_in.get(party, 0) + part
                elif party != payee:
                    yield Payment(party, payee, part, cause_here)

    def _take(self, pool: int, chips: int) -> dict[int, int]:
        """Takes chips from a pool, and returns whose they were."""
        put_in = self._put_in[pool - 1]
        taken = split(chips, put_in)
        for party, part in taken.items():
            put_in[party] -= part
        return taken


def flows(entries: Sequence[Entry], states: Sequence[State]) -> Iterator[Payment]:
    """All payments of a night, given the state after each of its entries."""
    followed, before = Flows(), State()
    for entry in in_force(entries):
        after = states[entry.number - 1]
        yield from followed.follow(entry, before, after)
        before = after


def distribute(
    payers: Mapping[int, int], payees: Mapping[int, int]
) -> Iterator[tuple[int, int, int]]:
    """Who pays how much to whom, in proportion. The sums of both must be equal."""
    yield from _shares(tuple(payers.items()), tuple(payees.items()))


@lru_cache(maxsize=1024)
def _shares(
    payers: tuple[tuple[int, int], ...], payees: tuple[tuple[int, int], ...]
) -> tuple[tuple[int, int, int], ...]:
    """The same, remembered: the antes of every deal are alike."""
    due = dict(payees)
    shares = []
    for payer, chips in payers:
        for payee, part in split(chips, due).items():
            due[payee] -= part
            shares.append((payer, payee, part))
    return tuple(shares)


def chip_moves(postings: Iterable[Posting]) -> Iterator[tuple[str, str, int]]:
    """The chips of an entry by account, from all who pay to all who receive, in proportion."""
    balance = {account_index(name): chips for name, chips in postings}
    payers = {account: -chips for account, chips in balance.items() if chips < 0}
    payees = {account: chips for account, chips in balance.items() if chips > 0}
    for source, target, chips in distribute(payers, payees):
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
