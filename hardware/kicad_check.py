"""Runs KiCad's rule checks (DRC) on a board, in a Python that has KiCad's module `pcbnew`.

kicad.py starts it: python3 kicad_check.py BOARD. Exit status 1: violations; 77: no KiCad.
"""

from __future__ import annotations

import contextlib
import re
import sys
import tempfile
from pathlib import Path

MINIMA_MM = {
    "m_MinClearance": 0.2,
    "m_TrackMinWidth": 0.2,
    "m_CopperEdgeClearance": 0.5,
    "m_HoleClearance": 0.25,
    "m_HoleToHoleMin": 0.5,
    "m_MinThroughDrill": 0.3,
    "m_ViasMinAnnularWidth": 0.25,
}
"""What common manufacturers make."""
NOT_CHECKED = ("[lib_footprint_issues]", "[lib_footprint_mismatch]")
"""The parts are not from a library."""


def main(path: str) -> int:
    """Fills the planes, checks, and prints the violations."""
    try:
        with contextlib.redirect_stdout(sys.stderr):
            import pcbnew
    except ImportError:
        return 77
    board = pcbnew.LoadBoard(path)
    rules = board.GetDesignSettings()
    for name, least in MINIMA_MM.items():
        setattr(rules, name, pcbnew.FromMM(least))
    pcbnew.ZONE_FILLER(board).Fill(board.Zones())
    units = getattr(pcbnew, "EDA_UNITS_MILLIMETRES", None)
    if units is None:
        units = pcbnew.EDA_UNITS_MM
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.txt")
        pcbnew.WriteDRCReport(board, str(report), units, True)
        text = report.read_text("utf-8")
    parts = re.split(r"(?=^\[\w+\]: )", text, flags=re.MULTILINE)[1:]
    bad = [part for part in parts if not part.startswith(NOT_CHECKED)]
    if bad:
        print("".join(bad))
        return 1
    pads = sum(len(footprint.Pads()) for footprint in board.GetFootprints())
    print(
        f"KiCad {pcbnew.Version()}: no violation among {pads} pads and {len(board.GetTracks())}"
        " traces of the carrier board"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
