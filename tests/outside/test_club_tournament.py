"""A tournament in a club: seated, played at several boards, and shown (docs/CLUB.md)."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psycopg
import pytest

from pochboard.club.connection import open_club
from pochboard.club.keeper import keep_up
from pochboard.club.serving import club_server
from pochboard.config import Config
from pochboard.errors import LedgerError
from pochboard.ledger.remarks import NightDeleted, SamePerson
from pochboard.rulesets.catalog import load_catalog
from pochboard.server.server import Server
from pochboard.store import Store
from tests.outside.postgres import Board, ClubDatabase
from tests.shell.daemons import Home, Ran
from tests.shell.server_kit import ask, check_as_declared, wait_until

PEOPLE = ["Anna", "Ben", "Clara", "David", "Emma", "Felix", "Greta", "Hugo"]


def night(names: Sequence[str], *winners: int, over: bool = True) -> list[dict[str, Any]]:
    """A night in which these seats go out first, one after the other."""
    start = {"do": "start", "ruleset": "modern", "players": list(names)}
    return [start, *deals(names, *winners), *([{"do": "end"}] if over else [])]


def deals(names: Sequence[str], *winners: int, after: int = 0) -> list[dict[str, Any]]:
    """Deals in which nobody claims or stakes, and all but the winner have a card left."""
    seats = list(range(1, len(names) + 1))
    commands: list[dict[str, Any]] = []
    for number, winner in enumerate(winners, after + 1):
        forehand = number % len(names)
        commands += [
            {"do": "deal"},
            {"do": "next"},
            *({"do": "pass", "seat": seat} for seat in seats[forehand:] + seats[:forehand]),
            {"do": "out", "seat": winner},
            {"do": "settle", "cards": {str(seat): 1 for seat in seats if seat != winner}},
        ]
    return commands


class Owner:
    """Who runs the tournaments of a club."""

    def __init__(self, club: ClubDatabase) -> None:
        self._club = club
        self._home = Home(club.folder / "owner")

    def runs(self, command: str, *words: str) -> Ran:
        return self._home.here(
            "club", "tournament", command, *self._club.words(self._club.owner), *words
        )

    def says(self, command: str, *words: str) -> str:
        ran = self.runs(command, *words)
        assert (ran.status, ran.err) == (0, ""), ran
        return ran.out

    def rounds(self, name: str) -> list[list[list[str]]]:
        """The names of each table of each round, from the CSV."""
        rows = csv.DictReader(
            self.says("sheet", name, "--format", "csv").lstrip("\ufeff").splitlines()
        )
        rounds: dict[str, dict[str, list[str]]] = {}
        for row in rows:
            rounds.setdefault(row["round"], {}).setdefault(row["table"], []).append(row["name"])
        return [list(tables.values()) for tables in rounds.values()]


@pytest.fixture
def owner(club: ClubDatabase) -> Owner:
    return Owner(club)


def get(server: Server, path: str) -> Any:
    answer = ask(server.port, "GET", path)
    check_as_declared("GET", path, answer)
    assert answer.status == 200, answer
    return answer.json


def page(server: Server, path: str) -> str:
    answer = ask(server.port, "GET", path)
    assert answer.status == 200, answer
    return answer.body.decode()


def test_a_tournament_from_the_sheet_to_the_winner(
    club: ClubDatabase, owner: Owner, server: Server
) -> None:
    assert "no tournament yet" in owner.says("list")
    assert "There is no tournament yet." in page(server, "/tournament")
    file = club.folder / "players.txt"
    file.write_text("\n".join([*PEOPLE, "", "  "]))
    words = ("--players", str(file), "--rounds", "2", "--deals", "2", "--seed", "1", "Spring cup")
    sheet = owner.says("new", *words)
    assert "Round 2\n  Table 1" in sheet
    assert "4 meetings are repeats. No seating has fewer than 4." in sheet
    assert sheet.startswith(owner.says("sheet", "Spring cup"))
    rounds = owner.rounds("Spring cup")
    anna = [next(n for n, names in enumerate(tables, 1) if "Anna" in names) for tables in rounds]
    assert re.search(rf"^  Anna +{anna[0]} +{anna[1]}$", sheet, re.MULTILINE)
    assert [sorted(name for table in tables for name in table) for tables in rounds] == [PEOPLE] * 2
    assert "has a tournament Spring cup already" in owner.runs("new", *words).said

    wait_until("it is seen", lambda: get(server, "/api/tournaments"))
    kitchen, den = Board(club, "kitchen"), Board(club, "den")
    (first, second), (third, fourth) = rounds
    # At one board they stop in the middle of the second deal, at the other they play on.
    kitchen.home.book(*night(first, 1, over=False), {"do": "deal"})
    den.home.book(*night(second, 2, 2, 4))
    for board in (kitchen, den):
        board.says("push")
    wait_until("both nights are kept", lambda: table(server, 1, 1)[0] == "playing")
    assert table(server, 1, 1) == ("playing", dict(zip(first, (-2, -10, -10, -10), strict=True)))
    done = ("done", dict(zip(second, (-20, -4, -20, -20), strict=True)))
    wait_until("the other, too", lambda: table(server, 1, 2) == done)
    assert table(server, 2, 1) == ("waiting", dict.fromkeys(third))
    assert standings(server)[0] == (1, second[1], -4)
    assert {name for _, name, net in standings(server) if net} == set(second)
    assert "Round 1 of 2" in owner.says("show", "Spring cup")
    assert "1 of 2 deals" in page(server, "/tv")

    # The rounds go on, and the tables are at other boards now.
    kitchen.home.book({"do": "void"}, *deals(first, 1, after=1), {"do": "end"})
    kitchen.home.book(*night(fourth, 1, 2))
    den.home.book(*night(third, 3, 3))
    for board in (kitchen, den):
        board.says("push")
    wait_until("all is played", lambda: get(server, "/api/tournaments")[0]["current"] is None)
    assert table(server, 1, 1)[1] == dict(zip(first, (-4, -20, -20, -20), strict=True))
    best = -4 - 20
    winners = {first[0], second[1], third[2]}
    shown = standings(server)
    assert {name for rank, name, net in shown if net == shown[0][2]} <= winners
    assert sum(net for _, _, net in shown) == 4 * (-4 - 3 * 20)
    nets = dict.fromkeys(PEOPLE, 0)
    for number in (1, 2):
        for place in (1, 2):
            for name, net in table(server, number, place)[1].items():
                nets[name] += net or 0
    assert {name: net for _, name, net in shown} == nets
    assert best < 0
    assert "wins Spring cup" in owner.says("list") or "share the win: Spring cup" in owner.says(
        "list"
    )
    html = page(server, "/tournament")
    assert all(name in html for name in PEOPLE)


def table(server: Server, number: int, place: int) -> tuple[str, dict[str, int | None]]:
    """How a table of a round stands: its status, and the net of each player."""
    shown = get(server, "/api/tournaments/1")["rounds"][number - 1]["tables"][place - 1]
    return shown["status"], {player["name"]: player["net"] for player in shown["players"]}


def standings(server: Server) -> list[tuple[int, str, int]]:
    rows = get(server, "/api/tournaments/1")["rows"]
    return [(row["rank"], row["name"], row["net"]) for row in rows]


def seat(owner: Owner, *words: str, players: Sequence[str] = PEOPLE) -> list[list[list[str]]]:
    """Seats a tournament called Cup, of one deal unless the words say otherwise."""
    owner.says("new", "--deals", "1", "--seed", "1", *words, "Cup", *players)
    return owner.rounds("Cup")


def play(board: Board, names: Sequence[str], winner: int = 1) -> None:
    """A whole night of one deal, which is sent."""
    board.home.book(*night(names, winner))
    board.says("push")


def test_who_leaves_is_not_seated_again_and_keeps_what_was_won(
    club: ClubDatabase, owner: Owner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pochboard.club.seating._RUNS", (5_000,))
    rounds = seat(owner, "--rounds", "3")
    board = Board(club, "kitchen")
    for table_of in rounds[0]:
        play(board, table_of)
    gone = rounds[0][0][0]
    sheet = owner.says("reseat", "Cup", "--leaves", gone, "--joins", "Ida", "--joins", "Jo",
                       "--seed", "2")  # fmt: skip
    seated = owner.rounds("Cup")
    assert seated[0] == rounds[0]
    for tables in seated[1:]:
        names = sorted(name for names in tables for name in names)
        assert sorted([*names, gone]) == sorted([*PEOPLE, "Ida", "Jo"])
        assert [len(names) for names in tables] == [5, 4]
    assert sheet.startswith(owner.says("sheet", "Cup"))
    shown = owner.says("show", "Cup")
    assert re.search(rf"^ +1\. {gone} +−2 +−2$", shown, re.MULTILINE)
    assert re.search(r"^ +Ida +±0$", shown, re.MULTILINE)

    play(board, seated[1][0])
    said = owner.runs("reseat", "Cup", "--from", "2").said
    assert said == "Round 2 has begun already."
    assert "Zoë does not play" in owner.runs("reseat", "Cup", "--leaves", "Zoë").said
    assert "Two players are called Jo" in owner.runs("reseat", "Cup", "--joins", "Jo").said
    everybody = [word for name in seated[2][0] + seated[2][1] for word in ("--leaves", name)]
    assert "has 3 to 300 players, not 0" in owner.runs("reseat", "Cup", *everybody).said
    play(board, seated[2][0])
    assert owner.runs("reseat", "Cup").said == "All rounds have begun already."


def test_nights_are_those_of_persons_and_not_of_boards_or_names(
    club: ClubDatabase, owner: Owner, server: Server
) -> None:
    ((first, second),) = seat(owner, "--rounds", "1", players=[*PEOPLE[:7], "Hugo H."])
    kitchen, den = Board(club, "kitchen"), Board(club, "den")
    people = ("club", "people", *club.words(club.owner))
    assert kitchen.home.here(*people, "Hugo", "Hugo H.").status == 0
    assert kitchen.home.here(*people, "--board", "den", "Otto", first[0]).status == 0
    with Store.open(den.home.ledger) as store:
        store.add_remark(SamePerson("Bennie", first[1]), 1)
    play(den, ["Otto", "Bennie", first[3], first[2]])
    play(kitchen, ["Hugo" if name == "Hugo H." else name for name in second])
    wait_until("all is kept", lambda: get(server, "/api/tournaments")[0]["current"] is None)
    assert table(server, 1, 1)[1][first[0]] == -2
    assert table(server, 1, 1)[1][first[1]] == -10

    # Somebody who does not want to be named is not on the page of the tournament, either.
    assert kitchen.home.here(*people, first[2], "Guest").status == 0
    wait_until("it is seen", lambda: table(server, 1, 1)[1].get("Guest") == -10)
    for path in ("/tournament", "/tv"):
        assert not re.search(rf"\b{first[2]}\b", page(server, path))


def test_a_night_that_is_deleted_or_comes_before_does_not_count(
    club: ClubDatabase, owner: Owner, server: Server
) -> None:
    board = Board(club, "kitchen")
    play(board, PEOPLE[:4])
    ((only,),) = seat(owner, "--rounds", "1", "--from", "2099-12-31", players=PEOPLE[:4])
    assert "Round 1 of 1" in owner.says("list")
    assert owner.says("remove", "Cup") == "The tournament is removed. Its nights stay.\n"
    assert "no tournament Cup" in owner.runs("remove", "Cup").said
    seat(owner, "--rounds", "1", players=PEOPLE[:4])
    wait_until("it counts", lambda: "Cup" in page(server, "/tournament"))
    assert "wins Cup" in owner.says("list")
    with Store.open(board.home.ledger) as store:
        store.add_remark(NightDeleted(1, deleted=True), 4)
    board.says("push")
    assert "Round 1 of 1" in owner.says("list")
    assert sorted(only) == PEOPLE[:4]


def test_what_cannot_be_seated_is_said_and_nothing_is_stored(
    club: ClubDatabase, owner: Owner
) -> None:
    def said(*words: str) -> str:
        return owner.runs("new", *words).said

    assert said("Cup", "Anna", "Ben") == "A tournament has 3 to 300 players, not 2."
    assert "so 7 players need 2 tables, not 3" in said("--tables", "3", "Cup", *PEOPLE[:7])
    assert "so 8 players need 2 tables, not 1" in said("--tables", "1", "Cup", *PEOPLE)
    assert said("Cup", "Anna", "Ben", "Anna ") == (
        "Two players are called Anna. Give one of them another name."
    )
    assert "1 to 100 characters" in said("Cup", "Anna", "Ben", "\x07")
    assert "1 to 100 characters" in said(" ", "Anna", "Ben", "Clara")
    assert "cannot be read" in said("--players", "/nowhere", "Cup")
    assert "not both" in owner.runs("new", "--players", "/nowhere", "Cup", "Anna").misused
    assert "no ruleset" in owner.runs("new", "--ruleset", "canasta", "Cup", *PEOPLE).misused
    assert "such as 2026-11-15" in owner.runs("new", "--from", "soon", "Cup", *PEOPLE).misused
    assert "no tournament Cup" in owner.runs("show", "Cup").said
    assert "no tournament yet" in owner.says("list")


def test_rules_for_fewer_players_refuse_a_larger_table(club: ClubDatabase, tmp_path: Path) -> None:
    home = Home(tmp_path / "house")
    home.house_ruleset("few.toml", 'name = "few"\nbase = "modern"\nplayers = [3, 4]\n')
    words = ("club", "tournament", "new", "--dry-run", "--ruleset", "few", "Cup")
    assert "few is for 3 to 4 players, but a table would have 5" in home.here(
        *words, *PEOPLE[:5]
    ).said  # fmt: skip
    assert home.here(*words, *PEOPLE).status == 0


def test_a_seating_is_tried_without_a_club_in_the_language_of_the_terminal(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.locale = "de_DE.UTF-8"
    file = tmp_path / "names.txt"
    file.write_bytes("Zoë\r\nJörg\r\nAnna\r\n".encode("utf-16"))
    tried = home.here("club", "tournament", "new", "--dry-run", "--rounds", "1", "--seed", "5",
                      "--players", file, "Pokal")  # fmt: skip
    assert (tried.status, tried.err) == (0, "")
    lines = tried.out.splitlines()
    assert lines[:5] == [
        "Pokal", "modern, 8 Runden je Durchgang.",
        "Wer an einem Tisch zuerst genannt ist, gibt zuerst.", "", "Durchgang 1",
    ]  # fmt: skip
    assert sorted(lines[5].split()) == ["1", "Anna", "Jörg", "Tisch", "Zoë"]
    assert lines[-2:] == ["Keine Begegnung wiederholt sich.", "Der Startwert ist 5."]
    again = home.here("club", "tournament", "new", "--rounds", "1", "Pokal", "A", "B", "C")
    assert "club.url ist leer" in again.said


def test_repeats_that_may_be_avoidable_are_counted_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pochboard.club.seating._RUNS", (1,))
    names = [f"Player {number}" for number in range(16)]
    tried = Home(tmp_path).here("club", "tournament", "new", "--dry-run", "--rounds", "5",
                                "--seed", "1", "Cup", *names)  # fmt: skip
    assert re.fullmatch(r"\d+ meetings are repeats\.", tried.out.splitlines()[-2])


def test_a_seating_for_spreadsheets_is_safe_there(owner: Owner) -> None:
    seat(owner, "--rounds", "1", players=["=1+1", "Ben", "Clara"])
    csv_text = owner.says("sheet", "Cup", "--format", "csv")
    assert csv_text.startswith('\ufeff"round","table","name"\r\n')
    assert '"\'=1+1"' in csv_text


def test_the_pages_show_another_tournament_by_its_number(owner: Owner, server: Server) -> None:
    seat(owner, "--rounds", "1")
    owner.says("new", "Next", *PEOPLE)
    wait_until("both are seen", lambda: len(get(server, "/api/tournaments")) == 2)
    assert [line["name"] for line in get(server, "/api/tournaments")] == ["Next", "Cup"]
    assert "<h2>Next</h2>" in page(server, "/tournament")
    assert "<h2>Cup</h2>" in page(server, "/tournament?number=1")
    assert "Cup · " in page(server, "/tv?number=1")
    for number in ("9", "x", "-1"):
        assert ask(server.port, "GET", f"/tournament?number={number}").status == 404
    assert "tournament" in page(server, "/league")


def test_a_machine_without_a_club_has_no_tournament(tmp_path: Path) -> None:
    Home(tmp_path).book(*night(PEOPLE[:4], 1))
    config = Config(data=Home(tmp_path).data, port=0)
    with club_server(config, load_catalog(tmp_path)) as running:
        assert get(running, "/api/tournaments") == []
        assert "There is no tournament yet." in page(running, "/tournament")
        assert "There is no tournament yet." in page(running, "/tv")


def test_a_club_from_before_tournaments_is_migrated(club: ClubDatabase, tmp_path: Path) -> None:
    board = Board(club, "kitchen")
    play(board, PEOPLE[:4])
    with open_club(club.owner) as reached:
        assert keep_up(reached) == 1
        for change in (
            "DROP TABLE club.tables, club.tournaments",
            "ALTER TABLE club.summaries DROP course",
            "UPDATE club.version SET version = 2",
        ):
            reached.connection.execute(change.encode())
    config = Config(data=tmp_path / "nothing", port=0, club=club.owner)
    with (
        pytest.raises(LedgerError, match="older version"),
        club_server(config, load_catalog(tmp_path)),
    ):
        pass
    assert "older version" in board.refuses("push")
    assert board.home.here("club", "init", *club.words(club.owner)).out == "The club was updated.\n"
    with open_club(club.owner) as reached:
        # What is kept of a night lacks its deals, and is made again.
        assert keep_up(reached) == 1
    owner = Owner(club)
    seat(owner, "--rounds", "1", players=PEOPLE[:4])
    assert "wins Cup" in owner.says("list")


def test_boards_cannot_seat_anybody_and_readers_cannot_either(
    club: ClubDatabase, owner: Owner
) -> None:
    seat(owner, "--rounds", "1")
    board = Board(club, "kitchen")
    ran = board.home.here("club", "tournament", "remove", "Cup")
    assert "this user may not do that" in ran.said
    with club.connect(club.owner) as connection, pytest.raises(psycopg.errors.CheckViolation):
        connection.execute("UPDATE club.tables SET names = '{A,B}'")
