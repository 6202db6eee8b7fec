"""The program of `make bench` and its table. Nothing here looks at how long something takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench import run


def test_everything_is_measured_and_printed_but_a_quick_run_is_not_written_down(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = run.DOCUMENT.read_bytes()
    run.main(["--quick", "--folder", str(tmp_path)])
    printed = {line.partition("  ")[0] for line in capsys.readouterr().out.splitlines()}
    assert {"press → stored → frame", "GET /", "start → first page"} <= printed
    assert run.DOCUMENT.read_bytes() == before
