"""One stage on one path of one thread, and what it has cost so far."""

from __future__ import annotations

import sys

from goldsplit.record.inside.core import NodeCore

#: The lengths of a node's first spans are all kept for its percentiles, then one in so many, which counts for
#: so many: adding one is half of what a span costs. A prime, so that it does not fall in step with the loop.
ALL_LENGTHS, SOME_LENGTHS = 256, 23


class Node(NodeCore):
    """One stage on one path of one thread, with what it has cost so far."""

    __slots__ = ("counted_as",)

    children: dict[str | tuple[str, str], Node]
    parent: Node | None

    def __init__(self, node_id: int, stage: str, parent: Node | None, detail: str = "") -> None:
        super().__init__()
        self.id = node_id
        self.stage = sys.intern(stage)
        self.parent = parent
        self.detail = detail
        self.counted_as: str | None = None  # which counter its calls go to; "" for none; None: not yet known
