"""A program is understood in the same way in every run: sets must not decide by their order."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

WILD = Path(__file__).resolve().parents[3] / "benchmarks" / "wild"
DECIDE = """
import sys
from pathlib import Path
from goldsplit.naming.reading.program import read_program
from goldsplit.naming.roles import decide

for script in sorted(Path(sys.argv[1]).glob("*/train.py")):
    for one in sorted(decide(read_program(script, [])), key=str):
        print(script.parent.name, one.function, one.first, one.stage, one.counted, one.ends_at, one.reason)
"""


def decisions(seed: str) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    command = [sys.executable, "-c", DECIDE, str(WILD)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


def test_the_order_of_sets_decides_nothing() -> None:
    first = decisions("1")
    assert len(first.splitlines()) > 100
    assert decisions("2") == first
