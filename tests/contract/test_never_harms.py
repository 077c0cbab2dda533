"""The recorder never harms: whatever of it raises, the program neither sees nor shows it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from goldsplit.model.wire import Variable
from goldsplit.record.inside.core import IS_COMPILED


@pytest.mark.slow
@pytest.mark.needs_torch
@pytest.mark.parametrize("core", ["compiled", "python"])
def test_the_program_does_not_notice_any_function_of_ours_that_raises(core: str, tmp_path: Path) -> None:
    if core == "compiled" and not IS_COMPILED:
        pytest.skip("goldsplit was installed without a C compiler")
    environment = {**os.environ, Variable.CORE: core, Variable.DEEP: "1", "OMP_NUM_THREADS": "1"}
    driver = Path(__file__).with_name("raise_everywhere.py")
    done = subprocess.run(
        [sys.executable, str(driver), str(tmp_path)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    seen = json.loads(done.stdout.splitlines()[-1])
    assert seen["noticed"] == []
    assert seen["compiled"] == (core == "compiled")
    assert seen["raised"] > 100, (
        "hardly anything was made to raise: does the driver still find our functions?"
    )
