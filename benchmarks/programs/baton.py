"""Programs that run at the same time but take turns at working, so that the machine is the same for all.

Every few turns of its loop a program hands the baton back, with the times of that lap by its own clocks, and
blocks until it gets it again. This waiting is in no lap. See benchmarks/relay.py for the other side.
"""

from __future__ import annotations

import os
import struct
import time
from pathlib import Path

LAP = struct.Struct("qq")
"""Wall and driver's CPU time of a lap, in nanoseconds."""
GO_FIFO, DONE_FIFO = "go", "done"


class Baton:
    """This program's end of the relay in `folder`."""

    def __init__(self, folder: Path, turns_per_lap: int) -> None:
        self.turns_per_lap = turns_per_lap
        self._done = os.open(folder / DONE_FIFO, os.O_WRONLY)
        self._go = os.open(folder / GO_FIFO, os.O_RDONLY)
        self._began_ns = self._began_cpu_ns = 0

    @classmethod
    def from_environment(cls) -> Baton | None:
        """The baton that the environment asks for, if it does."""
        wanted = os.environ.get("TRUTH_BATON")
        if not wanted:
            return None
        turns, _, folder = wanted.partition(":")
        return cls(Path(folder), int(turns))

    def hand_over(self) -> None:
        """Say how long the lap was (the first time: that all is ready), and wait for the next one."""
        wall_ns = time.perf_counter_ns() - self._began_ns if self._began_ns else 0
        cpu_ns = time.thread_time_ns() - self._began_cpu_ns if self._began_ns else 0
        os.write(self._done, LAP.pack(wall_ns, cpu_ns))
        os.read(self._go, 1)
        self._began_cpu_ns = time.thread_time_ns()
        self._began_ns = time.perf_counter_ns()
