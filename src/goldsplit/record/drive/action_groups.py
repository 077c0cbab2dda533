"""Actions for several at once: for a batch of environments with one step, or for the agents of one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from goldsplit.record.drive.actions import Actions, find_actions, is_counted, zero_of
from goldsplit.record.drive.masks import MaskSource, attribute, find_mask
from goldsplit.record.drive.problem import DriveError

_SIZES = ("n_actions", "num_actions", "action_size", "single_action_space_size")


def batch_size(env: Any) -> int | None:
    """How many environments one call of step steps; None for a single environment."""
    for name in ("num_envs", "n_envs"):
        found = getattr(env, name, None)
        if isinstance(found, int) and not isinstance(found, bool) and found >= 1:
            return found
    return None


def find_batch_mask(
    env: Any, observation: Any, info: Any, hook: Callable[[Any], Any] | None
) -> MaskSource | None:
    """As for a single environment; if that finds none, each member of the batch is asked."""
    if hook is None and hasattr(env, "env_method"):  # Stable-Baselines3
        has = getattr(env, "has_attr", None)
        if has is not None and has("action_masks"):
            return MaskSource("action_masks()", lambda _o, _i: env.env_method("action_masks"), False)
        return None
    found = find_mask(env, observation, info, hook)
    members = getattr(env, "envs", None) or ()
    if found is None and members and all(callable(attribute(one, "action_masks")) for one in members):
        return MaskSource("action_masks()", lambda _o, _i: env.call("action_masks"), False)
    return found


class Batch:
    """One action for each environment of a batch, drawn together."""

    def __init__(self, env: Any, count: int, seed: int) -> None:
        import numpy

        self.count = count
        self.generator = numpy.random.default_rng(seed)
        self.space: Any = getattr(env, "single_action_space", None) or getattr(env, "action_space", None)
        self.together = env.action_space if hasattr(env, "single_action_space") else None
        self.start = int(getattr(self.space, "start", 0)) if is_counted(self.space) else 0
        sizes = [getattr(self.space, "n", None)] if is_counted(self.space) else []
        sizes += [getattr(env, name, None) for name in _SIZES]
        self.size = next((int(n) for n in sizes if n is not None and not callable(n)), None)
        spaces: tuple[Any, ...] = (self.space, self.together)
        for space in spaces:
            if hasattr(space, "seed"):
                space.seed(seed)

    def choose(self, how: str, mask: Any) -> Any:
        import numpy

        if mask is not None:
            return self._masked(how, numpy.asarray([numpy.asarray(row) for row in mask]) != 0)
        if self.size is not None:
            if how == "random":
                return self.generator.integers(self.size, size=self.count) + self.start
            return numpy.full(self.count, self.start, numpy.int64)
        if how == "random" and self.together is not None:
            return self.together.sample()
        if hasattr(self.space, "sample"):
            one = self.space.sample if how == "random" else lambda: zero_of(self.space)
            return numpy.stack([one() for _ in range(self.count)])
        raise DriveError(
            "the batch of environments does not say which actions it takes: no action_space, no n_actions",
            "say what to do: --policy package.module:function, which is given the batch of observations",
        )

    def _masked(self, how: str, valid: Any) -> Any:
        import numpy

        if valid.ndim != 2 or len(valid) != self.count:
            raise DriveError(
                f"the mask of a batch of {self.count} has the shape {valid.shape}", "it has a row for each"
            )
        valid[~valid.any(axis=1)] = True  # nothing allowed: an episode that is over
        if how != "random":
            return valid.argmax(axis=1) + self.start
        drawn = self.generator.random(valid.shape)
        return numpy.where(valid, drawn, -1.0).argmax(axis=1) + self.start


class Agents:
    """One action for each agent that is alive, as in PettingZoo's parallel environments."""

    def __init__(self, env: Any, seed: int) -> None:
        self.env = env
        self.seed = seed
        self.of_agent: dict[Any, Actions] = {}

    def choose(self, how: str, mask: Any) -> Any:
        return {
            agent: self._actions(agent).choose(how, mask.get(agent) if mask is not None else None)
            for agent in list(self.env.agents)
        }

    def _actions(self, agent: Any) -> Actions:
        known = self.of_agent.get(agent)
        if known is None:

            class OfAgent:
                action_space = self.env.action_space(agent)

            source = MaskSource("action_mask of each agent", lambda _o, _i: None, False)
            known = find_actions(OfAgent(), source, None, self.seed + len(self.of_agent))
            self.of_agent[agent] = known
        return known


def has_agents(env: Any) -> bool:
    """Whether one step takes an action from each of several agents."""
    return callable(getattr(env, "action_space", None)) and hasattr(env, "possible_agents")


def find_agent_masks(observation: Any, info: Any) -> MaskSource | None:
    """A mask for each agent, in its observation or its info."""
    for place, held in (("observation", observation), ("info", info)):
        inner = list(held.values()) if isinstance(held, dict) else []
        if inner and all(isinstance(one, dict) and "action_mask" in one for one in inner):
            return MaskSource(f"action_mask in each agent's {place}", _of_agents(place), False, calls=False)
    return None


def _of_agents(place: str) -> Callable[[Any, Any], Any]:
    def read(observation: Any, info: Any) -> Any:
        held = observation if place == "observation" else info
        return {agent: one.get("action_mask") for agent, one in held.items()}

    return read
