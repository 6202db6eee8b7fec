"""The program of `make bench` and `make count`: its table, what it keeps, and how it compares.

Nothing here looks at how long something takes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pochboard.doctor.speed import measure_start
from pochboard.errors import BenchError
from tests.bench import growth, run, small_pi
from tests.bench.bots import decisions
from tests.bench.disk import bytes_to_the_disk
from tests.bench.frames import draw
from tests.bench.nights import night_of
from tests.bench.peers import peer_python
from tests.bench.statistics import statistics_figures
from tests.bench.table import DOCUMENT, Goal, Row, Run, compared, missing, put_between, times


def a_run(**groups: list[Row]) -> Run:
    return Run("abc1234", "2026-11-27", "a machine", "a load of 0.1", groups)


def test_a_row_says_what_stands_beside_it_and_whether_its_goals_are_met() -> None:
    beside = ("a bare commit", [0.001] * 100)
    goals = (Goal(1.8, "ratio"), Goal(5.0, "p99"))
    seconds = [0.0015] * 98 + [0.009, 0.009]
    assert times("press", seconds, beside=beside, goals=goals).cells() == (
        "press",
        "1.50 ms",
        "9 ms",
        "a bare commit: 1 ms",
        "1.50×",
        "≤ 1.8×; p99 ≤ 5 ms",
        "**no**",
    )
    assert times("press", seconds, beside=beside, goals=goals[:1]).met is True


def test_a_goal_of_a_rate_is_a_lower_limit() -> None:
    row = Row("commands", "/s", 9000.0, None, "others", 100.0, (Goal(80, "ratio", at_least=True),))
    assert row.cells()[4:] == ("90×", "≥ 80×", "yes")
    assert msgspec.structs.replace(row, median=7000.0).met is False


def test_few_measurements_have_no_99th_percentile_and_meet_no_goal_of_it() -> None:
    row = times("press", [0.001] * 10, goals=(Goal(5.0, "p99"),))
    assert row.cells()[2] == ""
    assert row.cells()[6] == "–"


def test_a_row_without_a_figure_says_why_and_meets_no_goal() -> None:
    row = missing("RLCard", "/s", "it cannot be installed", (Goal(1.0),))
    assert row.cells() == (
        "RLCard", "–", "", "not measured: it cannot be installed", "", "≤ 1 /s", "–",
    )  # fmt: skip


def test_cells_stand_in_a_grid_of_their_own() -> None:
    rows = [
        Row("press, 100 nights", "ms", 2.0, cell=("press", "100 nights")),
        Row("press, 1 night", "ms", 1.0, cell=("press", "1 night")),
        Row("start, 1 night", "s", 3.0, cell=("start", "1 night")),
    ]
    text = a_run(growth=rows).markdown()
    assert text.endswith(
        "**growth**\n\n"
        "|  | 1 night | 100 nights |\n"
        "| --- | --- | --- |\n"
        "| press | 1 ms | 2 ms |\n"
        "| start | 3 s |  |"
    )
    assert "press, 1" not in text


def test_a_run_is_kept_and_compared(tmp_path: Path) -> None:
    before = a_run(
        press=[Row("stored", "ms", 2.0, None, "bare", 1.0), Row("gone", "ms", 1.0)],
        page=[Row("page", "kB", 50.0)],
    )
    before.keep(tmp_path / "folder" / "before.json")
    now = a_run(press=[Row("stored", "ms", 3.0, None, "bare", 1.0), Row("new", "s", 1.0)])
    text = compared(Run.read(tmp_path / "folder" / "before.json"), now)
    lines = [line.split() for line in text.splitlines()[4:]]
    assert lines == [
        ["stored", "2", "ms", "3", "ms", "+50%", "2×", "3×"],
        ["new", "–", "1", "s"],
        ["not", "measured", "any", "more:", "gone"],
    ]


def test_only_the_marked_part_of_a_document_is_replaced() -> None:
    text = "a\n<!-- x -->\nold\n<!-- /x -->\nb\n"
    once = put_between(text, "x", "new")
    assert once == "a\n<!-- x -->\n\nnew\n\n<!-- /x -->\nb\n"
    assert put_between(once, "x", "new") == once
    with pytest.raises(AssertionError, match="there is no <!-- y -->"):
        put_between(text, "y", "new")


def test_the_documents_have_every_mark() -> None:
    for file, mark in ((DOCUMENT, "bench"), (DOCUMENT, "small-pi"), (run.README, "bench")):
        text = file.read_text("utf-8")
        assert put_between(text, mark, "x") != text


def test_a_package_that_cannot_be_installed_is_named_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "cards.txt").write_text("./nowhere.whl --hash=sha256:00\n", "utf-8")
    python, reason = peer_python("cards", tmp_path, tmp_path / "made")
    assert python is None
    assert reason.startswith("cards cannot be installed (ERROR: ")
    assert "nowhere.whl" in reason
    assert not (tmp_path / "made" / "cards").exists(), "nothing half made is left"


def test_bots_are_measured_without_the_packages_beside_them() -> None:
    rows = decisions(0.0, lambda name: (None, f"{name} cannot be installed"))
    slowest = rows[0]
    assert slowest.other is None
    assert slowest.beside == "not measured: cards cannot be installed"
    cells = [row for row in rows if row.cell]
    assert slowest.median == min(row.median or 0.0 for row in cells)
    assert {row.cell for row in cells if row.cell} >= {
        ("modern", "3 players"),
        ("pagat", "6 players"),
    }


def test_statistics_are_measured_without_hledger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    rows = statistics_figures(tmp_path, 1000)
    assert rows[0].beside == "hledger is not installed"
    assert [row.ratio for row in rows] == [None] * 4
    assert all(row.median for row in rows)


def test_the_kernel_counts_fewer_bytes_than_for_a_rollback_journal(tmp_path: Path) -> None:
    for row in bytes_to_the_disk(tmp_path):
        if row.median is None:
            assert row.beside == f"not measured: {tmp_path} is not on a disk"
        else:
            assert row.met is True, row.cells()


def test_a_long_night_has_as_many_entries_as_wanted() -> None:
    stored, summary = night_of(1000)
    assert 1000 <= len(stored.entries) < 1100
    assert summary.ended_ms is not None


def test_frames_differ_while_chips_move() -> None:
    assert draw(120) > 2 * draw(60) - draw(1) > 0


@pytest.fixture
def small(tmp_path: Path) -> list[str]:
    """The options of a short run of which nothing stays."""
    return ["--quick", "--json", str(tmp_path / "kept.json"), "--folder", str(tmp_path)]


def test_some_groups_are_measured_kept_and_compared(
    small: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = DOCUMENT.read_bytes()
    assert run.main(["--only", "rules", "disk", *small]) == 0
    kept: dict[str, Any] = json.loads((tmp_path / "kept.json").read_text("utf-8"))
    assert list(kept["groups"]) == ["rules", "disk"]
    printed = capsys.readouterr().out
    assert "PokerKit's player actions" in printed
    assert run.main(["--only", "rules", "--against", str(tmp_path / "kept.json"), *small]) == 0
    assert "ratio before" in capsys.readouterr().out
    assert DOCUMENT.read_bytes() == before, "only a whole run is written down"


def test_a_group_that_fails_is_named_and_the_others_go_on(
    small: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fails(_folder: Path, _extent: run.Extent) -> list[Row]:
        raise OSError("no such port")

    monkeypatch.setitem(run.GROUPS, "home", fails)
    assert run.main(["--only", "home", "rules", *small]) == 1
    printed = capsys.readouterr().out
    assert "not measured: no such port" in printed
    assert "commands a second through rules and book" in printed
    assert printed.endswith("not measured: home\n")


def test_a_run_to_compare_with_is_read_before_anything_is_measured(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        run.main(["--only", "rules", "--against", str(tmp_path / "nowhere.json")])


def test_a_whole_run_is_written_down_with_its_plot(tmp_path: Path) -> None:
    names = [name for _, _, names in growth._PANELS for name in names]
    cells = [
        Row(f"{name}, {nights}", "ms", float(nights), cell=(name, f"{nights} nights"))
        for nights in growth.NIGHTS
        for name in names
    ]
    document = tmp_path / "document.md"
    document.write_text("before\n<!-- bench -->\n<!-- /bench -->\nafter\n", "utf-8")
    readme = tmp_path / "README.md"
    readme.write_text("<!-- bench -->\n<!-- /bench -->\n", "utf-8")
    rows = [Row("stored", "ms", 2.0), Row("start → first page", "s", 0.3)]
    whole = a_run(press=rows, growth=cells)
    whole.took_s = 600
    run.write_down(whole, document, readme, tmp_path / "growth.svg")
    assert readme.read_text("utf-8").splitlines()[2:-2] == [
        "Measured on 2026-11-27, abc1234: a machine, a load of 0.1; it took 10 minutes.",
        "",
        "|  | median | p99 | beside it | ratio |",
        "| --- | --- | --- | --- | --- |",
        "| start → first page | 0.30 s |  |  |  |",
    ]
    text = document.read_text("utf-8")
    assert "Measured on 2026-11-27, abc1234: a machine, a load of 0.1; it took 10 minutes." in text
    assert "| stored | 2 ms |" in text
    assert (tmp_path / "growth.svg").read_text("utf-8").count("<path") > 50


def test_a_pi_takes_as_long_as_published_for_what_was_published() -> None:
    counted = {
        name: round(1e9 * published.seconds * published.inner)
        for name, published in small_pi.PI_5.items()
    }
    assert small_pi.rates(counted)["Pi 5"] == pytest.approx(1e9, rel=1e-3)
    table = small_pi.estimates({"page": 10_000_000}, counted)
    score = small_pi.SEVEN_ZIP
    slower = score["Pi 5"] / score["Pi Zero 2 W"]
    assert table.splitlines()[-1] == (
        f"| the page, `/` | 10.0 | {10 * slower:.2g} ms |"
        f" {10 * score['Pi 5'] / score['Pi 4 B']:.2g} ms | 10 ms |"
    )


def test_everything_that_is_counted_has_a_name() -> None:
    kept = json.loads((Path(small_pi.__file__).parent / "instructions.json").read_text("utf-8"))
    assert set(kept["instructions"]) <= set(small_pi.NAMES)


def test_a_daemon_that_does_not_start_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("in the way", "utf-8")
    with pytest.raises(BenchError, match="The daemon to be measured does not start"):
        measure_start(tmp_path)
