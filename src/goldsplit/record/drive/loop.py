"""The loop: mask, choose, step, count; reset when an episode is over. Only the environment's own time goes
into its figures; what the driver does in between is measured as the driver's."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from goldsplit.record.drive.driven_env import DrivenEnv
from goldsplit.record.drive.masks import in_order
from goldsplit.record.drive.outcome import Outcome
from goldsplit.record.drive.problem import DriveError, told_at, users_traceback
from goldsplit.record.drive.target import FAILURES
from goldsplit.record.drive.timing import PhaseTimes, Times
from goldsplit.record.drive.trajectory import Trajectory

clock = time.perf_counter_ns
SECOND = 1_000_000_000
#: Calls of step that are left out of the distribution: caches fill, compilers compile.
WARM_UP_CALLS = 100
WARM_UP_NS = SECOND
SAVE_EVERY_NS = SECOND
#: If the first episode does not end, waiting for its end stops after this many times the budget.
PATIENCE = 3
BATCH_HINT = "if one call steps many environments, say how many in an attribute num_envs"


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop."""

    calls: int
    """At most so many calls of step."""
    budget_ns: int | None
    """Stop after this time; None: never."""
    hashed_calls: int
    """The hash is over the first calls, so that it does not depend on how fast they are."""
    warm_up_calls: int
    strict: bool
    """Stop when the time is up, even if no episode has ended or the hash is not complete."""


class NoRecorder:
    """Stands for the recorder where nothing records."""

    def enter(self) -> None:
        return None

    def leave(self) -> None:
        return None


class Drive:
    """Everything that is measured."""

    def __init__(
        self, envs: list[DrivenEnv], limits: Limits, trajectory: Trajectory | None, save: Callable[[], None]
    ) -> None:
        self.envs = envs
        self.limits = limits
        self.trajectory = trajectory
        self.save = save
        self.recorder: Any = NoRecorder()
        self.warm_up, self.measured, self.resets = PhaseTimes(), PhaseTimes(), Times()
        self.first_reset_ns: int | None = None
        self.calls = self.steps = 0
        self.step_ns = self.mask_ns = self.hash_ns = self.wall_ns = 0
        self.episodes: int | None = 0
        self.lengths: dict[int, int] = {}
        self.started_ns = self.saved_ns = 0

    def run(self) -> None:
        """Drive until the limits say stop. Whatever ends it, what was measured is kept."""
        self.started_ns = self.saved_ns = clock()
        self.recorder.enter()
        try:
            while True:
                for env in self.envs:
                    if self._enough():
                        return
                    if env.over:
                        self._reset(env)
                    self._step(env)
        finally:
            self.recorder.leave()
            self.wall_ns = clock() - self.started_ns

    def _enough(self) -> bool:
        now = clock()
        if now - self.saved_ns > SAVE_EVERY_NS:
            self.wall_ns = now - self.started_ns
            self.save()
            self.saved_ns = clock()
        if self.calls >= self.limits.calls:
            return True
        budget = self.limits.budget_ns
        if budget is None or now - self.started_ns < budget:
            return False
        if self.limits.strict:
            return True
        waited = self.episodes != 0 or now - self.started_ns > PATIENCE * budget
        return waited and self.calls >= self.limits.hashed_calls

    def _reset(self, env: DrivenEnv) -> None:
        first = env.resets == 0
        self.recorder.leave()
        begun = clock()
        try:
            env.begin()
        except DriveError:
            raise
        except FAILURES as error:
            raise self._failed("reset", error) from error
        took = clock() - begun
        self.recorder.enter()
        if first and self.first_reset_ns is None:
            self.first_reset_ns = took
        else:
            self.resets.add(took)
            self._phase().windows.add(0, took)
        if self._hashing() and self.trajectory is not None:
            self._hash(self.trajectory.reset, env.observation)

    def _step(self, env: DrivenEnv) -> None:
        begun = clock()
        mask = env.mask()
        mask_ns = clock() - begun if env.source is not None and env.source.calls else 0
        action = self._choose(env, mask)
        if mask is not None and self._hashing():
            self._hash_mask(env, mask)
        self.recorder.leave()
        begun = clock()
        try:
            result = env.step(action)
        except FAILURES as error:
            raise self._failed("step", error) from error
        took = clock() - begun
        self.recorder.enter()
        self.mask_ns += mask_ns
        try:
            outcome = env.take(result)
        except FAILURES as error:
            raise DriveError(f"what step returned cannot be read: {told_at(error)}", BATCH_HINT) from error
        self._add_step(env, outcome, took, mask_ns)
        if self._hashing(after=1) and self.trajectory is not None:
            self._hash(self.trajectory.step, outcome.observation, outcome.reward, outcome.ended)

    def _choose(self, env: DrivenEnv, mask: Any) -> Any:
        try:
            return env.choose(env.observation, mask)
        except DriveError:
            raise
        except FAILURES as error:
            hint = "choose yourself with --policy"
            if env.source is not None:
                hint = f"the mask ({env.source.name}) must have True or False for each action, "
                hint += "or list the valid ones"
            raise DriveError(f"no action could be chosen: {told_at(error)}", hint) from error

    def _add_step(self, env: DrivenEnv, outcome: Outcome, took: int, mask_ns: int) -> None:
        steps = env.batch or 1
        self.calls += 1
        self.steps += steps
        self.step_ns += took
        self._count_episodes(env, outcome)
        phase = self._phase()
        phase.times.add(took)
        phase.windows.add(steps, took + mask_ns)

    def _phase(self) -> PhaseTimes:
        warm = self.calls > self.limits.warm_up_calls or self.step_ns > WARM_UP_NS
        return self.measured if warm else self.warm_up

    def _count_episodes(self, env: DrivenEnv, outcome: Outcome) -> None:
        if outcome.ended is None:
            self.episodes = None
        elif env.batch:
            self._count_in_batch(env, outcome.ended)
        elif outcome.ended and self.episodes is not None:
            self.episodes += 1
            self.lengths[env.steps] = self.lengths.get(env.steps, 0) + 1

    def _count_in_batch(self, env: DrivenEnv, ended: Any) -> None:
        env.ages = ages = env.ages or [0] * len(ended)
        for place, over in enumerate(ended.tolist()):
            ages[place] += 1
            if over:
                self.episodes = (self.episodes or 0) + 1
                self.lengths[ages[place]] = self.lengths.get(ages[place], 0) + 1
                ages[place] = -1 if env.resets_late else 0

    def _hashing(self, after: int = 0) -> bool:
        return self.trajectory is not None and self.calls - after < self.limits.hashed_calls

    def _hash(self, add: Callable[..., None], *parts: Any) -> None:
        begun = clock()
        add(*parts)
        self.hash_ns += clock() - begun

    def _hash_mask(self, env: DrivenEnv, mask: Any) -> None:
        lists = env.source is not None and env.source.lists_actions
        if self.trajectory is not None:
            self._hash(self.trajectory.mask, in_order(list(mask)) if lists else mask, lists)

    def _failed(self, what: str, error: BaseException) -> DriveError:
        at = f"at step {self.steps + 1}" if self.steps else "before the first step was over"
        return DriveError(
            f"{what} raised {at}: {told_at(error)}",
            "the traceback above is of the environment's own code",
            users_traceback(error),
        )
