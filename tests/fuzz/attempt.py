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
    ["runs"],
)


#: After these a new process goes on: what it took stays taken.
ENDING = frozenset({"memory", "hang", "MemoryError"})


class TooLongError(BaseException):
    """Not an Exception: goldsplit must not swallow it."""


def attempt(case: int, folder: Path) -> dict[str, Any] | None:
    """Change a run and explain it; None if that went well."""
    chance = random.Random(case)
    base = chance.choice(sorted(path for path in RUNS.iterdir() if path.is_dir()))
    run_dir = folder / "runs" / "changed"
    remove(folder / "runs")
    shutil.copytree(base, run_dir)
    change = mutate(run_dir, chance)
    command = list(chance.choice(COMMANDS))
    arguments = [*command, "--out", str(folder / "runs")] + ([] if command == ["runs"] else [str(run_dir)])
    if command == ["stages", "--explain"]:
        arguments = [*command, str(run_dir)]
    wrong = explain(arguments)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
    if not wrong and peak > MOST_BYTES:
        wrong = {"kind": "memory", "text": f"{peak >> 20} MiB"}
    return {**wrong, "case": case, "base": base.name, "change": change, "command": command} if wrong else None


def explain(arguments: list[str]) -> dict[str, str]:
    """Run one command of goldsplit in this process; what went wrong, or nothing."""
    from goldsplit.cli.main import cli
    from goldsplit.errors import GoldsplitError

    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    signal.setitimer(signal.ITIMER_PROF, MOST_CPU_SECONDS)
    signal.alarm(10 * MOST_CPU_SECONDS)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
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
    is_markup = arguments[0] == "report" or "flamegraph" in arguments
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
