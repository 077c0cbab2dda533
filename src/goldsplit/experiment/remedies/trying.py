"""Try remedies on a program: do they play the same, do they pay, and what do those that pay save together?

First every remedy runs once with hashed trajectories beside the unchanged program, which runs twice. One that
fails there, changes an answer or changes nothing is dropped. The others are timed in blocks; those without
hope leave after some pairs, and the time that they leave lets in remedies that had none. At last all kept
ones together. Whatever ends it (Ctrl-C, the deadline), what is done counts.
"""

from __future__ import annotations

import dataclasses
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from goldsplit.errors import CommandError
from goldsplit.experiment.carry_out import conclude
from goldsplit.experiment.comparison import Equal
from goldsplit.experiment.engines.one_trial import Interrupted, Tools
from goldsplit.experiment.engines.trial_engine import Engine, LocalEngine, Row
from goldsplit.experiment.remedies.equality import AGAIN, judge_equality
from goldsplit.experiment.remedies.schedule import BESIDE_SECONDS, pairs_for
from goldsplit.experiment.remedies.try_task import Readers, Step, Task
from goldsplit.experiment.remedies.verdicts import (
    LOOK_AFTER,
    MINIMUM_GAIN,
    failure,
    fit_together,
    is_hopeless,
    judge_remedies,
    judge_together,
    variant_name,
    wrong_at_once,
)
from goldsplit.experiment.trials import Experiment
from goldsplit.experiment.variants import SEED_PLACEHOLDER, takes_seed
from goldsplit.model.experiment.design import Plan, Variant
from goldsplit.model.experiment.trial import Trial
from goldsplit.model.experiment.tried import DROP, KEEP, Measured, Together, Tried, TryResult
from goldsplit.store.experiment_files import RUNS

BASE, TOGETHER, EQUALITY = "base", "together", "equality"
SEEDED = (
    "to compare the play, random, numpy, gymnasium and torch were seeded from outside (overlay seed); timed "
    "trials were not. If your program takes a seed: --seed-arg --seed"
)


@dataclass(slots=True)
class _State:
    """What is known so far."""

    equal: dict[str, Equal] = field(default_factory=dict)
    dropped: dict[str, str] = field(default_factory=dict)
    timed: Experiment | None = None
    admitted: list[str] = field(default_factory=list)
    """Variants that were timed, or were about to be."""
    together: Together | None = None
    notes: list[str] = field(default_factory=list)
    interrupted: bool = False


class Trying:
    """One program, its candidates, and what came of them."""

    def __init__(
        self,
        task: Task,
        before: Callable[[Step], None],
        tools: Tools | None = None,
        read: Readers | None = None,
        engine: Engine | None = None,
    ) -> None:
        self.task = task
        self.before = before
        self.tools = tools or Tools()
        self.read = read or Readers()
        self.engine = engine or LocalEngine()
        self.width = self.engine.width
        first, rest = task.schedule.candidates, task.schedule.left_out
        self.every = {variant_name(n, one): one for n, one in enumerate((*first, *rest))}
        self.found = dict(list(self.every.items())[: len(first)])
        self.state = _State()
        seeded = takes_seed(task.plan)
        self.seeding = () if seeded else (f"seed:{task.plan.seed}",)
        if not seeded and self.found:
            self.state.notes.append(SEEDED)

    def go(self) -> TryResult:
        """Everything, as far as time and user let it."""
        try:
            if self.found:
                self._compare_play(list(self.found))
                self._time()
                self._time_together()
        except (Interrupted, KeyboardInterrupt):
            self.state.interrupted = True
        return self.result()

    def result(self) -> TryResult:
        """What is known now."""
        state = self.state
        rows = self._rows()
        together = state.together
        kept = [one for one in rows if one.verdict == KEEP]
        if together is None and len(kept) == 1:
            only = kept[0]
            together = Together(
                (only.candidate.overlay,), only.measured, only.equal, KEEP, "the only one kept"
            )
        elif together is None and kept:
            together = Together(
                fit_together(kept), Measured(), why="there was no time left to time them together"
            )
        if state.timed is not None:
            state.timed.plan = self._timed_plan(state.timed.plan)
            names = {one: name for name, one in self.found.items()}
            said = {names[row.candidate]: (row.verdict, row.why) for row in rows}
            conclude(state.timed, state.equal, said)
        return TryResult(
            self.task.run,
            tuple(
                part.replace(SEED_PLACEHOLDER, str(self.task.plan.seed)) for part in self.task.plan.command
            ),
            tuple(rows),
            together,
            tuple(one.overlay for name, one in self.every.items() if name not in self.found),
            tuple(state.notes),
            state.interrupted,
            self.task.schedule.trial_seconds if self.found else None,
        )

    def _rows(self) -> list[Tried]:
        state = self.state
        if state.timed is None:
            return judge_remedies(None, [], self.found, state.equal, state.dropped)
        plan = self._timed_plan(state.timed.plan)
        return judge_remedies(plan, state.timed.trials, self.found, state.equal, state.dropped)

    def _timed_plan(self, plan: Plan) -> Plan:
        """With nothing but what was timed: so many are judged at once, whenever each came in."""
        names = {BASE, *self.state.admitted}
        return dataclasses.replace(plan, variants=tuple(one for one in plan.variants if one.name in names))

    def _plan(self, variants: Sequence[Variant], pairs: int, equivalent: bool = False) -> Plan:
        predicted = {name: one.predicted_gain for name, one in self.every.items()}
        return dataclasses.replace(
            self.task.plan,
            variants=tuple(variants),
            pairs=pairs,
            minimum_gain=MINIMUM_GAIN,
            equivalent=equivalent,
            duration_seconds=self.task.schedule.trial_seconds,
            predicted={name: gain for name, gain in predicted.items() if gain is not None},
        )

    # Equal play

    def _compare_play(self, wanted: Sequence[str]) -> None:
        """Remedies once each, with hashes, at one seed; before the first of them the unchanged program."""
        variants = [Variant(name, overlays=self.seeding) for name in (BASE, AGAIN)]
        variants += [Variant(name, overlays=(*self.seeding, one.overlay)) for name, one in self.every.items()]
        plan, folder = self._plan(variants, 1, True), self.task.folder / EQUALITY
        with Experiment(plan, folder, self.tools, engine=self.engine) as experiment:
            done = {trial.variant for trial in experiment.trials}
            names = [name for name in (BASE, AGAIN, *wanted) if name not in done]
            places = {one.name: place for place, one in enumerate(variants)}
            for number, name in enumerate(names):
                self._say("does it play the same: " + self._shown(name), number, len(names))
                trial = experiment.run_trial(0, places[name], name)
                if name == BASE:
                    check_runs(trial)
            self._judge_play(experiment, wanted)

    def _judge_play(self, experiment: Experiment, wanted: Sequence[str]) -> None:
        trials = {trial.variant: trial for trial in experiment.trials}
        runs = experiment.folder / RUNS
        hashed = {name: self.read.trajectory(runs / trial.run) for name, trial in trials.items()}
        self.state.equal |= judge_equality(BASE, hashed, list(wanted))
        for name in wanted:
            candidate, trial = self.every[name], trials[name]
            uses = self.read.uses(runs / trial.run) if trial.complete else []
            why = wrong_at_once(candidate.overlay, trial, self.state.equal[name], uses)
            if why:
                self.state.dropped[name] = why

    def _play_together(self, overlays: tuple[str, ...]) -> tuple[Trial, Equal]:
        """The kept remedies at once, beside the unchanged program that has run already."""
        variants = [
            Variant(BASE, overlays=self.seeding),
            Variant(AGAIN, overlays=self.seeding),
            Variant(TOGETHER, overlays=(*self.seeding, *overlays)),
        ]
        folder = self.task.folder / EQUALITY
        with Experiment(self._plan(variants, 1, True), folder, self.tools, engine=self.engine) as experiment:
            self._say("does it play the same: all kept ones together", 0, 1)
            trial = experiment.run_trial(0, len(self.every) + 2, TOGETHER)
            runs = {one.variant: one.run for one in experiment.trials}
            hashed = {name: self.read.trajectory(folder / RUNS / run) for name, run in runs.items()}
        return trial, judge_equality(BASE, hashed, [TOGETHER])[TOGETHER]

    # Time

    def _time(self) -> None:
        """Blocks of the base and all candidates that are left; one that leaves makes room for another."""
        variants = [
            Variant(BASE),
            *(Variant(name, overlays=(one.overlay,)) for name, one in self.every.items()),
        ]
        pairs = self.task.schedule.pairs
        due = {name: pairs for name in self.found if name not in self.state.dropped}
        self.state.admitted = list(due)
        with Experiment(
            self._plan(variants, pairs), self.task.folder, self.tools, engine=self.engine
        ) as experiment:
            self.state.timed = experiment
            block = 0
            while True:
                self._let_in(experiment, due, block)
                reserve = self._reserve(experiment, len(self._kept()))
                if not due or self._is_late(experiment, len(due) + 1, reserve, block, max(due.values())):
                    break
                self._blocks(experiment, block, due)
                block += self.width
                hopeful = self._hopeful(experiment)
                due = {name: last for name, last in due.items() if last > block and name in hopeful}

    def _let_in(self, experiment: Experiment, due: dict[str, int], block: int) -> None:
        """Those that wait, the largest predicted gain first, as far as there is time for the pairs after
        which the hopeless leave, beside all pairs of those that are being timed."""
        for name in [name for name in self.every if name not in self.found]:
            pairs = max(self.task.schedule.pairs, pairs_for(len(self.state.admitted) + 1))
            left = [last - block for last in due.values()]
            least = max(LOOK_AFTER, min(pairs, max(left, default=0)))
            trials = 1 + least + sum(left) + max([least, *left])
            reserve = self._reserve(experiment, len(self._hopeful(experiment)) + 1)
            needs = trials * self._usual(experiment.trials) / self.width + reserve
            if self.tools.clock() + needs > self.task.deadline:
                return
            self.found[name] = self.every[name]
            self._compare_play([name])
            if name not in self.state.dropped:
                self.state.admitted.append(name)
                due[name] = block + pairs

    def _reserve(self, experiment: Experiment, number: int) -> float:
        """Time for so many kept ones together."""
        return 2 * pairs_for(1) * self._usual(experiment.trials) if number > 1 else 0.0

    def _kept(self) -> tuple[str, ...]:
        """The overlays that would be kept now. Before there are two there is nothing to time together, and
        more pairs are the better use of time."""
        return fit_together([one for one in self._rows() if one.verdict == KEEP])

    def _hopeful(self, experiment: Experiment) -> list[str]:
        """Those of the timed ones that can still be kept."""
        return [name for name in self.state.admitted if self._has_hope(experiment, name)]

    def _has_hope(self, experiment: Experiment, name: str) -> bool:
        variant = next(one for one in experiment.plan.variants if one.name == name)
        failed = any(trial.variant == name and not trial.complete for trial in experiment.trials)
        return not failed and not is_hopeless(experiment.plan, variant, experiment.trials)

    def _blocks(self, experiment: Experiment, first: int, due: Mapping[str, int]) -> None:
        """As many blocks as can run at once. `due`: each variant's last block, from 1."""
        last = max(due.values())
        names = {block: {BASE, *(name for name in due if block < due[name])} for block in range(first, last)}
        blocks = range(first, min(last, first + self.width))
        rows = [row for block in blocks for row in experiment.rows_of(block) if row.variant in names[block]]

        def before(row: Row) -> None:
            what = f"pair {row.block + 1} of {last}: {self._shown(row.variant)}"
            own = [one for one in rows if one.block == row.block]
            self._say(what, own.index(row), len(own))

        for trial in experiment.run(rows, before):
            if trial.variant == BASE and not trial.complete:
                self.state.notes.append(
                    f"the unchanged program failed in pair {trial.block + 1}: {trial.problem}"
                )

    def _is_late(self, experiment: Experiment, trials: int, reserve: float, block: int, pairs: int) -> bool:
        """Whether the next block would not end in time."""
        needs = trials * self._usual(experiment.trials) + reserve
        if block == 0 or self.tools.clock() + needs <= self.task.deadline:
            return False
        self.state.notes.append(f"the time was over after {block} of {pairs} pairs: --minutes gives more")
        return True

    def _usual(self, trials: Sequence[Trial]) -> float:
        """Seconds that a trial takes."""
        took = [trial.wall_seconds + trial.runner_seconds for trial in trials]
        return statistics.median(took) if took else self.task.schedule.trial_seconds + BESIDE_SECONDS

    def _time_together(self) -> None:
        """All kept ones, if there are several."""
        overlays = self._kept()
        timed = self.state.timed.trials if self.state.timed is not None else []
        if len(overlays) < 2 or self.tools.clock() + 3 * self._usual(timed) > self.task.deadline:
            return
        trial, same = self._play_together(overlays)
        if not trial.complete:
            self.state.together = Together(overlays, Measured(), same.answer, DROP, failure(trial.problem))
            return
        plan = self._plan([Variant(BASE), Variant(TOGETHER, overlays=overlays)], pairs_for(1))
        with Experiment(plan, self.task.folder / TOGETHER, self.tools, engine=self.engine) as experiment:
            try:
                for block in range(0, plan.pairs, self.width):
                    if self._is_late(experiment, 2, 0.0, block, plan.pairs):
                        break
                    self._blocks(experiment, block, {TOGETHER: plan.pairs})
            finally:
                found = self.state.together = judge_together(plan, experiment.trials, same)
                conclude(experiment, {TOGETHER: same}, {TOGETHER: (found.verdict, found.why)})

    def _shown(self, name: str) -> str:
        known = {BASE: "unchanged", AGAIN: "unchanged, once more", TOGETHER: "all kept ones together"}
        return known.get(name) or self.every[name].overlay

    def _say(self, what: str, number: int, total: int) -> None:
        left = max(0.0, self.task.deadline - self.tools.clock())
        self.before(Step(what, number + 1, total, left))


def check_runs(trial: Trial) -> None:
    """Without the unchanged program nothing can be compared."""
    if not trial.complete:
        raise CommandError(f"the command fails: {trial.problem}", "run it alone first, without goldsplit")
