"""`make demo`: the whole path on a slow training, in about a minute and a half.

A hex wargame and a DQN, as a hobby author writes them, are recorded and explained; one remedy is measured
without an edit; then the same training runs with the parts of `goldsplit.fast`. Ends with one screen: what
holds the slow one back, what to do next, what that saves at most, and before/after. docs/walk.md is the same
path with more time.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from goldsplit import pipeline
from goldsplit.experiment.side_by_side import side_by_side
from goldsplit.model.experiment.side_by_side import SideBySide
from goldsplit.model.profile import Profile
from goldsplit.model.report import Report
from goldsplit.report import words
from goldsplit.report.last_screen import MOST_LINES, last_screen
from goldsplit.report.terminal import TerminalRenderer
from goldsplit.store.directory import find_run

FOLDER = Path(".goldsplit")
SLOW, FAST = "demo", "demo-fast"
#: Less than a minute and a half: a recording, three trials to compare the play, and some pairs of trials.
TRY_MINUTES = 1.4
#: How long the fast training is recorded; longer only where a busy machine did not get to its first steps.
FAST_SECONDS = (9, 27)
#: What a deep look at this game finds by itself within half a minute; named here, so that no time is spent.
REMEDY = "constant:goldsplit.games.skirmish.plain_bot:check_smoke"


def training(surroundings: str) -> list[str]:
    """The same training in both surroundings; it is ended from outside."""
    python = os.path.relpath(sys.executable)
    given = ["envs=8", "warmup=64", "batch=64", "evaluate_games=0"]
    settings = [part for one in given for part in ("--set", one)]
    named = ["dqn", "--game", "skirmish", "--surroundings", surroundings, "--steps", "1000000"]
    return [python, "-m", "goldsplit.train", *named, *settings, "--quiet"]


def run(title: str, arguments: Sequence[str], good: Sequence[int] = (0,), show: bool = True) -> None:
    """One command of goldsplit, shown as it can be pasted."""
    print(f"\n== {title}\n$ goldsplit {shlex.join(arguments)}\n", flush=True)
    command = [sys.executable, "-m", "goldsplit", *arguments]
    done = subprocess.run(command, stdout=None if show else subprocess.DEVNULL)
    if done.returncode not in good:
        raise SystemExit(f"that failed with exit code {done.returncode}\nhint: see above; goldsplit doctor")


def compile_once() -> None:
    """A first short training, so that Numba's work for a fresh clone is not in the recording."""
    print("\n== compile the fast game, once for this clone\n", flush=True)
    subprocess.run([*training("fast"), "--steps", "200"], check=True)


def written(arguments: Sequence[str]) -> str:
    """What a command of goldsplit prints."""
    command = [sys.executable, "-m", "goldsplit", *arguments]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def profile_of(run: str) -> Profile:
    """The newest run of this name."""
    return pipeline.profile(find_run(run, FOLDER / "runs").path)


def before_and_after(found: SideBySide) -> list[str]:
    """Both speeds, from the two recordings."""
    first, second, ratio = found.first.us_per_env_step, found.second.us_per_env_step, found.speedup
    if not (first and second and ratio):
        return ["After        not measured: one of the recordings has no environment steps"]
    speeds = f"{words.rate(1e6 / first)} → {words.rate(1e6 / second)} env steps/s"
    return [f"After        {speeds} with goldsplit.fast: {ratio:.1f}x (single runs)"]


def last_lines(report: Report, run: str, found: SideBySide, page: TerminalRenderer) -> list[str]:
    """What stays on the screen, in no more lines than after any recording."""
    ours = [
        *before_and_after(found),
        f"files: {FOLDER}/demo.html, demo-plan.md, demo.json · story: docs/walk.md",
    ]
    verdict = last_screen(report, run, page, MOST_LINES - len(ours) + 1).splitlines()
    return [*(line for line in verdict if not line.startswith("run: ")), *(map(page.written, ours))]


def main() -> int:
    FOLDER.mkdir(exist_ok=True)
    tried = ["try", "--minutes", str(TRY_MINUTES), "--name", SLOW, "--seed-arg", "--seed"]
    tried += ["--only", "--overlay", REMEDY, "--", *training("plain")]
    run("record a slow training, and try a remedy without an edit", tried)
    compile_once()
    for seconds in FAST_SECONDS:
        recorded = ["record", "--name", FAST, "--duration", str(seconds), "--", *training("fast")]
        run("the same training with the parts of goldsplit.fast", recorded, good=(0, 130))
        if profile_of(FAST).throughput.env_steps:
            break
    run("what became cheaper", ["compare", SLOW, FAST])
    report, plan, data = (FOLDER / name for name in ("demo.html", "demo-plan.md", "demo.json"))
    run("the report as a page", ["report", SLOW, "--output", str(report)])
    run("what to do, in order", ["plan", SLOW, "--output", str(plan)])
    data.write_text(written(["show", SLOW, "--json"]), encoding="utf-8")
    explained = pipeline.report(find_run(SLOW, FOLDER / "runs").path)
    found = side_by_side(explained.profile, profile_of(FAST))
    page = TerminalRenderer.for_stream(sys.stdout)
    print("\n".join(["", *last_lines(explained, SLOW, found, page)]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
