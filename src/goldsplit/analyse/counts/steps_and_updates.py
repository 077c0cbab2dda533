"""Environment steps, episodes and updates, each counted once although several processes may see them."""

from __future__ import annotations

from dataclasses import astuple, dataclass

from goldsplit.analyse.counts.doubts import doubt_of_episodes, doubt_of_steps
from goldsplit.analyse.counts.series import Series
from goldsplit.analyse.counts.witnesses import counted
from goldsplit.analyse.overlay_uses import left_out_stages
from goldsplit.analyse.wall.ownership import path_of
from goldsplit.model.progress import UpdatesFrom
from goldsplit.model.recording import ProcessId, Recording
from goldsplit.model.stage import ACT_SEARCH, ENV_STEP, LEARN_BACKWARD, LEARN_LOSS, LEARN_OPTIMIZER, VEC_WAIT
from goldsplit.model.wire import PROGRESS, Counter, Header, WaitDetail


@dataclass(frozen=True, slots=True)
class Counts:
    """None: no process counted it."""

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

    def __init__(self, recording: Recording, series: dict[ProcessId, Series]) -> None:
        self.series = series
        self._left_out = left_out_stages(recording.run)
        self.updates_from = self._find_updates()
        """One of `UpdatesFrom`; None: no update was seen."""
        self.step_means = what_a_step_is(recording)
        parents = {process.pid: process.ppid for process in recording.processes}
        self.vector = self._that_count(Counter.VECTOR_ENV_STEPS)
        self.vector |= {process for process, one in series.items() if steps_through_messages(one)}
        above = self.vector | self._that_count(Counter.EVALUATION + Counter.VECTOR_ENV_STEPS)
        pids_above = {process.pid for process in above}
        self.independent = {
            process
            for process in series
            if process not in self.vector and not self._below(process.pid, parents, pids_above)
        }
        self.doubts: dict[str, str] = {}
        """What is withheld, because others of the run's counts contradict it → why."""
        self._find_doubts()

    def _find_doubts(self) -> None:
        """The user's own counters are the user's to answer for."""
        seen = counted(self.series, lambda t: self.at(t).env_steps, lambda t: self.at(t).episodes)
        found = {Counter.ENV_STEPS: doubt_of_steps(seen), Counter.EPISODES: doubt_of_episodes(seen)}
        for what, why in found.items():
            if why is not None and not self._that_count(Counter.USER + what):
                self.doubts[what] = why

    def _that_count(self, counter: str) -> set[ProcessId]:
        return {process for process, one in self.series.items() if one.summed(counter, _END) is not None}

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
            self._believed(Counter.ENV_STEPS, t_ns),
            self._believed(Counter.EPISODES, t_ns),
            self._updates(t_ns),
            self._evaluated(t_ns),
        )

    def between(self, pieces: list[tuple[int, int]]) -> Counts:
        """What was counted in some periods together. A count never goes back; in a damaged run it may."""
        total: list[int | None] = [None, None, None, None]
        for start_ns, end_ns in pieces:
            before, after = astuple(self.at(start_ns)), astuple(self.at(end_ns))
            for place, value in enumerate(after):
                if value is not None:
                    total[place] = (total[place] or 0) + max(0, value - (before[place] or 0))
        return Counts(*total)

    def _evaluated(self, t_ns: int) -> int | None:
        names = (Counter.ENV_STEPS, Counter.VECTOR_ENV_STEPS)
        parts = [self._sum(Counter.EVALUATION + name, set(self.series), t_ns) for name in names]
        known = [part for part in parts if part is not None]
        return sum(known) if known else None

    def _believed(self, what: str, t_ns: int) -> int | None:
        users = self._sum(Counter.USER + what, set(self.series), t_ns)
        if users is not None or what in self.doubts:
            return users
        driven = self._sum(Counter.VECTOR + what, self.vector, t_ns)
        if driven is None:  # the user's own pool: its step sends messages to its workers
            driven = self._sum(Counter.OWN + what, self.vector, t_ns)
        own = self._sum(Counter.OWN + what, self.independent, t_ns)
        if driven is None and own is None:
            return self._begun_again(t_ns) if what == Counter.EPISODES and self._steps() else None
        return (driven or 0) + (own or 0)

    def _steps(self) -> bool:
        """Whether steps were counted at all: without them no beginning is known to be another game's."""
        return self._believed(Counter.ENV_STEPS, _END) is not None

    def _begun_again(self, t_ns: int) -> int | None:
        """Games that have ended, where only their beginnings are seen: those that were begun; of many beside
        each other in one process, those that were begun again. Workers of a pool play theirs one by one."""
        begun = self._sum(Counter.RESETS, self.independent, t_ns)
        if begun is None:
            return None
        first = [self._sum(Counter.FIRST_RESETS, {process}, t_ns) or 0 for process in self.independent]
        return begun - sum(many for many in first if many > 1)

    def _sum(self, counter: str, processes: set[ProcessId], t_ns: int) -> int | None:
        sums = (self.series[process].summed(counter, t_ns) for process in processes)
        values = [value for value in sums if value is not None]
        return round(sum(values)) if values else None

    def _updates(self, t_ns: int) -> int | None:
        """Of each process the steps of its busiest optimizers (actor and critic have one each, in turn),
        or, for the same reason, the backward passes at its busiest place; learners in several processes count
        for themselves."""
        if self.updates_from is None or self.updates_from == UpdatesFrom.PROGRAM:
            return self._sum(Counter.USER + Counter.UPDATES, set(self.series), t_ns)
        kind = _UPDATE_COUNTERS[self.updates_from]
        counted = (counted_by_name(one, kind, t_ns) for one in self.series.values())
        busiest = [max(numbers.values()) for numbers in counted if numbers]
        return round(sum(busiest)) if busiest else None

    def _find_updates(self) -> str | None:
        """What updates are counted from. Not every optimizer's step is seen: a program may have taken the
        method before the hook, or have an optimizer of its own. Its backward passes are."""
        if self._that_count(Counter.USER + Counter.UPDATES):
            return UpdatesFrom.PROGRAM
        for name, kind in _UPDATE_COUNTERS.items():
            if _PART_OF[name] == LEARN_BACKWARD and self._left_out & {LEARN_BACKWARD, LEARN_OPTIMIZER}:
                continue  # a backward pass is no update where the rest of it is left out
            if any(counted_by_name(one, kind, _END) for one in self.series.values()):
                return name
        return None

    def extra(self, t_ns: int) -> tuple[dict[str, float], dict[str, dict[str, float]]]:
        """Counters of other names (tensor reads, the user's own) and metrics."""
        counters: dict[str, float] = {}
        sums: dict[str, float] = {}
        numbers: dict[str, float] = {}
        for series in self.series.values():
            for full in series.counters():
                name, value = full.split(":", 1)[1], series.count(full, t_ns)
                metric = name.partition(":")[2]
                if name.startswith(Counter.METRIC_SUM):
                    sums[metric] = sums.get(metric, 0) + value
                elif name.startswith(Counter.METRIC_COUNT):
                    numbers[metric] = numbers.get(metric, 0) + value
                elif name.startswith((Counter.USER, Counter.TENSOR_READS)):
                    counters[name] = counters.get(name, 0) + value
        metrics = {name: {"count": n, "mean": sums[name] / n} for name, n in numbers.items() if n}
        return counters, metrics


def what_a_step_is(recording: Recording) -> str | None:
    """Where one env step is something else than a call of an environment's step, in words."""
    mapped = recording.run.get(Header.STAGES)
    named = (
        [target for target, stage in mapped.items() if stage == PROGRESS] if isinstance(mapped, dict) else []
    )
    if named:
        return f"a call of {named[0]}"
    searches = any(info.stage == ACT_SEARCH for one in recording.processes for info in one.nodes.values())
    return "a move of the game" if searches else None


def counted_by_name(series: Series, prefix: str, t_ns: int) -> dict[str, float]:
    """Counters that begin alike (steps by optimizer, backward passes by place), of all threads."""
    steps: dict[str, float] = {}
    for full in series.counters():
        name = full.split(":", 1)[1]
        if name.startswith(prefix):
            steps[name] = steps.get(name, 0) + series.count(full, t_ns)
    return steps


def steps_through_messages(series: Series) -> bool:
    """Whether a process's own environment step waits for messages: then others do the stepping."""
    process = series.process
    for (thread, node), info in process.nodes.items():
        if info.stage == VEC_WAIT and info.detail.startswith(_MESSAGES):
            stages = {above.stage for above in path_of(process, thread, node)}
            if ENV_STEP in stages and series.summed(Counter.OWN_ENV_STEPS, _END):
                return True
    return False


_END = 1 << 62
#: In this order: the first that any process has counts.
_UPDATE_COUNTERS = {
    UpdatesFrom.OPTIMIZERS: Counter.OPTIMIZER,
    UpdatesFrom.BACKWARD: Counter.BACKWARD,
    UpdatesFrom.GRADIENTS: Counter.GRADIENTS,
    UpdatesFrom.CALLS: Counter.LEARNING_CALLS,
}
#: What makes them updates.
_PART_OF = {
    UpdatesFrom.OPTIMIZERS: LEARN_OPTIMIZER,
    UpdatesFrom.BACKWARD: LEARN_BACKWARD,
    UpdatesFrom.GRADIENTS: LEARN_BACKWARD,
    UpdatesFrom.CALLS: LEARN_LOSS,
}
_MESSAGES = (WaitDetail.PIPE, WaitDetail.SEMAPHORE)
