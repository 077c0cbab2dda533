"""Where a reader of statements is: in which loops, blocks and conditions."""

from __future__ import annotations

import ast

from goldsplit.naming.reading import conditions
from goldsplit.naming.reading.code_facts import Assignment, Call
from goldsplit.naming.reading.expressions import dotted
from goldsplit.naming.reading.reaching import Blocks


class Place:
    """Changes while a function's statements are read, and is written into what is found there."""

    def __init__(self) -> None:
        self.order = 0
        self.loops: tuple[int, ...] = ()
        self.blocks: Blocks = ()
        self.conditions: list[ast.expr] = []
        self.no_grad = 0
        self.loop_conditions: list[int] = []  # how many conditions were open where each loop began

    def around(self) -> list[ast.expr]:
        """The conditions that are open inside the innermost loop."""
        return self.conditions[self.loop_conditions[-1] :] if self.loop_conditions else self.conditions

    def call_at(self, node: ast.expr, receiver: str, name: str) -> Call:
        """A call without arguments, where the reader is now."""
        around = self.around()
        return Call(
            name=name,
            receiver=receiver,
            line=node.lineno,
            order=self.order,
            arguments=(),
            picked=(),
            made=(),
            keywords=(),
            inner=(),
            loops=self.loops,
            now_and_then=any(conditions.is_now_and_then(test) for test in around),
            conditional=bool(around),
            behind=frozenset(name for test in around for name in conditions.asked_names(test)),
            no_grad=self.no_grad > 0,
            blocks=self.blocks,
        )

    def bound_here(self, found: Assignment, target: ast.expr) -> Assignment:
        """An assignment with where it is, and which names it gives a new value."""
        found.loops, found.blocks = self.loops, self.blocks
        every = (one for one in ast.walk(target) if isinstance(one, ast.Name | ast.Attribute))
        found.whole = frozenset(dotted(one) for one in every if isinstance(one.ctx, ast.Store))
        return found
