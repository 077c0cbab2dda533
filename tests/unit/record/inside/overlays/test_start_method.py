"""start: every context is the one of the chosen method."""

from __future__ import annotations

import json
import subprocess
import sys

PROGRAM = """
import json, sys
sys.argv[0] = "x"
from goldsplit.record.inside.overlays import start_method
from goldsplit.record.inside.overlays.changes import Changes
from goldsplit.record.inside.core import this_thread
start_method.install(Changes("start:spawn"), "spawn")
import multiprocessing as mp
mp.set_start_method("fork")
names = [mp.get_context(name)._name for name in (None, "fork", "forkserver", "spawn")]
names += [mp.get_context("fork").get_context()._name, mp.get_start_method()]
refused = False
try:
    mp.get_context("teleport")
except ValueError:
    refused = True
counts = {key.split("\\x1e")[1].split("\\x1f")[0]: value for key, value in this_thread().counts.items()}
print(json.dumps([names, refused, mp.Queue()._rlock._semlock.kind is not None, counts]))
"""


def test_whatever_the_program_asks_for() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    names, refused, has_queue, counts = json.loads(done.stdout)
    assert names == ["spawn"] * 6
    assert refused
    assert has_queue
    assert counts["contexts of forkserver given as spawn"] == 1
    assert counts["contexts of fork given as spawn"] >= 2
