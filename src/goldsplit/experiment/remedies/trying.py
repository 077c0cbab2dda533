"""Try remedies on a program: do they play the same, do they pay, and what do those that pay save together?

First every remedy runs once with hashed trajectories beside the unchanged program, which runs twice. One that
fails there, changes an answer or changes nothing is dropped. The others are timed in blocks; those without
hope leave after some pairs. At last all kept ones together. Whatever ends it (Ctrl-C, the deadline), what
is done counts.
"""

from __future__ import annotations

import dataclasses
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from goldsplit import pipeline
from goldsplit.errors import CommandError
from goldsplit.experiment.carry_out import conclude
from goldsplit.experiment.comparison import Equal
from goldsplit.experiment.engines.one_trial import Interrupted, Tools
from goldsplit.experiment.engines.trial_engine import Engine, LocalEngine, Row
from goldsplit.experiment.remedies.equality import AGAIN, judge_equality
from goldsplit.experiment.remedies.schedule import BESIDE_SECONDS, Schedule, pairs_for
from goldsplit.experiment.remedies.verdicts import (
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
from goldsplit.model.overlay import OverlayUse
from goldsplit.model.trajectory import Trajectory
from goldsplit.store.experiment_files import RUNS
from goldsplit.store.trajectory_file import read_trajectory

BASE, TOGETHER, EQUALITY = "base", "together", "equality"
SEEDED = (
    "to compare the play, random, numpy, gymnasium and torch were seeded from outside (overlay seed); timed "
    "trials were not. If your program takes a seed: --seed-arg --seed"
)


@dataclass(frozen=True, slots=True)
class Step:
    """What is about to run."""

    what: str
    number: int
    total: int
    seconds_left: float
    """Until all of it ends, at the latest."""


@dataclass(frozen=True, slots=True)
class Task:
    """What to try on what, and until when."""

    run: str
    plan: Plan
    """Name, command, metric, seeds, stages; its variants are made here."""
    folder: Path
    schedule: Schedule
    deadline: float
    """By the tools' clock."""


def overlay_uses(run_dir: Path) -> list[OverlayUse]:
    """What the overlays of a trial changed."""
    return pipeline.measure(run_dir).profile.run.overlays


@dataclass(frozen=True, slots=True)
class Readers:
    """What is read from a trial's recording, beside its figures."""

    trajectory: Callable[[Path], Trajectory | None] = read_trajectory
    uses: Callable[[Path], list[OverlayUse]] = overlay_uses


@dataclass(slots=True)
class _State:
    """What is known so far."""

    equal: dict[str, Equal] = field(default_factory=dict)
    dropped: dict[str, str] = field(default_factory=dict)
    timed: Experiment | None = None
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
        self.found = {variant_name(n, one): one for n, one in enumerate(task.schedule.candidates)}
        self.state = _State()
        seeded = takes_seed(task.plan)
        self.seeding = () if seeded else (f"seed:{task.plan.seed}",)
        if not seeded and self.found:
            self.state.notes.append(SEEDED)

    def go(self) -> TryResult:
        """Everything, as far as time and user let it."""
        try:
            if self.found:
                self._compare_play()
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
            conclude(state.timed, state.equal)
        return TryResult(
            self.task.run,
            tuple(
                part.replace(SEED_PLACEHOLDER, str(self.task.plan.seed)) for part in self.task.plan.command
            ),
            tuple(rows),
            together,
            tuple(one.overlay for one in self.task.schedule.left_out),
            tuple(state.notes),
            state.interrupted,
            self.task.schedule.trial_seconds if self.found else None,
        )

    def _rows(self) -> list[Tried]:
        state = self.state
        plan, trials = (None, []) if state.timed is None else (state.timed.plan, state.timed.trials)
        return judge_remedies(plan, trials, self.found, state.equal, state.dropped)

    def _plan(self, variants: Sequence[Variant], pairs: int, equivalent: bool = False) -> Plan:
        predicted = {name: one.predicted_gain for name, one in self.found.items()}
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

    def _compare_play(self) -> None:
        """Every remedy once, with hashes, at one seed."""
        variants = [Variant(name, overlays=self.seeding) for name in (BASE, AGAIN)]
        variants += [Variant(name, overlays=(*self.seeding, one.overlay)) for name, one in self.found.items()]
        plan, folder = self._plan(variants, 1, True), self.task.folder / EQUALITY
        with Experiment(plan, folder, self.tools, engine=self.engine) as experiment:
            names = [BASE, AGAIN, *self.found]
            for number, name in enumerate(names):
                self._say("does it play the same: " + self._shown(name), number, len(names))
                trial = experiment.run_trial(0, number, name)
                if name == BASE:
                    check_runs(trial)
            self._judge_play(experiment)

    def _judge_play(self, experiment: Experiment) -> None:
        trials = {trial.variant: trial for trial in experiment.trials}
        runs = experiment.folder / RUNS
        hashed = {name: self.read.trajectory(runs / trial.run) for name, trial in trials.items()}
        self.state.equal = judge_equality(BASE, hashed, list(self.found))
        for name, candidate in self.found.items():
            trial = trials[name]
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
            trial = experiment.run_trial(0, len(self.found) + 2, TOGETHER)
            runs = {one.variant: one.run for one in experiment.trials}
            hashed = {name: self.read.trajectory(folder / RUNS / run) for name, run in runs.items()}
        return trial, judge_equality(BASE, hashed, [TOGETHER])[TOGETHER]

    # Time

    def _time(self) -> None:
        """Blocks of the base and all candidates that are left."""
        alive = {name: one for name, one in self.found.items() if name not in self.state.dropped}
        if not alive:
            return
        variants = [Variant(BASE), *(Variant(name, overlays=(one.overlay,)) for name, one in alive.items())]
        plan = self._plan(variants, self.task.schedule.pairs)
        reserve = 2 * pairs_for(1) * self._usual([]) if len(alive) > 1 else 0.0
        with Experiment(plan, self.task.folder, self.tools, engine=self.engine) as experiment:
            self.state.timed = experiment
            for block in range(0, plan.pairs, self.width):
                if not alive or self._is_late(experiment, len(alive) + 1, reserve, block, plan.pairs):
                    break
                self._blocks(experiment, block, {BASE, *alive})
                alive = {name: one for name, one in alive.items() if self._has_hope(experiment, name)}

    def _has_hope(self, experiment: Experiment, name: str) -> bool:
        variant = next(one for one in experiment.plan.variants if one.name == name)
        failed = any(trial.variant == name and not trial.complete for trial in experiment.trials)
        return not failed and not is_hopeless(experiment.plan, variant, experiment.trials)

    def _blocks(self, experiment: Experiment, first: int, names: set[str]) -> None:
        """As many blocks as can run at once."""
        pairs = experiment.plan.pairs
        blocks = range(first, min(pairs, first + self.width))
        rows = [row for block in blocks for row in experiment.rows_of(block) if row.variant in names]

        def before(row: Row) -> None:
            what = f"pair {row.block + 1} of {pairs}: {self._shown(row.variant)}"
            self._say(what, [one for one in rows if one.block == row.block].index(row), len(names))

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
        overlays = fit_together([one for one in self._rows() if one.verdict == KEEP])
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
                    self._blocks(experiment, block, {BASE, TOGETHER})
            finally:
                self.state.together = judge_together(plan, experiment.trials, same)
                conclude(experiment, {TOGETHER: same})

    def _shown(self, name: str) -> str:
        known = {BASE: "unchanged", AGAIN: "unchanged, once more", TOGETHER: "all kept ones together"}
        return known.get(name) or self.found[name].overlay

    def _say(self, what: str, number: int, total: int) -> None:
        left = max(0.0, self.task.deadline - self.tools.clock())
        self.before(Step(what, number + 1, total, left))


def check_runs(trial: Trial) -> None:
    """Without the unchanged program nothing can be compared."""
    if not trial.complete:
        raise CommandError(f"the command fails: {trial.problem}", "run it alone first, without goldsplit")
