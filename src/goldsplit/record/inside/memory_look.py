"""Which line keeps the memory, in a process that grows: short looks with tracemalloc, in deep mode only.

Tracing makes allocations more expensive, so it is switched on only after the process has grown, for a tenth
of a second, three times at most. What was allocated meanwhile and is still there at the end is counted at
the innermost line of user code.
"""

from __future__ import annotations

import ast
import functools
import linecache
import sys
import tracemalloc
from collections import Counter

from goldsplit.model.fact_wire import FactKind
from goldsplit.model.stack_frames import is_library
from goldsplit.record.inside.engine import ENGINE
from goldsplit.record.inside.facts import add_fact
from goldsplit.record.inside.process_figures import resident_bytes

SECOND = 1_000_000_000
LOOK_NS = SECOND // 10
MOST_LOOKS = 3
#: Looks are at least this far apart, and the process must have grown by this much in between.
APART_NS = SECOND
GROWN_BYTES = 4 * 2**20
DEEPEST = 8
MOST_LINES = 5
LEAST_BYTES = 10_000
#: Whoever has imported one of these may make interpreters inside this one. While tracemalloc traces, Python
#: waits for its lock for ever as soon as such an interpreter makes a lock of its own.
INTERPRETERS = ("_xxsubinterpreters", "_interpreters")


class MemoryLook:
    """Watches one process; driven by the recorder's thread."""

    def __init__(self) -> None:
        self.looks = 0
        self.until_ns = 0
        """While tracing: when to stop."""
        self.began_ns = 0
        self.before: tuple[int, int] | None = None
        """When the process's size was last read, and how large it was."""

    def next_border_ns(self) -> int:
        """When the recorder's thread is needed next; far in the future if nothing is being traced."""
        return self.until_ns or 1 << 62

    def tick(self, now: int) -> None:
        """Begin or end a look where one is due."""
        if self.until_ns:
            if now >= self.until_ns:
                self.end(now)
            return
        if self.looks >= MOST_LOOKS or not ENGINE.first_step_ns or tracemalloc.is_tracing():
            return
        if any(name in sys.modules for name in INTERPRETERS):
            return
        if self.before is None or now - self.before[0] >= APART_NS:
            size = resident_bytes() or 0
            grown = self.before is not None and size - self.before[1] >= GROWN_BYTES
            self.before = (now, size)
            if grown:
                self.looks += 1
                self.began_ns, self.until_ns = now, now + LOOK_NS
                tracemalloc.start(DEEPEST)

    def abandon(self) -> None:
        """Stop tracing without a result."""
        if self.until_ns:
            self.until_ns = 0
            tracemalloc.stop()

    def end(self, now: int) -> None:
        """Count what was kept, by line."""
        try:
            add_fact(FactKind.MEMORY_LOOK, amount=(now - self.began_ns) / SECOND)
            traces = tracemalloc.take_snapshot().traces
        finally:
            self.abandon()
        kept: Counter[str] = Counter()
        for trace in traces:
            kept[own_line(trace.traceback)] += trace.size
        for place, size in kept.most_common(MOST_LINES + 1):
            if place and size >= LEAST_BYTES:
                add_fact(FactKind.KEPT_BYTES, amount=float(size), place=place)


def own_line(traceback: tracemalloc.Traceback) -> str:
    """The innermost line of user code that led to an allocation, as a fact's place; "" if there is none."""
    for frame in reversed(traceback):
        if not is_library(frame.filename):
            return f"{frame.filename}:{frame.lineno}:{function_at(frame.filename, frame.lineno)}"
    return ""


def function_at(file: str, line: int) -> str:
    """The qualified name of the function around a line, which tracemalloc does not give; "" if unknown."""
    inside = [(last - first, name) for first, last, name in functions_of(file) if first <= line <= last]
    return min(inside)[1] if inside else ""


@functools.cache
def functions_of(file: str) -> list[tuple[int, int, str]]:
    """First and last line and qualified name of all functions in a file."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return []
    found: list[tuple[int, int, str]] = []

    def walk(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            name = prefix
            if isinstance(child, ast.ClassDef):
                name = f"{prefix}{child.name}."
            elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                found.append((child.lineno, child.end_lineno or child.lineno, prefix + child.name))
                name = f"{prefix}{child.name}.<locals>."
            walk(child, name)

    walk(tree, "")
    return found
