"""Who may change anything: pairing, its cookie, and those that need none (BOARD.md 5)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pochboard.buttons.press import PressTimes
from pochboard.server.authentication import RequestSource, device_label, token_of
from tests.shell.server_kit import Answer, House, house, wait_until

PHONE = {"User-Agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Safari/604.1"}
PROXIED = {"X-Forwarded-For": "192.168.1.77"}
"""Marks a request as coming from a client that is not on this machine."""


@pytest.fixture
def home(tmp_path: Path) -> Iterator[House]:
    with house(tmp_path) as running:
        yield running


@pytest.fixture
def real(tmp_path: Path) -> Iterator[House]:
    with house(tmp_path, simulated=False) as running:
        yield running


def open_window(home: House) -> None:
    home.table.edge("next", True).result()
    wait_until(
        "the pairing window is open",
        lambda: home.table.snapshot.pairing_open_until_ms is not None,
    )
    home.table.edge("next", False).result()


def pair(home: House, headers: dict[str, str] | None = None) -> Answer:
    open_window(home)
    answer = home.ask("POST", "/api/pair", None, {**PHONE, **PROXIED, **(headers or {})})
    assert answer.status == 200, answer.body
    return answer


def test_anyone_may_watch_but_only_paired_clients_may_change_anything(real: House) -> None:
    for path in ("/", "/nights", "/api/state", "/api/nights", "/api/board", "/api/rulesets"):
        assert real.get(path).status == 200
    assert real.get("/api/state").json["pairing"]["paired"] is False
    start = {"do": "start", "ruleset": "modern", "players": ["A", "B", "C"]}
    assert real.post("/api/commands", start).code == "not-paired"
    assert real.post("/api/commands", "nonsense", {"Content-Type": "text/plain"}).status == 401
    assert real.post("/api/nights", "", {"Content-Type": "text/plain"}).status == 401
    assert real.get("/api/pairings").status == 401
    assert real.ask("DELETE", "/api/pairings/1").status == 401
    assert real.ask("DELETE", "/api/pairings").status == 401
    assert real.table.snapshot.state.phase == "none"


def test_pairing_takes_an_open_window_and_closes_it(real: House) -> None:
    answer = real.ask("POST", "/api/pair")
    assert (answer.status, answer.code) == (403, "pairing-closed")
    answer = pair(real)
    assert answer.json == {"number": 1, "label": "iPhone, Safari"}
    assert real.get("/api/state").json["pairing"]["open"] is False
    assert real.ask("POST", "/api/pair").status == 403
    cookie = {"Cookie": answer.cookie}
    assert real.get("/api/state", cookie).json["pairing"]["paired"] is True
    start = {"do": "start", "ruleset": "modern", "players": ["A", "B", "C"]}
    assert real.post("/api/commands", start, cookie).status == 200


def test_the_cookie_is_random_and_kept_from_scripts_and_other_sites(real: House) -> None:
    first, second = pair(real), pair(real)
    name, _, token = first.cookie.partition("=")
    assert name == "pochboard"
    assert len(token) >= 43
    assert first.cookie != second.cookie
    flags = {part.strip() for part in first.headers["set-cookie"].split(";")[1:]}
    flags = {flag for flag in flags if not flag.startswith("Expires=")}
    assert flags == {"HttpOnly", "SameSite=Strict", "Path=/", f"Max-Age={90 * 24 * 3600}"}


def test_the_token_is_not_stored(tmp_path: Path) -> None:
    with house(tmp_path, simulated=False) as real:
        token = pair(real).cookie.partition("=")[2].encode()
        real.get("/api/state", {"Cookie": f"pochboard={token.decode()}"})
        files = [path.read_bytes() for path in tmp_path.iterdir()]
    assert files
    assert not any(token in content for content in files)


def test_pairing_outlives_a_restart(tmp_path: Path) -> None:
    with house(tmp_path, simulated=False) as real:
        cookie = {"Cookie": pair(real).cookie}
    with house(tmp_path, simulated=False) as real:
        assert real.get("/api/state", cookie).json["pairing"]["paired"] is True


def test_use_renews_the_cookie(real: House) -> None:
    cookie = pair(real).cookie
    answer = real.get("/", {"Cookie": cookie})
    assert answer.cookie == cookie
    assert "set-cookie" not in real.get("/").headers
    assert "set-cookie" not in real.get("/", {"Cookie": "pochboard=" + "x" * 43}).headers


def test_a_cookie_of_another_program_that_is_not_utf_8_does_no_harm(real: House) -> None:
    # Cookies do not keep to a port, so other servers on the same machine set some too.
    cookie = {"Cookie": f"other=\xff; {pair(real).cookie}"}
    assert real.get("/", cookie).status == 200
    assert real.get("/api/state", cookie).json["pairing"]["paired"] is True
    with real.stream(headers=cookie) as stream:
        assert stream.next("state").data["pairing"]["paired"] is True


def test_pairings_are_listed_and_revoked(real: House) -> None:
    first, second = ({"Cookie": pair(real).cookie} for _ in range(2))
    listed = real.get("/api/pairings", second).json
    assert [(one["number"], one["this"]) for one in listed] == [(1, False), (2, True)]
    assert set(listed[0]) == {"number", "label", "paired_ms", "used_ms", "this"}
    assert real.ask("DELETE", "/api/pairings/1", None, second).status == 204
    assert real.get("/api/state", first).json["pairing"]["paired"] is False
    assert real.get("/api/pairings", first).status == 401
    answer = real.ask("DELETE", "/api/pairings/1", None, second)
    assert (answer.status, answer.code) == (404, "unknown-pairing")
    answer = real.ask("DELETE", "/api/pairings", None, second)
    assert answer.status == 204
    assert "Max-Age=0" in answer.headers["set-cookie"]
    assert real.get("/api/pairings", second).status == 401


def test_pairing_again_gives_a_new_cookie_and_ends_the_old_one(real: House) -> None:
    old = {"Cookie": pair(real).cookie}
    new = {"Cookie": pair(real, old).cookie}
    assert old != new
    assert real.get("/api/pairings", old).status == 401
    assert [one["number"] for one in real.get("/api/pairings", new).json] == [2]


@pytest.mark.parametrize(
    "cookie",
    ["pochboard=", "pochboard", "=x", ";;;", "pochboard=" + "x" * 43, "pochboard=" + "x" * 5000,
     "pochboard=a b; pochboard=\x01", "other=1", 'pochboard="' + "x" * 43 + '"'],
)  # fmt: skip
def test_an_invalid_cookie_pairs_nobody(real: House, cookie: str) -> None:
    answer = real.get("/api/state", {"Cookie": cookie})
    assert answer.json["pairing"]["paired"] is False


def test_a_cookie_is_found_among_others() -> None:
    token = "x" * 43
    assert token_of({"cookie": f"a=1; pochboard={token}; b=2"}) == token
    assert token_of({"cookie": f"xpochboard={token}"}) is None
    assert token_of({}) is None


def test_this_machine_counts_as_paired_on_the_simulated_board_alone(
    home: House, tmp_path: Path
) -> None:
    assert home.get("/api/state").json["pairing"]["paired"] is True
    for name in ("X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"):
        answer = home.get("/api/state", {name: "for=192.168.1.77"})
        assert answer.json["pairing"]["paired"] is False


@pytest.mark.parametrize(
    ("peer", "own", "paired"),
    [
        ("127.0.0.1", "127.0.0.1", True),
        ("127.0.0.5", "127.0.0.1", True),
        ("::1", "::1", True),
        ("::ffff:127.0.0.1", "::ffff:127.0.0.1", True),
        ("192.168.1.20", "192.168.1.20", True),
        ("192.168.1.77", "192.168.1.20", False),
        ("::ffff:192.168.1.77", "::ffff:192.168.1.20", False),
    ],
)
def test_clients_on_this_machine_are_told_by_address(
    home: House, peer: str, own: str, paired: bool
) -> None:
    authenticator = home.server.authenticator
    assert authenticator.client(RequestSource({}, peer, own)).paired is paired


def test_the_local_token_counts_anywhere(real: House) -> None:
    def paired(authorization: str) -> bool:
        answer = real.get("/api/state", {"Authorization": authorization, **PROXIED})
        return bool(answer.json["pairing"]["paired"])

    assert paired("Bearer the-local-token")
    assert paired("bearer the-local-token")
    for wrong in ("Bearer ", "Bearer", "Bearer the-local-tokeN", "Basic the-local-token", ""):
        assert not paired(wrong)


def test_anybody_may_press_next_on_the_simulated_board_and_nothing_else(home: House) -> None:
    def press(button: object, **more: object) -> int:
        return home.post("/api/board/press", {"button": button, **more}, PROXIED).status

    assert press("next", ms=1) == 200
    assert press(["next"], ms=1) == 200
    assert press(["next", "undo"], ms=1) == 401
    assert press("seat1", ms=1) == 401
    edge = {"button": "next", "down": True}
    assert home.post("/api/board/edge", edge, PROXIED).status == 200
    assert home.post("/api/board/edge", {**edge, "down": False}, PROXIED).status == 200
    assert home.post("/api/board/edge", {"button": "undo", "down": True}, PROXIED).status == 401


def test_holding_next_on_the_page_opens_pairing(tmp_path: Path) -> None:
    with house(tmp_path, times=PressTimes(next_long_us=30_000)) as home:
        assert home.post("/api/board/press", {"button": "next", "ms": 400}, PROXIED).status == 200
        assert home.get("/api/state").json["pairing"]["open"] is True
        assert home.ask("POST", "/api/pair", None, PROXIED).status == 200


@pytest.mark.parametrize(
    ("agent", "label"),
    [
        (PHONE["User-Agent"], "iPhone, Safari"),
        ("Mozilla/5.0 (Linux; Android 14) Chrome/120.0 Mobile Safari/537.36", "Android, Chrome"),
        ("Mozilla/5.0 (Windows NT 10.0) Chrome/120.0 Safari/537.36 Edg/120", "Windows, Edge"),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120", "Linux, Firefox"),
        ("curl/8.1", "curl/8.1"),
        ("", "a client without a name"),
        ("\x07" + "y" * 90, "y" * 39),
    ],
)
def test_labels_name_device_and_browser(agent: str, label: str) -> None:
    assert device_label(agent) == label
