"""Environment steps that this process has counted."""

from __future__ import annotations

from goldsplit.model.wire import Counter
from goldsplit.record.inside.engine import ENGINE


def stepped() -> float:
    """Environment steps that this process has counted."""
    return sum(
        value
        for state in list(ENGINE.threads)
        for name, value in list(state.counts.items())
        if name in (Counter.OWN_ENV_STEPS, Counter.VECTOR_ENV_STEPS)
    )


def updated() -> float:
    """Updates that this process has counted, of all its optimizers."""
    return sum(
        value
        for state in list(ENGINE.threads)
        for name, value in list(state.counts.items())
        if name.startswith(Counter.UPDATES)
    )


class StepCount:
    """Environment steps of this process: its own, and those of vector environments. Threads that have ended
    are remembered."""

    def __init__(self) -> None:
        self.by_thread: dict[int, tuple[float, float]] = {}

    def made(self) -> list[float]:
        """Both, up to now."""
        for state in list(ENGINE.threads):
            counts = state.counts
            own, vector = counts.get(Counter.OWN_ENV_STEPS, 0.0), counts.get(Counter.VECTOR_ENV_STEPS, 0.0)
            if own or vector:
                self.by_thread[state.index] = (own, vector)
        rows = self.by_thread.values()
        return [sum(own for own, _ in rows), sum(vector for _, vector in rows)]

    def threads(self) -> int:
        """How many threads have made steps themselves; at least 1."""
        return max(1, sum(own > 0 for own, _ in self.by_thread.values()))
