"""CPU time of goldsplit's own processes, the sampler included, divided by the recorded program's.

    python benchmarks/tool_cost.py [--seconds N]

This part of the cost needs no comparison of runs, so a noisy machine cannot hide it. overhead.py measures
what spans add inside the program.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
#: Runs the program and writes the CPU seconds of it and its children.
WRAPPER = """
import json, resource, subprocess, sys
code = subprocess.call(sys.argv[2:])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
open(sys.argv[1], "w").write(json.dumps(used.ru_utime + used.ru_stime))
sys.exit(code)
"""


def tool_share(name: str, seconds: int) -> float:
    """CPU time beside the program divided by the program's own, start to end."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "wrapper.py").write_text(WRAPPER)
        command = [sys.executable, "-I", str(folder / "wrapper.py"), str(folder / "cpu.json"), sys.executable]
        command += [str(HERE / "programs" / name), "--seconds", str(seconds)]
        record = [sys.executable, "-m", "goldsplit", "record", "--quiet", "--out", str(folder / "runs"), "--"]
        environment = {**os.environ, "TRUTH_OUT": str(folder / "truth.json")}
        process = subprocess.Popen([*record, *command], env=environment, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            raise SystemExit(f"goldsplit record ended with status {status}")
        own = float(json.loads((folder / "cpu.json").read_text()))
        return (usage.ru_utime + usage.ru_stime - own) / own


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=int, default=60, help="length of each program's loop")
    args = parser.parse_args()
    shares = {name: tool_share(name, args.seconds) for name in ("one_process.py", "pipes_unequal.py")}
    for name, share in shares.items():
        print(
            f"{name}, {args.seconds} s: goldsplit and its sampler use {share:.2%} of the program's CPU time"
        )
    results = HERE / "results"
    results.mkdir(exist_ok=True)
    (results / "tool_cost.json").write_text(json.dumps(shares, indent=1))


if __name__ == "__main__":
    main()
