"""What wins a pool, where its chips came from, and among which entries an error must be."""

from __future__ import annotations

from typing import Any

from pochboard.ledger.hints import CountHint, Hint
from pochboard.messages.accounts import count_hint_text, hint_text, pool_rules
from pochboard.rules.accounts import MELD_POOLS
from pochboard.text.translator import ENGLISH
from tests.core.play import Night
from tests.some import some


def rules(ruleset: str, pool: str, **options: object) -> list[str]:
    return pool_rules(pool, Night(ruleset, options=options).book.state, ENGLISH)


def test_what_wins_each_pool() -> None:
    assert [rules("modern", pool) for pool in MELD_POOLS] == [
        ["Whoever shows the ace of trumps takes this pool."],
        ["Whoever shows the king of trumps takes this pool."],
        ["Whoever shows the queen of trumps takes this pool."],
        ["Whoever shows the jack of trumps takes this pool."],
        ["Whoever shows the ten of trumps takes this pool."],
        ["Whoever shows the king and queen of trumps takes this pool, and King and Queen as well."],
        ["Whoever shows seven, eight and nine of trumps takes this pool."],
    ]
    betting = "Whoever wins the betting takes this pool, with all stakes."
    first_out = "Whoever plays their last card first takes this pool."
    assert rules("modern", "poch") == [betting]
    assert rules("modern", "pinke") == [first_out]
    assert rules("banker", "pinke") == [betting]
    assert rules("banker", "poch") == [
        "Whoever wins the betting takes this pool, together with Pinke."
    ]
    assert rules("banker", "poch", bet_pool_takes_poch=False, ante_pools=list(MELD_POOLS)) == [
        "Neither cards nor bets win this pool with these rules."
    ]


def test_what_wins_sequence_follows_the_rules() -> None:
    said = {
        "best-run-trump-first": "The best run of a suit takes this pool: trumps before height.",
        "best-run-height-first": "The best run of a suit takes this pool: height before trumps.",
        "longest-run": "The longest run of a suit takes this pool.",
    }
    for sequence, sentence in some(said.items()):
        assert rules("modern", "sequence", sequence=sequence) == [sentence]


def test_a_blocked_pool_cannot_be_won_in_this_deal() -> None:
    night = Night()
    night.do("deal")
    night.do("turn", card="QH")
    assert pool_rules("queen", night.book.state, ENGLISH)[1:] == [
        "In this deal nobody can win it, because the queen of hearts is turned up."
    ]
    assert len(pool_rules("king", night.book.state, ENGLISH)) == 1


def test_hints_say_what_cannot_be_right() -> None:
    def said(*fields: Any) -> str:
        return hint_text(Hint(*fields), ENGLISH)

    assert said("too-few-chips", "", 1, 150) == (
        "1 chip is missing: 150 should be in play. After a recount, check whether another pool or "
        "stack has too many."
    )
    assert said("too-few-chips", "", 2, 150) == (
        "2 chips are missing: 150 should be in play. After a recount, check whether another pool "
        "or stack has too many."
    )
    assert said("too-many-chips", "", 1, 150) == (
        "There is 1 chip too many: 150 should be in play. After a recount, check whether another "
        "pool or stack has too few."
    )
    assert said("too-many-chips", "", 2, 150) == (
        "There are 2 chips too many: 150 should be in play. After a recount, check whether another "
        "pool or stack has too few."
    )
    assert said("ante-missing", "pool:ace", 2, 3) == (
        "Ace holds 2, but the ante of this deal alone is 3. Has somebody not put in theirs?"
    )
    assert said("odd-pool", "pool:ten", 7, 2) == (
        "Ten holds 7, but only antes of 2 go in. Count it again."
    )


def test_hints_say_what_a_count_may_mean() -> None:
    counted = (
        CountHint(0, "antes-missing", 1),
        CountHint(0, "antes-missing", 2),
        CountHint(0, "antes-twice", 1),
        CountHint(0, "antes-twice", 2),
    )
    assert [count_hint_text(hint, ENGLISH) for hint in counted] == [
        "That is exactly 1 ante less. Has somebody not put in theirs?",
        "That is exactly 2 antes less. Have some players not put in theirs?",
        "That is exactly 1 ante more. Has somebody put in theirs twice?",
        "That is exactly 2 antes more. Have some players put in theirs twice?",
    ]
    assert count_hint_text(CountHint(0, "unpaid", 1), ENGLISH) == (
        "That is exactly one ante more. Has it not been put in?"
    )
    assert count_hint_text(CountHint(0, "paid-twice", 1), ENGLISH) == (
        "That is exactly one ante less. Has it been put in twice?"
    )


def test_marriage_names_no_pool_that_the_ruleset_lacks() -> None:
    pools = ["ace", "marriage", "poch"]
    assert rules("modern", "marriage", pools=pools, ante_pools=pools, centre_to_winner=False) == [
        "Whoever shows the king and queen of trumps takes this pool."
    ]
