"""One stage on one path of one thread, and what it has cost so far."""

from __future__ import annotations

import sys
from math import log

from goldsplit.record.core import NodeCore

#: The lengths of a node's first spans are all kept for its percentiles, then those of every so many, each for
#: so many: adding one is half of what a span costs. A prime, so that it does not march in step with the loop.
ALL_LENGTHS, SOME_LENGTHS = 256, 23


class Node(NodeCore):
    """One stage on one path of one thread, with what it has cost so far."""

    __slots__ = ("counted_as", "cpu_count", "cpu_ns", "cpu_wall_ns", "histogram")

    children: dict[str | tuple[str, str], Node]
    parent: Node | None

    def __init__(self, node_id: int, stage: str, parent: Node | None, detail: str = "") -> None:
        super().__init__()
        self.id = node_id
        self.stage = sys.intern(stage)
        self.parent = parent
        self.detail = detail
        self.cpu_count = 0
        self.cpu_ns = 0
        self.cpu_wall_ns = 0
        self.counted_as: str | None = None  # which counter its calls go to; "" for none; None: not yet known
        self.histogram: dict[int, int] = {}

    def keep_length(self, elapsed: int) -> None:
        """Count the length of the span that was just counted, for percentiles."""
        bucket = int(log(elapsed + 1) * 8)
        weight = 1 if self.count < ALL_LENGTHS else SOME_LENGTHS
        self.histogram[bucket] = self.histogram.get(bucket, 0) + weight

    def add_cpu(self, cpu_ns: int, wall_ns: int) -> None:
        """One call of which the CPU time is known."""
        self.cpu_count += 1
        self.cpu_ns += cpu_ns
        self.cpu_wall_ns += wall_ns
