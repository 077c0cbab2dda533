"""Run programs one after the other and write what each wrote and how it ended; itself recorded or not."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path


def main() -> None:
    wanted, answer = map(Path, sys.argv[1:3])
    seen = {}
    for name, program in json.loads(wanted.read_text()).items():
        done = subprocess.run(
            [sys.executable, *program["command"]],
            cwd=program["cwd"],
            input=program["stdin"].encode(),
            capture_output=True,
            timeout=60,
        )
        seen[name] = [done.returncode, done.stdout.decode("latin-1"), done.stderr.decode("latin-1")]
    answer.write_text(json.dumps(seen))


if __name__ == "__main__":
    main()
