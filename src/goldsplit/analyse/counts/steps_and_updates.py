"""Environment steps, episodes and updates, each counted once although several processes may see them."""

from __future__ import annotations

from dataclasses import astuple, dataclass

from goldsplit.analyse.counts.series import Series
from goldsplit.analyse.wall.ownership import path_of
from goldsplit.model.recording import Recording
from goldsplit.model.stage import ENV_STEP, VEC_WAIT


@dataclass(frozen=True, slots=True)
class Counts:
    """None: nobody counted it."""

    env_steps: int | None
    episodes: int | None
    updates: int | None
    eval_env_steps: int | None


class Counting:
    """Knows which process's counters to believe.

    The caller's own counters (`goldsplit.count`) go first. Otherwise a process that drives a vector
    environment counts for its workers, which count the same steps again; elsewhere each process counts
    its own steps.
    """

    def __init__(self, recording: Recording, series: dict[int, Series]) -> None:
        self.series = series
        parents = {process.pid: process.ppid for process in recording.processes}
        self.vector = {pid for pid, s in series.items() if s.summed("vec_env_steps", _END) is not None}
        self.vector |= {pid for pid, s in series.items() if steps_through_messages(s)}
        evaluating = {pid for pid, s in series.items() if s.summed("eval_vec_env_steps", _END) is not None}
        self.independent = {
            pid
            for pid in series
            if pid not in self.vector and not self._below(pid, parents, self.vector | evaluating)
        }

    @staticmethod
    def _below(pid: int, parents: dict[int, int], above: set[int]) -> bool:
        seen: set[int] = set()
        while pid in parents and pid not in seen:
            seen.add(pid)
            pid = parents[pid]
            if pid in above:
                return True
        return False

    def at(self, t_ns: int) -> Counts:
        """The counts as of an instant."""
        return Counts(
            self._believed("env_steps", t_ns),
            self._believed("episodes", t_ns),
            self._updates(t_ns),
            self._evaluated(t_ns),
        )

    def between(self, pieces: list[tuple[int, int]]) -> Counts:
        """What was counted in some stretches of time together."""
        total: list[int | None] = [None, None, None, None]
        for start_ns, end_ns in pieces:
            before, after = astuple(self.at(start_ns)), astuple(self.at(end_ns))
            for place, value in enumerate(after):
                if value is not None:
                    total[place] = (total[place] or 0) + value - (before[place] or 0)
        return Counts(*total)

    def _evaluated(self, t_ns: int) -> int | None:
        parts = [self._sum(name, set(self.series), t_ns) for name in ("eval_env_steps", "eval_vec_env_steps")]
        known = [part for part in parts if part is not None]
        return sum(known) if known else None

    def _believed(self, what: str, t_ns: int) -> int | None:
        users = self._sum(f"user:{what}", set(self.series), t_ns)
        if users is not None:
            return users
        driven = self._sum(f"vec_{what}", self.vector, t_ns)
        if driven is None:  # a pool of the user's own, whose step sends messages to its workers
            driven = self._sum(f"own_{what}", self.vector, t_ns)
        own = self._sum(f"own_{what}", self.independent, t_ns)
        return None if driven is None and own is None else (driven or 0) + (own or 0)

    def _sum(self, counter: str, pids: set[int], t_ns: int) -> int | None:
        values = [value for pid in pids if (value := self.series[pid].summed(counter, t_ns)) is not None]
        return round(sum(values)) if values else None

    def _updates(self, t_ns: int) -> int | None:
        """The steps of each process's busiest optimizer: actor and critic have one each, and step in turn;
        learners in several processes step for themselves."""
        users = self._sum("user:updates", set(self.series), t_ns)
        if users is not None:
            return users
        busiest = [max(steps.values()) for s in self.series.values() if (steps := optimizer_steps(s, t_ns))]
        return round(sum(busiest)) if busiest else None

    def extra(self, t_ns: int) -> tuple[dict[str, float], dict[str, dict[str, float]]]:
        """Counters of other names (tensor reads, the user's own) and metrics."""
        counters: dict[str, float] = {}
        sums: dict[str, float] = {}
        numbers: dict[str, float] = {}
        for series in self.series.values():
            for full in series.counters():
                name, value = full.split(":", 1)[1], series.count(full, t_ns)
                if name.startswith("metric_sum:"):
                    sums[name[11:]] = sums.get(name[11:], 0) + value
                elif name.startswith("metric_n:"):
                    numbers[name[9:]] = numbers.get(name[9:], 0) + value
                elif name.startswith(("user:", "tensor_reads:")):
                    counters[name] = counters.get(name, 0) + value
        metrics = {name: {"count": n, "mean": sums[name] / n} for name, n in numbers.items() if n}
        return counters, metrics


def optimizer_steps(series: Series, t_ns: int) -> dict[str, float]:
    """Steps by optimizer, of all threads that call it."""
    steps: dict[str, float] = {}
    for full in series.counters():
        name = full.split(":", 1)[1]
        if name.startswith("updates:"):
            steps[name] = steps.get(name, 0) + series.count(full, t_ns)
    return steps


def steps_through_messages(series: Series) -> bool:
    """Whether a process's own environment step waits for messages: then others do the stepping."""
    process = series.process
    for (thread, node), info in process.nodes.items():
        if info.stage == VEC_WAIT and info.detail.startswith(("pipe:", "sem:")):
            stages = {above.stage for above in path_of(process, thread, node)}
            if ENV_STEP in stages and series.summed("own_env_steps", _END):
                return True
    return False


_END = 1 << 62
