"""One worker of the search: changes runs, lets goldsplit explain them, and says what went wrong.

It reads numbers of cases from stdin and answers each with a line of JSON. A case that ends this process (out
of memory, a crash of compiled code) is seen by the one who asked.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import resource
import shutil
import signal
import sys
import traceback
import unicodedata
from pathlib import Path
from typing import Any

from tests.fuzz.mutations import mutate

RUNS = Path(__file__).with_name("runs")
EXPERIMENTS = Path(__file__).with_name("experiments")
BASE, CHANGED = "the whole run", "the changed run"
#: What is no command: `goldsplit.load`, and the conclusion of an experiment that `ab --resume` goes on with.
CALLS = ("load", "conclude")
#: These read experiments, and no single run.
OF_EXPERIMENTS = ("ledger", "conclude")
#: More than this is a hang, also on a busy machine: processor seconds, as a run of this size takes one.
MOST_CPU_SECONDS = 20
#: What reading a changed run may take at most, of which Python and NumPy themselves take about 60.
MOST_BYTES = 512 << 20

COMMANDS = (
    *(
        ["show"],
        ["show"],
        ["show", "--json"],
        ["report", "-o", "-"],
        ["plan"],
        ["stages", "--explain"],
        ["map"],
    ),
    *(["export", "--format", kind] for kind in ("flamegraph", "speedscope", "perfetto", "markdown", "csv")),
    *(
        ["export", "--format", "csv", "--table", table]
        for table in ("hotspots", "lanes", "windows", "findings")
    ),
    *(
        ["whatif", "--stage", "env.step", "--faster", "2"],
        ["whatif", "--envs", "8"],
        ["horizon", "--episodes", "500"],
    ),
    *(["ledger"], ["ledger", "--json"], ["conclude"], ["conclude"], ["load"]),
    *(["compare", "--format", kind, BASE] for kind in ("terminal", "markdown", "html", "json")),
    *(["compare", CHANGED, BASE], ["whatif", "--updates-per-step", "0.25"]),
    ["runs"],
)


#: After these a new process goes on: what it took stays taken.
ENDING = frozenset({"memory", "hang", "MemoryError"})


class TooLongError(BaseException):
    """Not an Exception: goldsplit must not swallow it."""


def attempt(case: int, folder: Path) -> dict[str, Any] | None:
    """Change a run and explain it; None if that went well."""
    chance = random.Random(case)
    command = list(chance.choice(COMMANDS))
    place = EXPERIMENTS if command[0] in OF_EXPERIMENTS else RUNS
    base = chance.choice(sorted(path for path in place.iterdir() if path.is_dir()))
    run_dir = folder / "runs" / "changed"
    remove(folder / "runs")
    shutil.copytree(base, run_dir)
    change = mutate(run_dir, chance)
    arguments = arguments_of(command, base, run_dir)
    wrong = explain(arguments)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
    if not wrong and peak > MOST_BYTES:
        wrong = {"kind": "memory", "text": f"{peak >> 20} MiB"}
    return {**wrong, "case": case, "base": base.name, "change": change, "command": command} if wrong else None


def arguments_of(command: list[str], base: Path, run_dir: Path) -> list[str]:
    """A command with the places that it is about."""
    given = [{BASE: str(base), CHANGED: str(run_dir)}.get(word, word) for word in command]
    root = ["--out", str(run_dir.parent)]
    if command == ["stages", "--explain"] or command[0] in CALLS:
        return [*given, str(run_dir)]
    if command[0] == "ledger":
        return [*given, *root, "--experiments", str(run_dir.parent)]
    return [*given, *root, *([] if command == ["runs"] or CHANGED in command else [str(run_dir)])]


def call(what: str, place: Path) -> None:
    """`goldsplit.load`, or what follows from the trials of an experiment."""
    if what == "load":
        import goldsplit

        report = goldsplit.load(place)
        print(len(repr(report)) * " ", report._repr_html_())
        return
    from goldsplit.experiment.comparison import compare
    from goldsplit.report.experiments.outcome_renderers import OutcomeMarkdown, OutcomeRenderer
    from goldsplit.store.experiment_files import read_plan, read_trials

    comparison = compare(read_plan(place), read_trials(place))
    print(json.dumps(comparison.to_json()), OutcomeMarkdown().render(comparison))
    print(OutcomeRenderer.for_stream(sys.stdout).render(comparison))


def explain(arguments: list[str]) -> dict[str, str]:
    """Run one command of goldsplit in this process; what went wrong, or nothing."""
    from goldsplit.cli.main import cli
    from goldsplit.errors import GoldsplitError

    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    signal.setitimer(signal.ITIMER_PROF, MOST_CPU_SECONDS)
    signal.alarm(10 * MOST_CPU_SECONDS)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            if arguments[0] in CALLS:
                call(arguments[0], Path(arguments[-1]))
            else:
                cli.main(arguments, standalone_mode=False, prog_name="goldsplit")
            out.flush()
    except GoldsplitError as error:
        if not error.message or not error.hint:
            return {"kind": "no hint", "text": repr(error)}
    except TooLongError:
        return {"kind": "hang", "text": places()}
    except Exception as error:
        return {"kind": type(error).__name__, "text": f"{str(error)[:200]} | {places()}"}
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(0)
    is_markup = arguments[0] in ("report", "load") or "flamegraph" in arguments or "html" in arguments
    return hidden_characters(out.buffer.getvalue().decode(), is_markup)


def hidden_characters(text: str, is_markup: bool) -> dict[str, str]:
    """Whether a terminal or a browser would obey something of what was written."""
    if is_markup and ("</script><script>" in text or "<script>alert" in text):
        return {"kind": "markup", "text": text[max(0, text.find("<script>alert") - 80) :][:200]}
    for place, char in enumerate(text):
        if char not in "\n\t " and not char.isprintable() and unicodedata.category(char) != "Zs":
            return {"kind": "hidden characters", "text": repr(text[max(0, place - 60) : place + 20])}
    return {}


def places() -> str:
    """The places of our own code that led to an error, the innermost first."""
    lines = traceback.format_exc().strip().splitlines()
    return " < ".join(line.split("goldsplit/")[-1] for line in reversed(lines) if "/goldsplit/" in line)[:400]


def remove(folder: Path) -> None:
    if folder.is_dir():
        shutil.rmtree(folder)


def too_long(number: int, frame: object) -> None:
    raise TooLongError


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    os.chdir(folder)
    signal.signal(signal.SIGPROF, too_long)
    signal.signal(signal.SIGALRM, too_long)
    resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        found = attempt(int(line), folder)
        print(json.dumps(found), file=answers, flush=True)
        if found is not None and found["kind"] in ENDING:
            return  # memory stays taken


if __name__ == "__main__":
    main()
