"""Run programs, a few side by side, and write what each wrote and how it ended; itself recorded or not."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

SIDE_BY_SIDE = 2


def main() -> None:
    wanted, answer = map(Path, sys.argv[1:3])
    programs = json.loads(wanted.read_text())
    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        seen = dict(zip(programs, pool.map(outcome, programs.values()), strict=True))
    answer.write_text(json.dumps(seen))


def outcome(program: dict[str, Any]) -> list[Any]:
    done = subprocess.run(
        [sys.executable, *program["command"]],
        cwd=program["cwd"],
        input=program["stdin"].encode(),
        capture_output=True,
        timeout=120,
    )
    return [done.returncode, done.stdout.decode("latin-1"), done.stderr.decode("latin-1")]


if __name__ == "__main__":
    main()
