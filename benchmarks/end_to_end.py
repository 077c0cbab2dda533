"""What do the fast surroundings give a whole training, and does it learn the same?

    python benchmarks/end_to_end.py [--quick] [--only speed|curves|bot] [--game NAME] [--markdown FILE]

Three parts, each with `--surroundings plain` beside `fast`, same numbers, same seeds, on two cores:

- speed: env steps per second while learning, by interleaved pairs of trials (`goldsplit ab`).
- curves: the evaluation after the same number of env steps, five seeds a side; the 95 % interval of the
  difference has to hold 0, and both sides have to have learned something.
- bot: how many games an agent wins against Skirmish's bot after at most ten minutes. It stops as soon as 70 %
  are certain.

Prints a table, writes benchmarks/results/end_to_end.json, and exits with 1 where a bar is missed.
`--markdown` puts the table between the marks `<!-- figures: begin -->` and `<!-- figures: end -->` of a page.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from end_to_end_parts import CURVES, SPEED, bot, curve, say, speed
from end_to_end_table import Row, as_markdown, as_text
from games_table import BEGIN, END, has_marks, write_table

RESULTS = Path(__file__).parent / "results"
PARTS = ("speed", "curves", "bot")
GAMES = ("skirmish", "snake")


def rows_of(asked: argparse.Namespace, folder: Path) -> Iterator[Row]:
    """All that was asked for, one after another."""
    parts, games = asked.only or PARTS, asked.game or GAMES
    if "speed" in parts:
        yield from (speed(case, asked.quick, folder) for case in SPEED if case.game.split()[0] in games)
    if "curves" in parts:
        yield from (curve(case, asked.quick) for case in CURVES if case.game.split()[0] in games)
    if "bot" in parts and "skirmish" in games:
        yield bot(asked.quick)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", action="append", choices=PARTS, help="one part; may be repeated")
    parser.add_argument("--game", action="append", choices=GAMES, help="one game; may be repeated")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter trials, for a first look")
    parser.add_argument(
        "--markdown", type=Path, metavar="FILE", help="write the table between the page's marks"
    )
    asked = parser.parse_args()
    if asked.markdown and not has_marks(asked.markdown):
        parser.error(f"{asked.markdown} has no place for the table\nhint: write {BEGIN} and {END} into it")
    return asked


def main() -> int:
    asked = arguments()
    # Children too: the figures are those of two cores, whatever the machine has.
    os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[:2]))
    rows: list[Row] = []
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        for row in rows_of(asked, Path(folder)):
            rows.append(row)
            say(f"{row.name}: plain {row.plain}, fast {row.fast}: {row.outcome}")
    command = " ".join(["python", "benchmarks/end_to_end.py", *sys.argv[1:]])
    say(f"took {(time.perf_counter() - began) / 60:.1f} minutes")
    print(as_text(rows))
    RESULTS.mkdir(exist_ok=True)
    found = {"command": command, "rows": [asdict(row) for row in rows]}
    (RESULTS / "end_to_end.json").write_text(json.dumps(found, indent=1) + "\n")
    if asked.markdown:
        write_table(asked.markdown, as_markdown(rows, command))
    return int(any(row.missed for row in rows))


if __name__ == "__main__":
    sys.exit(main())
