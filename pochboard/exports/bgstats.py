"""A link that hands a night to BG Stats, an app in which players record board games.

The format is that of “Push plays to BG Stats from other apps or websites” on bgstatsapp.com. The
app shows what it received and asks before it records anything. Its Android version refuses players
without `startPlayer`.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import quote

import msgspec
from msgspec import UNSET, UnsetType

from pochboard.exports.formats import ExportedNight
from pochboard.ledger.replay import duration_ms, in_force, utc_time
from pochboard.rules.commands import Deal
from pochboard.text.unicode_names import sight

ADDRESS: Final = "https://app.bgstatsapp.com/createPlay.html"
_LONGEST_MIN: Final = 24 * 60
"""A night that seems longer was left open."""


class _Game(msgspec.Struct, frozen=True, rename="camel"):
    name: str = "Poch"
    source_game_id: str = "poch"
    highest_wins: bool = True
    no_points: bool = False


class _Player(msgspec.Struct, frozen=True, rename="camel"):
    name: str
    source_player_id: str
    score: str
    rank: int
    winner: bool
    start_player: bool


class _Play(msgspec.Struct, frozen=True, rename="camel"):
    source_name: str
    source_play_id: str
    play_date: str
    """When it ended, UTC."""
    board: str
    comments: str
    game: _Game
    players: list[_Player]
    duration_min: int | UnsetType = UNSET


def bgstats_link(night: ExportedNight) -> str | None:
    """The link; None for a night that is not over. A player's score is the net."""
    state = night.state
    if state.phase != "closed":
        return None
    start_ms, end_ms = night.entries[0].time_ms, night.entries[-1].time_ms
    first = _first_to_act(night)
    players = [
        _Player(
            name=person.name,
            # BG Stats remembers which of its players this is.
            source_player_id=sight(night.aliases.get(sight(person.name), person.name)),
            score=str(person.net),
            rank=person.rank,
            winner=person.rank == 1,
            start_player=first in person.seats,
        )
        for person in night.results
    ]
    minutes = round(duration_ms(night.entries) / 60_000)
    play = _Play(
        source_name="Pochboard",
        # The number alone could be that of a night in another ledger.
        source_play_id=f"{night.stored.number}-{start_ms}",
        play_date=utc_time(end_ms).replace(tzinfo=None).isoformat(" ", "seconds"),
        board=state.rules.name,
        comments="1 deal" if state.deal == 1 else f"{state.deal} deals",
        game=_Game(),
        players=players,
        duration_min=minutes if 0 < minutes <= _LONGEST_MIN else UNSET,
    )
    return f"{ADDRESS}?data={quote(msgspec.json.encode(play), safe='')}"


def _first_to_act(night: ExportedNight) -> int:
    """Forehand of the first deal, or of the one that would have been dealt."""
    deals = [entry for entry in in_force(night.entries) if isinstance(entry.command, Deal)]
    return night.states[deals[0].number - 1 if deals else 0].forehand
