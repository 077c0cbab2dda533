"""Runs of strangers that were made to fill the memory, or to ask for what no run can answer."""

from __future__ import annotations

import base64
import json
import re
import resource
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

RUN = Path(__file__).parents[1] / "fuzz" / "runs" / "workers"
MOST_BYTES = 512 << 20
#: In a child: what it took at its peak, in KiB, as its last line.
PEAK = """
import resource, subprocess, sys
done = subprocess.run([sys.executable, "-m", "goldsplit", *sys.argv[1:]])
print("peak", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
sys.exit(done.returncode)
"""


@pytest.fixture
def run_dir(tmp_path: Path) -> Path:
    return Path(shutil.copytree(RUN, tmp_path / "runs" / "changed"))


def explained(*arguments: str, cwd: Path) -> tuple[int, str, int]:
    """Exit code, what was said, and the peak of memory."""
    done = subprocess.run(
        [sys.executable, "-c", PEAK, *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=120,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30)),
    )
    *said, peak = done.stderr.splitlines()
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout + "\n".join(said), int(peak.split()[1]) << 10


def test_many_small_texts_that_unpack_to_much_each(run_dir: Path, tmp_path: Path) -> None:
    """Some MB of compressed spans that asked for 15 GiB: each below the limit of a window."""
    packed = base64.b64encode(zlib.compress(bytes(3 * 20_000), 9)).decode()
    line = json.dumps({"k": "raw", "t": 0, "end": 10**12, "spans": [[0, 10**12, packed]]})
    file = max(run_dir.glob("proc-*.jsonl"), key=lambda path: path.stat().st_size)
    file.write_text(file.read_text() + f"{line}\n" * 1_000)
    code, said, peak = explained("show", str(run_dir), cwd=tmp_path)
    assert code in (0, 2), said
    assert peak <= MOST_BYTES, f"{peak >> 20} MiB"


@pytest.mark.parametrize("amount", [10**18, 2**63 - 1, -5])
def test_a_horizon_of_counters_that_no_run_has(run_dir: Path, tmp_path: Path, amount: int) -> None:
    for file in run_dir.glob("proc-*.jsonl"):
        text = file.read_text()
        file.write_text(re.sub(r'("\d+:(?:own_|vec_)?(?:env_steps|episodes)":)\d+', rf"\g<1>{amount}", text))
    for question in (["--episodes", "500"], ["--env-steps", "1e15"], ["--updates", "7"]):
        code, said, peak = explained("horizon", *question, str(run_dir), cwd=tmp_path)
        assert code in (0, 2), said
        assert code == 0 or "hint:" in said
        assert peak <= MOST_BYTES, f"{peak >> 20} MiB"
