"""The tournaments of a club: rounds, tables and standings."""

from __future__ import annotations

from typing import Final

from pochboard.server.context import Context
from pochboard.server.language import request_translator
from pochboard.server.routing import Routes, not_found, number_in_path
from pochboard.views.refusals import RefusalAnswer
from pochboard.views.tournament import (
    TournamentAnswer,
    TournamentLine,
    tournament_answer,
    tournament_line,
)

routes: Final = Routes()


@routes.add("GET", "/api/tournaments", responses={200: list[TournamentLine]})
def list_tournaments(context: Context) -> list[TournamentLine]:
    """The tournaments, the newest first. A table has none."""
    return [tournament_line(results) for results in context.archive.tournaments()]


@routes.add(
    "GET",
    "/api/tournaments/{number}",
    responses={200: TournamentAnswer, 404: RefusalAnswer},
)
def get_tournament(context: Context, number: str) -> TournamentAnswer:
    """A tournament as it stands."""
    asked = number_in_path(number, "tournament")
    for results in context.archive.tournaments():
        if results.tournament.number == asked:
            return tournament_answer(results, request_translator())
    raise not_found(asked, "tournament")
