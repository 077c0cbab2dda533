"""Does `goldsplit try` find what pays, without an edit, in its time?

    python benchmarks/try_bars.py [dqn | constant | text | impure] … [--minutes M]

- dqn: 64 updates of a tiny network per vector step on two torch threads: `threads:1` is tried and timed
- constant: a game with a check that is always true: found, kept, with equal play
- text: a game that evaluates equal texts: found, kept, with equal play
- impure: the memo of a function that is not pure is stopped by `verify` and dropped

Prints a table, writes benchmarks/results/try_bars.json (parts that were not run keep their last result),
exits with 1 if a bar is missed. What `threads:1` gains depends on the machine: where other programs want the
cores too (load average plus two threads above the number of cores) it must be kept with a gain above 1; on a
quiet one with cores to spare two threads may be as good, and the bar is that it was timed with an interval.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results" / "try_bars.json"
MEMO = "memo:try_programs:bonus@run"

Row = dict[str, Any]
"""A tried remedy, as in the JSON of `goldsplit try`."""


def is_kept(row: Row) -> bool:
    return row["verdict"] == "keep" and row["equal"] == "yes"


def is_timed(row: Row) -> bool:
    return row["measured_low"] is not None


def is_kept_or_quiet(row: Row) -> bool:
    """A gain above 1 that is kept, on a machine where cores are scarce; elsewhere an interval is all."""
    return is_timed(row) and (not is_loaded() or (row["verdict"] == "keep" and row["measured_gain"] > 1))


def is_loaded() -> bool:
    """Whether more processes want a core than there are cores, the program's own two threads counted."""
    return os.getloadavg()[0] + 2 > len(os.sched_getaffinity(0)) + 0.5


def is_stopped(row: Row) -> bool:
    return row["verdict"] == "drop" and row["why"].startswith("it would have changed an answer")


#: Part → the remedy that must be among those tried, what must be true of it, in words.
BARS: dict[str, tuple[str, Callable[[Row], bool], str]] = {
    "dqn": ("threads:1", is_kept_or_quiet, "a gain above 1, kept, where cores are scarce; else timed"),
    "constant": ("constant:try_programs:sees", is_kept, "kept, equal play"),
    "text": ("compiled-text", is_kept, "kept, equal play"),
    "impure": (MEMO, is_stopped, "stopped by verify"),
}


def measure(part: str, minutes: float) -> Row:
    """Run `goldsplit try` on one program."""
    wanted, holds, bar = BARS[part]
    asked = ["--only", "--overlay", MEMO] if part == "impure" else []
    with tempfile.TemporaryDirectory(prefix="goldsplit-try-") as folder:
        begun = time.monotonic()
        program = [sys.executable, str(HERE / "programs" / "try_programs.py"), part, "{seed}"]
        options = ["--minutes", str(minutes), "--json", "out.json", *asked]
        command = [sys.executable, "-m", "goldsplit", "try", *options, "--", *program]
        done = subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, check=False)
        took = time.monotonic() - begun
        file = Path(folder) / "out.json"
        tried = json.loads(file.read_text())["tried"] if file.exists() else []
    row = next((one for one in tried if one["overlay"] == wanted), None)
    held = done.returncode == 0 and row is not None and holds(row) and took <= 60 * minutes + 30
    return {"part": part, "remedy": wanted, "bar": bar, "held": held, "seconds": round(took), "row": row}


def shown(found: Row) -> str:
    """One line of the table."""
    row = found["row"]
    figures = "not tried"
    if row is not None and row["measured_low"] is not None:
        gain, low, high = (row[f"measured_{name}"] for name in ("gain", "low", "high"))
        figures = f"{gain:.2f}x ({low:.2f}x to {high:.2f}x), {row['pairs']} pairs, same play {row['equal']}"
    elif row is not None:
        figures = f"{row['verdict']}: {row['why'][:70]}"
    held = "held" if found["held"] else "MISSED"
    return f"{found['part']:9} {found['remedy']:27} {figures} | {found['bar']}: {held}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=[*BARS, []], help="what to run; all of them by default")
    parser.add_argument("--minutes", type=float, default=15.0, help="time for each")
    given = parser.parse_args()
    before = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for part in given.parts or BARS:
        before[part] = found = measure(part, given.minutes)
        print(shown(found), flush=True)
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(json.dumps(before, indent=1) + "\n")
    return 0 if all(before[part]["held"] for part in given.parts or BARS) else 1


if __name__ == "__main__":
    sys.exit(main())
