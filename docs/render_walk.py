"""Run the commands of docs/walk.md and put what they print below them.

    python docs/render_walk.py [--only record --only compare]

A block of shell commands that is followed by `<!-- output begins: NAME -->` is run in a folder of its own,
and its output goes between that line and `<!-- output ends: NAME -->`. So every figure of the page comes from
a command in it. Takes about a quarter of an hour, and wants a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

PAGE = Path(__file__).with_name("walk.md")
#: A shell block, the name of its output, and the output as it is now.
SHOWN = re.compile(
    r"```sh\n(?P<commands>[^`]*?)```\n\n<!-- output begins: (?P<name>\w+) -->\n(?P<old>.*?)"
    r"<!-- output ends: (?P=name) -->",
    re.DOTALL,
)
#: Lines about the progress of trials, which nobody reads later.
PROGRESS = re.compile(r"^(trial \d|pair \d|does it play|recording for|all together|warning: )")
#: A gain that is not reached (1) and one that is not decided (3) are answers, too; 130: ended by --duration.
FINE = (0, 1, 3, 130)


def blocks(page: str) -> dict[str, str]:
    """The commands of each output, by its name."""
    return {found["name"]: found["commands"] for found in SHOWN.finditer(page)}


def filled(page: str, outputs: dict[str, str]) -> str:
    """The page with these outputs; the others stay as they are."""

    def one(found: re.Match[str]) -> str:
        text = outputs.get(found["name"])
        if text is None:
            return found[0]
        begins, ends = (f"<!-- output {word}: {found['name']} -->" for word in ("begins", "ends"))
        return f"```sh\n{found['commands']}```\n\n{begins}\n```text\n{text}```\n{ends}"

    return SHOWN.sub(one, page)


def tidy(text: str) -> str:
    """Output as a reader wants it: without progress, and without paths of this machine."""
    lines = [line.rstrip() for line in text.splitlines() if not PROGRESS.match(line)]
    shown = re.sub(r"\S*/bin/python[\d.]* -m goldsplit ", "goldsplit ", "\n".join(lines))
    return re.sub(r"\S*/bin/python[\d.]*", "python", shown).strip("\n") + "\n"


def printed(commands: str, folder: Path) -> str:
    """What a block prints, on a terminal of 80 columns."""
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-c", commands],
        cwd=folder,
        env={**os.environ, "PATH": path, "COLUMNS": "80", "NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode not in FINE:
        raise SystemExit(f"{commands}failed with exit code {done.returncode}:\n{done.stdout[-2000:]}")
    return tidy(done.stdout)


def main() -> None:
    known = blocks(PAGE.read_text(encoding="utf-8"))
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", action="append", choices=known, help="one output; may be repeated")
    parser.add_argument("--folder", type=Path, help="where the runs are kept  [default: nowhere]")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = asked.folder or Path(scratch)
        for name in asked.only or known:
            print(f"{name} …", file=sys.stderr, flush=True)
            text = printed(known[name], folder)
            page = PAGE.read_text(encoding="utf-8")
            PAGE.write_text(filled(page, {name: text}), encoding="utf-8")


if __name__ == "__main__":
    main()
