from __future__ import annotations
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Iterator

@dataclass
class Stopwatch:
    """Exclusive times: entering an inner section pauses the outer one."""
    totals: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    _stack: list[str] = field(default_factory=list)
    _since: float = 0.0
    @contextmanager
    def section(self, name: str) -> Iterator[None]:
        now = perf_counter()
        if self._stack:
            self.totals[self._stack[-1]] += now - self._since
        self._stack.append(name)
        self._since = now
        try:
            yield
        finally:
            now = perf_counter()
            self.totals[self._stack.pop()] += now - self._since
            self._since = now

STOPWATCH = Stopwatch()
