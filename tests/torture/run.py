"""`make torture`: runs the long versions of the fault tests, one program after the other.

Each prints the seed and the counts that repeat it, and what it found in its last line.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from typing import Final

from tests.torture.machine import SKIPPED

PROGRAMS: Final[dict[str, tuple[str, ...]]] = {
    "backups": (),
    "bits": (),
    "power_cuts": ("--images", "1000000", "--weak", "20000"),
    "store_faults": (),
    "kills": ("--kills", "2000"),
    "web": ("--requests", "100000", "--examples", "200"),
    "threads": (),
    "appliance": (),
}
"""The modules of this folder, and the options that make each long."""


def main() -> None:
    """Runs all programs, or those that are named, and fails if one of them has failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", nargs="*", help=f"of {', '.join(PROGRAMS)}; else all")
    parser.add_argument("--seed", type=int, help="for all of them; by default each has its own")
    args = parser.parse_args()
    unknown = set(args.programs) - PROGRAMS.keys()
    if unknown:
        parser.error(f"there is no {' or '.join(sorted(unknown))}")
    failed, skipped = [], []
    for name in args.programs or PROGRAMS:
        seed = () if args.seed is None else ("--seed", str(args.seed))
        words = [sys.executable, "-m", f"tests.torture.{name}", *PROGRAMS[name], *seed]
        print(f"\n$ {' '.join(['python', *words[1:]])}", flush=True)
        begun = time.monotonic()
        status = subprocess.run(words, check=False).returncode
        if status == SKIPPED:
            skipped.append(name)
        elif status:
            failed.append(name)
        print(f"{time.monotonic() - begun:.0f} s", flush=True)
    said = f"FAILED: {', '.join(failed)}" if failed else "all passed"
    left_out = f"; skipped: {', '.join(skipped)}" if skipped else ""
    print(f"\n{said}{left_out}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
