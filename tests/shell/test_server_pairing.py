"""Who may change anything: pairing, its cookie, and those that need none (BOARD.md 5)."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
import segno

from pochboard.runtime import threads
from pochboard.server.arrival import Arrival
from pochboard.table import pairing
from pochboard.wifi import WifiState
from tests.shell.server_kit import Answer, House, ask, running_house, wait_until

PHONE = {"User-Agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Safari/604.1"}
PROXIED = {"X-Forwarded-For": "192.168.1.77"}
"""Marks a request as coming from a client that is not on this machine."""


def open_window(house: House) -> None:
    house.table.edge("next", True).result()
    wait_until(
        "the pairing window is open",
        lambda: house.table.snapshot.pairing_open_until_ms is not None,
    )
    house.table.edge("next", False).result()


def code_of(house: House) -> dict[str, str]:
    """What a person who sees the board would type."""
    return {"code": house.table.snapshot.pairing_code or ""}


def wrong_code_of(house: House) -> dict[str, str]:
    code = code_of(house)["code"]
    return {"code": code[:-1] + ("2" if code[-1] == "1" else "1")}


def pair(house: House, headers: dict[str, str] | None = None) -> Answer:
    open_window(house)
    answer = house.post("/api/pair", code_of(house), {**PHONE, **PROXIED, **(headers or {})})
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
    with running_house(tmp_path, simulated=False) as real:
        token = pair(real).cookie.partition("=")[2].encode()
        real.get("/api/state", {"Cookie": f"pochboard={token.decode()}"})
        files = [path.read_bytes() for path in tmp_path.iterdir()]
    assert files
    assert not any(token in content for content in files)


@pytest.mark.parametrize("years", [100, -100])
def test_a_clock_that_jumps_ends_no_pairing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, years: int
) -> None:
    with running_house(tmp_path, simulated=False) as real:
        cookie = {"Cookie": pair(real).cookie}
    right_ns = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: right_ns() + years * 365 * 24 * 3600 * 10**9)
    with running_house(tmp_path, simulated=False) as real:
        assert real.get("/api/state", cookie).json["pairing"]["paired"]
        assert len(real.get("/api/pairings", cookie).json) == 1


def test_pairings_are_listed_and_revoked(real: House) -> None:
    first, second = ({"Cookie": pair(real).cookie} for _ in range(2))
    listed = real.get("/api/pairings", second).json
    assert [(pairing["number"], pairing["this"]) for pairing in listed] == [(1, False), (2, True)]
    assert set(listed[0]) == {"number", "label", "paired_ms", "used_ms", "this", "device"}
    assert [pairing["device"] is None for pairing in listed] == [True, False]
    assert real.ask("DELETE", "/api/pairings/1", None, second).status == 204
    assert real.get("/api/state", first).json["pairing"]["paired"] is False
    assert real.get("/api/pairings", first).status == 401
    answer = real.ask("DELETE", "/api/pairings/1", None, second)
    assert (answer.status, answer.code) == (404, "unknown-pairing")
    answer = real.ask("DELETE", "/api/pairings/2", None, second)
    assert answer.status == 204
    assert "Max-Age=0" in answer.headers["set-cookie"]
    assert real.get("/api/pairings", second).status == 401


def test_a_phone_is_named(real: House) -> None:
    cookie = {"Cookie": pair(real).cookie}
    path = "/api/pairings/1"
    for label in ("Anna’s phone", "a", "x" * 40):
        assert real.ask("PATCH", path, {"label": label}, cookie).status == 204
        assert [pairing["label"] for pairing in real.get("/api/pairings", cookie).json] == [label]
    for label, kept in ((" Handy\n", "Handy"), ("Ku\u0308che", "Küche"), ("\u2800a", "a")):
        assert real.ask("PATCH", path, {"label": label}, cookie).status == 204
        assert [pairing["label"] for pairing in real.get("/api/pairings", cookie).json] == [kept]
    for label in (
        "",
        " ",
        "x" * 41,
        "a\nb",
        "a\u202eb",
        "\u3164",
        "\u200d",
        "a\u00ad",
        "\n",
        "\ue000",
    ):
        assert real.ask("PATCH", path, {"label": label}, cookie).status == 400, label
    answer = real.ask("PATCH", "/api/pairings/2", {"label": "a"}, cookie)
    assert (answer.status, answer.code) == (404, "unknown-pairing")
    assert real.ask("PATCH", path, {"label": "a"}).status == 401
    # The digest of the pairings is that of the new names.
    assert real.get("/api/state", cookie).json["pairing"]["paired"] is True


def test_the_address_to_hand_on_is_the_one_that_others_can_use(
    real: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    cookie = {"Cookie": pair(real).cookie}
    here = real.get("/api/reach", cookie).json
    urls = [f"http://localhost:{real.port}"]
    assert here == {"url": None, "named": None, "qr": None, "urls": urls, "wifi": None}
    monkeypatch.setattr(real.server.context.hosts, "urls", lambda port, _: [
        f"http://pochboard.local:{port}", f"http://192.168.1.5:{port}",
    ])  # fmt: skip
    own = WifiState(mode="own", name="Poch", password="geheim12", address="192.168.1.5")
    monkeypatch.setattr("pochboard.server.context.read_state", lambda: own)
    answer = real.get("/api/reach", cookie).json
    assert answer["url"] == f"http://192.168.1.5:{real.port}/"
    assert answer["named"] == f"http://pochboard.local:{real.port}/"
    assert shows(answer["qr"], answer["url"])
    assert (answer["wifi"]["name"], answer["wifi"]["password"]) == ("Poch", "geheim12")
    assert shows(answer["wifi"]["qr"], "WIFI:T:WPA;S:Poch;P:geheim12;;")
    assert real.get("/api/reach").status == 401
    # The network of the house again: the own Wi-Fi is closed.
    joined = msgspec.structs.replace(own, mode="joined", network="Home")
    monkeypatch.setattr("pochboard.server.context.read_state", lambda: joined)
    assert real.get("/api/reach", cookie).json["wifi"] is None


def shows(drawn: dict[str, Any], text: str) -> bool:
    """Whether the path of a QR code is that of a text."""
    matrix = list(segno.make(text, micro=False).matrix_iter(border=4))
    dark = {(x, y) for y, row in enumerate(matrix) for x, module in enumerate(row) if module}
    modules = re.findall(r"M(\d+) (\d+)h1v1h-1z", drawn["path"])
    return drawn["size"] == len(matrix) and {(int(x), int(y)) for x, y in modules} == dark


@pytest.mark.parametrize(
    "cookie",
    ["pochboard=", "pochboard", "=x", ";;;", "pochboard=" + "x" * 43, "pochboard=" + "x" * 5000,
     "pochboard=a b; pochboard=\x01", "other=1", 'pochboard="' + "x" * 43 + '"'],
)  # fmt: skip
def test_an_invalid_cookie_pairs_nobody(real: House, cookie: str) -> None:
    answer = real.get("/api/state", {"Cookie": cookie})
    assert answer.json["pairing"]["paired"] is False


def test_this_machine_counts_as_paired_on_the_simulated_board_alone(
    house: House, tmp_path: Path
) -> None:
    assert house.get("/api/state").json["pairing"]["paired"] is True
    for name in ("X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"):
        answer = house.get("/api/state", {name: "for=192.168.1.77"})
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
    house: House, peer: str, own: str, paired: bool
) -> None:
    client = house.server.context.client_of(Arrival(address=peer, own_address=own))
    assert client.paired is paired


def test_a_phone_needs_the_code_that_the_board_shows(real: House) -> None:
    open_window(real)
    for body in (None, {}, {"code": ""}):
        answer = real.post("/api/pair", body)
        assert (answer.status, answer.code) == (403, "wrong-code")
    answer = real.post("/api/pair", wrong_code_of(real))
    assert (answer.status, answer.code) == (403, "wrong-code")
    assert "set-cookie" not in answer.headers
    for strange in ({"code": 12345}, {"code": "1" * 17}, {"kode": "12345"}):
        assert real.post("/api/pair", strange).status == 400
    for code in ("½²³", "\x00", "12345\n"):
        assert real.post("/api/pair", {"code": code}).code == "wrong-code"
    assert real.get("/api/pairings").status == 401
    assert real.post("/api/pair", code_of(real)).status == 200


def test_only_paired_clients_are_sent_the_code(real: House) -> None:
    cookie = {"Cookie": pair(real).cookie}
    with (
        real.stream("/api/events?frames=1", cookie) as own,
        real.stream("/api/events?frames=1") as foreign,
    ):
        for stream in (own, foreign):
            stream.next("state")
            stream.next("frame")
        open_window(real)
        code = code_of(real)["code"]
        assert re.fullmatch("[1-9]{5}", code)
        assert own.next("state").data["pairing"]["code"] == code
        assert foreign.next("state").data["pairing"]["code"] is None
        ace = slice(0, int(code[0]))
        lit = own.next("frame").data["pixels"]
        assert lit[ace] == ["#ffffff"] * int(code[0])
        for _ in range(3):
            assert set(foreign.next("frame").data["pixels"][:108]) == {"#000000"}
    assert real.get("/api/state", cookie).json["pairing"]["code"] == code
    assert real.get("/api/state").json["pairing"]["code"] is None
    assert real.get("/api/board", cookie).json["pixels"][ace] == lit[ace]
    assert set(real.get("/api/board").json["pixels"][:108]) == {"#000000"}


def test_a_client_that_tries_a_hundred_codes_neither_pairs_nor_locks_the_family_out(
    real: House,
) -> None:
    open_window(real)
    wrong = wrong_code_of(real)
    asked = [ask(real.port, "POST", "/api/pair", wrong, source="127.0.0.2") for _ in range(100)]
    assert [answer.status for answer in asked] == [403] * 5 + [429] * 95
    assert {answer.code for answer in asked} == {"wrong-code", "too-many-codes"}
    # From there even the right code is refused; from elsewhere it is accepted.
    right = code_of(real)
    assert ask(real.port, "POST", "/api/pair", right, source="127.0.0.2").status == 429
    assert ask(real.port, "POST", "/api/pair", right, source="127.0.0.3").status == 200


def test_wrong_codes_are_limited_for_all_together_and_forgiven_with_time(
    real: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_window(real)
    wrong = wrong_code_of(real)
    sources = [f"127.0.0.{2 + number // 4}" for number in range(21)]
    asked = [ask(real.port, "POST", "/api/pair", wrong, source=source) for source in sources]
    assert [answer.status for answer in asked] == [403] * 20 + [429]
    fresh = "127.0.0.99"
    assert ask(real.port, "POST", "/api/pair", code_of(real), source=fresh).status == 429
    monkeypatch.setattr(pairing, "now_us", lambda: threads.now_us() + 301_000_000)
    real.table.pairings.open()
    assert ask(real.port, "POST", "/api/pair", code_of(real), source=fresh).status == 200


def test_an_unpaired_client_may_only_hold_next_on_the_simulated_board(house: House) -> None:
    house.start_night()

    def press(button: object, ms: int) -> Answer:
        return house.post("/api/board/press", {"button": button, "ms": ms}, PROXIED)

    before = house.table.snapshot
    assert press(["next", "undo"], 1000).status == 401
    assert press("undo", 1).status == 401
    answer = press("next", 449)
    assert (answer.status, answer.code) == (403, "not-paired")
    assert answer.json["message"] == (
        "This phone is not paired. Hold “next” for 0.45 s to open pairing."
    )
    assert house.table.snapshot == before
    assert press("next", 450).status == 200
    until_ms = house.table.snapshot.pairing_open_until_ms
    assert press("next", 700).status == 200
    assert house.table.snapshot.pairing_open_until_ms == until_ms is not None
    assert house.post("/api/pair", code_of(house), PROXIED).status == 200
    assert house.table.snapshot.pairing_open_until_ms is None
