"""Real loops with torch: what each forward pass is for, and how many updates there are, on both cores."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

PROGRAMS = Path(__file__).parent / "torch_programs"
#: Those that say what is true of them; the others are helpers, and programs of other tests.
NAMES = sorted(path.stem for path in PROGRAMS.glob("*.py") if "\nTRUTH = " in path.read_text())


@pytest.fixture(scope="module", params=["compiled", "python"])
def results(request: pytest.FixtureRequest) -> Any:
    done = subprocess.run(
        [sys.executable, str(PROGRAMS / "count_spans.py"), *NAMES],
        env={**os.environ, "GOLDSPLIT_CORE": request.param},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_forward_passes_and_updates_are_what_the_program_did(results: Any, name: str) -> None:
    """A few passes may be elsewhere, before the first backward pass has shown what is for learning."""
    truth, counted = results[name]["truth"], results[name]["counted"]
    slack = truth.pop("slack", 4)
    for stage in ("act", "learn.forward"):
        assert abs(counted.get(stage, 0) - truth[stage]) <= slack, counted
    for kind in ("updates", "backward", "gradients", "env.step"):
        if kind in truth:
            assert counted.get(kind, 0) == truth[kind], counted
