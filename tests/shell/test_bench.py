"""The program of `make bench` and its table. Nothing here looks at how long something takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench import run
from tests.bench.table import Row, markdown, put_between, times


def test_a_row_says_what_stands_beside_it() -> None:
    seconds = [0.0015] * 98 + [0.009, 0.009]
    row = times("press", seconds, beside=("a bare commit", [0.001] * 100))
    assert row.cells() == ("press", "1.50 ms", "9.00 ms", "a bare commit: 1.00 ms", "1.50×")
    assert Row("load", "%", 0.034).cells() == ("load", "0.034 %", "", "", "")
    assert Row("deals", "/s", 12345.6).cells()[1] == "12,346 /s"


def test_few_measurements_have_no_99th_percentile() -> None:
    assert times("press", [0.001] * 10, beside=("bare", [0.001])).cells()[2] == ""


def test_only_the_marked_part_of_a_document_is_replaced() -> None:
    text = "a\n<!-- x -->\nold\n<!-- /x -->\nb\n"
    once = put_between(text, "x", "new")
    assert once == "a\n<!-- x -->\n\nnew\n\n<!-- /x -->\nb\n"
    assert put_between(once, "x", "new") == once
    with pytest.raises(AssertionError, match="there is no <!-- y -->"):
        put_between(text, "y", "new")


def test_everything_is_measured_and_printed_but_a_quick_run_is_not_written_down(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = run.DOCUMENT.read_bytes()
    run.main(["--quick", "--folder", str(tmp_path)])
    printed = {line.partition("  ")[0] for line in capsys.readouterr().out.splitlines()}
    assert {"press → stored → frame", "GET /", "start → first page"} <= printed
    assert run.DOCUMENT.read_bytes() == before


def test_a_whole_run_is_written_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = tmp_path / "BENCHMARKS.md"
    document.write_bytes(run.DOCUMENT.read_bytes())
    monkeypatch.setattr(run, "DOCUMENT", document)
    rows = [Row("press → stored", "ms", 1.0), Row("start → first page", "s", 0.3)]
    run.write_down("a day", rows)
    assert f"Measured on a day.\n\n{markdown(rows)}\n" in document.read_text("utf-8")
