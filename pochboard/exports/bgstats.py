"""A link that hands a night to BG Stats, an app in which players record board games.

The format is that of “Push plays to BG Stats from other apps or websites” on bgstatsapp.com. The
app shows what it received and asks before it records anything.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final
from urllib.parse import quote

import msgspec
from msgspec import UNSET, UnsetType

from pochboard.exports.night import ExportedNight
from pochboard.ledger.times import duration_ms

ADDRESS: Final = "https://app.bgstatsapp.com/createPlay.html"


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
    nets = [net for _, _, net in state.standings]
    players = [
        _Player(
            name=state.name_of(seat),
            # BG Stats remembers which of its players this is.
            source_player_id=state.name_of(seat),
            score=str(net),
            rank=nets.index(net) + 1,
            winner=net == nets[0],
        )
        for seat, _, net in state.standings
    ]
    minutes = round(duration_ms(night.entries) / 60_000)
    play = _Play(
        source_name="Pochboard",
        # The number alone could be that of a night in another ledger.
        source_play_id=f"{night.number}-{start_ms}",
        play_date=f"{datetime.fromtimestamp(end_ms / 1000, UTC):%Y-%m-%d %H:%M:%S}",
        board=state.rules.name,
        comments=f"{state.deal} deals",
        game=_Game(),
        players=players,
        duration_min=minutes if minutes > 0 else UNSET,
    )
    return f"{ADDRESS}?data={quote(msgspec.json.encode(play), safe='')}"
