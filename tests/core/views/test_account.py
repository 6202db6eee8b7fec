"""What phones are told about a pool or stack."""

from __future__ import annotations

from pochboard.ledger.replay import StoredNight
from pochboard.table.snapshot import ReplayedNight
from pochboard.views.correcting import AccountAnswer, account_answer
from tests.core.play import Night, melding


def told(night: Night, account: str) -> AccountAnswer:
    book = night.book
    return account_answer(
        account, ReplayedNight(StoredNight(1, book.state.rules, {}, False, book.entries), book)
    )


def rows(night: Night, account: str) -> list[tuple[int, int, str, bool]]:
    return [(row.number, row.chips, row.text, row.uncounted) for row in told(night, account).rows]


def count(night: Night, pool: str) -> None:
    night.do("adjust", **{"from": f"pool:{pool}", "to": "bank"}, chips=1, reason="counted")


def test_who_has_won_a_pool_last() -> None:
    night = Night()

    def taken(pool: str) -> str | None:
        return told(night, f"pool:{pool}").taken

    night.do("deal")
    night.do("claim", seat=2, pool="ace")
    assert (taken("ace"), taken("king")) == ("Ben takes Ace: 3 chips.", None)
    assert told(night, "pool:ace").taken_text == "Last time: Ben takes Ace: 3 chips."
    assert told(night, "seat:1").taken is None
    # A misdeal and a recount take chips out, too, but nobody wins them.
    night.do("void")
    night.do("deal")
    count(night, "king")
    assert (taken("ace"), taken("king")) == (None, None)
    night.do("claim", seat=1, pool="ace")
    assert taken("ace") == "Anna takes Ace: 3 chips."


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
