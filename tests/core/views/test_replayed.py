"""A night that is replayed: its picture, its timeline, and what its accounts tell."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from pochboard.ledger.book import Book, Step
from pochboard.ledger.remarks import Remarks
from pochboard.ledger.replay import StoredNight
from pochboard.ledger.settling import chip_moves
from pochboard.messages.entries import entry_contexts
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.seating import resolve_among
from pochboard.table.snapshot import ReplayedNight
from pochboard.views.correcting import AccountAnswer, account_answer
from pochboard.views.nights import LeftPool, entry_answers, night_answer
from tests.core.play import Night, melding

NIGHT: tuple[dict[str, Any], ...] = (
    {"do": "start", "ruleset": "modern", "players": ["Anna", "Ben", "Clara"]},
    {"do": "deal"},
    {"do": "claim", "seat": 2, "pool": "ace"},
    {"do": "next"},
    {"do": "stake", "seat": 2, "chips": 2},
    {"do": "stake", "seat": 3, "chips": 2},
    {"do": "pass", "seat": 1},
    {"do": "showdown", "ranking": [[3], [2]]},
    {"do": "out", "seat": 2},
    {"do": "undo"},
    {"do": "redo"},
    {"do": "settle", "cards": {"1": 4, "3": 0}},
    {"do": "join", "name": "Dora", "place": 8},
    {"do": "undo"},
    {"do": "deal"},
    {"do": "void"},
)


def played() -> Book:
    book = Book(resolve_among(shipped_rulesets()))
    for command in NIGHT:
        step = book.apply(command, 0)
        assert isinstance(step, Step), (command, step)
    return book


def test_deals_claims_showdowns_and_what_was_taken_back_are_marked() -> None:
    book = played()
    stored = StoredNight(1, book.state.rules, {}, imported=False, entries=book.entries)
    answers = entry_answers(ReplayedNight(stored, book), range(1, 99))
    assert {answer.number: answer.mark for answer in answers if answer.mark} == {
        2: "deal",
        3: "claim",
        8: "showdown",
        10: "undo",
        11: "undo",
        14: "undo",
        15: "deal",
        16: "undo",
    }


def test_chips_move_from_those_who_pay_to_those_who_receive() -> None:
    book = played()
    for context in entry_contexts(book.entries, book.states):
        sums = {"bank": 0}
        for source, target, chips in chip_moves(context.entry.postings):
            assert chips > 0
            sums[source] = sums.get(source, 0) - chips
            sums[target] = sums.get(target, 0) + chips
        assert {name: chips for name, chips in sums.items() if chips} == dict(
            context.entry.postings
        )


def local(ms: int) -> datetime:
    return datetime.fromtimestamp(ms / 1000, UTC)


def left_pools(night: Night) -> tuple[LeftPool, ...]:
    state, entries = night.book.states[-1], night.book.entries
    stored = StoredNight(1, state.rules, {}, imported=False, entries=entries)
    return night_answer(ReplayedNight(stored, night.book), Remarks(), local).left


def two_deals() -> Night:
    """Two deals of three players; Ben takes King in the first, and chips are left at the end."""
    night = Night(players=3, dealer=3, options={"leftover": "bank"})
    for deal in range(2):
        night.do("deal")
        if not deal:
            night.do("claim", seat=2, pool="king")
        night.do("next")
        night.nobody_bets()
        night.settle(winner=2)
    return night


def test_the_board_is_drawn_as_it_was_left() -> None:
    night = two_deals()
    before = dict(night["pools"])
    assert left_pools(night) == (), "the night is open"
    night.do("end")
    assert [pool.chips for pool in left_pools(night)] == list(before.values())


def told(night: Night, account: str) -> AccountAnswer:
    book = night.book
    return account_answer(
        account, ReplayedNight(StoredNight(1, book.state.rules, {}, False, book.entries), book)
    )


def count(night: Night, pool: str) -> None:
    night.do("adjust", **{"from": f"pool:{pool}", "to": "bank"}, chips=1, reason="counted")


def test_who_has_won_a_pool_last() -> None:
    night = Night()

    def taken(pool: str) -> str | None:
        return told(night, f"pool:{pool}").taken

    night.do("deal")
    night.do("claim", seat=2, pool="ace")
    assert (taken("ace"), taken("king")) == ("Last time: Ben takes Ace: 3 chips.", None)
    assert told(night, "seat:1").taken is None
    # A misdeal and a recount take chips out, too, but nobody wins them.
    night.do("void")
    night.do("deal")
    count(night, "king")
    assert (taken("ace"), taken("king")) == (None, None)
    night.do("claim", seat=1, pool="ace")
    assert taken("ace") == "Last time: Anna takes Ace: 3 chips."


def test_an_error_must_be_among_the_entries_since_the_last_recount() -> None:
    night = melding()
    count(night, "ace")
    count(night, "king")
    night.do("undo")
    night.do("claim", seat=1, pool="king")

    def uncounted(account: str) -> list[int]:
        return [row.number for row in told(night, account).rows if row.uncounted]

    assert uncounted("pool:ace") == []
    # A recount that was taken back does not count.
    assert uncounted("pool:king") == [2, 4, 5, 6]
    assert uncounted("seat:1") == [1, 2, 6]
