"""One driven environment: how it is reset and stepped, where its masks are, who chooses its actions."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from goldsplit.model.stage import ENV_MASK, ENV_RESET, ENV_STEP, VEC_COPY
from goldsplit.record.drive.action_groups import (
    Agents,
    Batch,
    batch_size,
    find_agent_masks,
    find_batch_mask,
    has_agents,
)
from goldsplit.record.drive.actions import Actions, count_of, find_actions
from goldsplit.record.drive.masks import MaskSource, find_mask, settle
from goldsplit.record.drive.outcome import Outcome, read_reset, read_step, takes_seed
from goldsplit.record.drive.policy import BUILT_IN, built_in, users_policy
from goldsplit.record.drive.problem import DriveError, told_at, users_traceback
from goldsplit.record.drive.target import FAILURES

Wrap = Callable[[Any, str], Any]
"""(function, stage) → the function as a span of that stage, while something records."""


@dataclass(frozen=True, slots=True)
class Rules:
    """How to play."""

    policy: str
    policy_function: Callable[..., Any] | None
    mask_function: Callable[[Any], Any] | None
    seed: int


class DrivenEnv:
    """One environment, or one batch of environments that step together."""

    def __init__(self, env: Any, rules: Rules, seed: int, wrap: Wrap) -> None:
        if hasattr(env, "agent_selection"):
            raise DriveError(
                f"{type(env).__name__} lets its agents act in turn (PettingZoo's AEC)",
                "make it parallel first: pettingzoo.utils.conversions.aec_to_parallel(env)",
            )
        self.env = env
        self.rules = rules
        self.seed = seed
        self.batch = batch_size(env)
        self.resets_late = resets_late(env)
        self.wrap = wrap
        self.step = wrap(env.step, VEC_COPY if self.batch else ENV_STEP)
        self.reset = wrap(env.reset, ENV_RESET)
        self.observation: Any = None
        self.info: Any = {}
        self.resets = 0
        self.steps = 0
        self.over = True
        self.ages: list[int] = []
        """In a batch: how long each environment's episode is so far."""
        self.source: MaskSource | None = None
        self.actions: Actions | None = None
        self.choose: Callable[[Any, Any], Any] = self._choose_first

    def begin(self) -> None:
        """Reset; the first time with the seed, in whichever way the environment takes one."""
        first = self.resets == 0
        self.resets += 1
        arguments: dict[str, int] = {}
        if first and takes_seed(self.env.reset):
            arguments = {"seed": self.seed}
        elif first and callable(getattr(self.env, "seed", None)):
            self.env.seed(self.seed)
        result = self.reset(**arguments)
        self.observation, self.info = read_reset(result)
        self.over = False
        self.steps = 0
        if first:
            self._find_mask()

    def _find_mask(self) -> None:
        hook = self.rules.mask_function
        if self.batch:
            source = find_batch_mask(self.env, self.observation, self.info, hook)
        elif has_agents(self.env) and hook is None:
            source = find_agent_masks(self.observation, self.info)
        else:
            source = find_mask(self.env, self.observation, self.info, hook)
        if source is not None and source.calls:
            read = self.wrap(source.read, ENV_MASK)
            source = MaskSource(source.name, read, source.lists_actions)
        self.source = source

    def mask(self) -> Any:
        """The mask for the next action; None where there is none."""
        source = self.source
        if source is None:
            return None
        try:
            return source.read(self.observation, self.info)
        except FAILURES as error:
            raise DriveError(
                f"asking for the mask ({source.name}) failed: {told_at(error)}",
                "the mask is asked for once before every step",
                users_traceback(error),
            ) from error

    def _choose_first(self, observation: Any, mask: Any) -> Any:
        """The first choice: find out which actions there are, and replace `choose` by their way to choose."""
        rules, env = self.rules, self.env
        if self.source is not None and mask is not None and not self.batch and not has_agents(env):
            self.source = settle(self.source, mask, count_of(env))
        if rules.policy not in BUILT_IN:
            assert rules.policy_function is not None
            self.choose = users_policy(rules.policy, rules.policy_function, env, self.source)
            return self.choose(observation, mask)
        if self.batch:
            self.actions = Batch(env, self.batch, self.seed)
        elif has_agents(env):
            self.actions = Agents(env, self.seed)
        else:
            self.actions = find_actions(env, self.source, mask, self.seed)
        self.choose = built_in(rules.policy, self.actions)
        return self.choose(observation, mask)

    def take(self, result: Any) -> Outcome:
        """Read one step's result, and remember the state of the game."""
        outcome = read_step(result, self.env, self.batch is not None)
        self.observation, self.info = outcome.observation, outcome.info
        self.steps += 1
        if self.batch is None:
            self.over = bool(outcome.ended)
        elif outcome.ended is not None and not self.resets_itself():
            self.over = bool(outcome.ended.all())
        return outcome

    def resets_itself(self) -> bool:
        """Gymnasium's and Stable-Baselines3's vector environments do; for others it is not known."""
        return hasattr(self.env, "single_action_space") or hasattr(self.env, "env_method")


def resets_late(env: Any) -> bool:
    """Whether a vector environment uses the step after an end for the reset, as Gymnasium's usually do."""
    mode = (getattr(env, "metadata", None) or {}).get("autoreset_mode")
    return getattr(mode, "name", "") == "NEXT_STEP"


def seed_everything(seed: int) -> None:
    """For environments that draw from the program's own random numbers."""
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed % 2**32)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(seed)
