"""Games in a Gymnasium vector environment: the batch twins, `goldsplit.fast.vector`, or an author's own."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv

from goldsplit.fast.vector import SharedVectorEnv, sample_masked
from goldsplit.train.errors import TrainError
from goldsplit.train.worlds import (
    NO_WINNER,
    Actions,
    Episode,
    Masks,
    Observations,
    Policy,
    Tally,
    Turn,
    fixed_opponent,
    spaces_of,
)


class VectorWorld:
    """N games behind Gymnasium's vector interface, with NEXT_STEP autoreset."""

    def __init__(self, games: VectorEnv[Any, Any, Any], name: str) -> None:
        self.name = name
        self.games = games
        self.envs = int(games.num_envs)
        self.shape, self.dtype, self.actions = spaces_of(
            games.single_observation_space, games.single_action_space, name
        )
        mode = games.metadata.get("autoreset_mode", AutoresetMode.NEXT_STEP)
        if AutoresetMode(mode) is not AutoresetMode.NEXT_STEP:
            raise TrainError(
                f"{name} resets its games by {mode}, the trainers expect NEXT_STEP",
                "make the vector environment with autoreset_mode=AutoresetMode.NEXT_STEP",
            )
        self._over = np.zeros(self.envs, np.bool_)
        self._masks = np.ones((self.envs, self.actions), np.bool_)
        self._tally = Tally(self.envs)
        self._rng = np.random.default_rng(0)
        self._find_masks()

    def _find_masks(self) -> None:
        """Batch twins have a method, `goldsplit.fast.vector` a property; other games allow everything."""
        owner = self.games.unwrapped
        found: Any = getattr(type(owner), "action_masks", None)
        if isinstance(owner, SharedVectorEnv) and owner.mask is None:
            found = None
        self._asked: Callable[[], Masks] | None = None
        if isinstance(found, property):
            self._asked = partial(getattr, owner, "action_masks")
        elif found is not None:
            self._asked = owner.action_masks

    def reset(self, seed: int) -> tuple[Observations, Masks]:
        self._rng = np.random.default_rng(seed)
        self._over[:] = False
        self._tally = Tally(self.envs)
        observations, _infos = self.games.reset(seed=seed)
        return self._observed(observations), self._masks_now()

    def step(self, actions: Actions) -> Turn:
        observations, rewards, terminated, truncated, infos = self.games.step(actions)
        played = ~self._over
        self._over = terminated | truncated
        self._tally.add(rewards, played)
        masks = self._masks_now()
        ended = self._ended(infos) if self._over.any() else []
        rewards = np.asarray(rewards, np.float32)
        return Turn(self._observed(observations), masks, rewards, terminated, truncated, played, ended)

    def sample_actions(self, rows: Sequence[int] | None = None) -> Actions:
        """In one call, from the masks that are here already."""
        chosen = sample_masked(self.games.single_action_space, self._masks, self._rng)
        return chosen if rows is None else chosen[np.asarray(rows, np.int64)]

    def set_opponent(self, policy: Policy) -> None:
        take = getattr(self.games.unwrapped, "set_opponent", None)
        if take is None:
            raise fixed_opponent(self.name)
        take(policy)

    def state(self) -> Any:
        """The games' own state where they offer it, else the games themselves as bytes, if that can be."""
        owner = self.games.unwrapped
        if isinstance(owner, SharedVectorEnv):
            return None
        try:
            games = owner.state() if hasattr(owner, "state") else pickle.dumps(owner)
        except (pickle.PicklingError, TypeError, AttributeError):
            return None
        return {"games": games, "around": self._around()}

    def _around(self) -> dict[str, Any]:
        return {
            "over": self._over.copy(),
            "masks": self._masks.copy(),
            "totals": self._tally.totals.copy(),
            "lengths": self._tally.lengths.copy(),
            "rng": self._rng.bit_generator.state,
        }

    def restore(self, state: Any) -> tuple[Observations, Masks]:
        """The observations are not among the results: a trainer saves its own."""
        owner = self.games.unwrapped
        if hasattr(owner, "restore"):
            owner.restore(state["games"])
        else:
            self.games = pickle.loads(state["games"])
            self._find_masks()
        around = state["around"]
        self._over, self._masks = around["over"].copy(), around["masks"].copy()
        self._tally.totals, self._tally.lengths = around["totals"].copy(), around["lengths"].copy()
        self._rng.bit_generator.state = around["rng"]
        return np.zeros((self.envs, *self.shape), self.dtype), self._masks

    def close(self) -> None:
        self.games.close()

    def _observed(self, observations: Any) -> Observations:
        return np.asarray(observations, self.dtype)

    def _masks_now(self) -> Masks:
        if self._asked is None:
            return self._masks
        masks = np.array(self._asked(), np.bool_)  # a copy: the next step may write into the same memory
        masks[self._over] = True
        self._masks = masks
        return masks

    def _ended(self, infos: dict[str, Any]) -> list[Episode]:
        winners, known = infos.get("winner"), infos.get("_winner")
        episodes = []
        for row in np.flatnonzero(self._over).tolist():
            winner = NO_WINNER
            if winners is not None and (known is None or known[row]):
                winner = winners[row]
            episodes.append(self._tally.take(row, winner))
        return episodes


class PlainVectorWorld(VectorWorld):
    """An author's own vector environment, in plain surroundings: random actions one by one."""

    def reset(self, seed: int) -> tuple[Observations, Masks]:
        self._random = random.Random(seed)
        return super().reset(seed)

    def sample_actions(self, rows: Sequence[int] | None = None) -> Actions:
        chosen = []
        for row in range(self.envs) if rows is None else rows:
            valid = [action for action in range(self.actions) if self._masks[row][action]]
            chosen.append(self._random.choice(valid))
        return np.array(chosen, dtype=np.int64)

    def _around(self) -> dict[str, Any]:
        return {**super()._around(), "random": self._random.getstate()}

    def restore(self, state: Any) -> tuple[Observations, Masks]:
        self._random = random.Random()
        self._random.setstate(state["around"]["random"])
        return super().restore(state)


def shared_games(make: Callable[[], Any], envs: int, subprocess: bool) -> VectorEnv[Any, Any, Any]:
    """One game per row in `goldsplit.fast.vector`, for games without a batch twin."""
    probe = make()
    mask = "action_masks" if hasattr(probe.unwrapped, "action_masks") else None
    probe.close()
    backend = "auto" if subprocess else "inprocess"
    return SharedVectorEnv([make] * envs, mask=mask, backend=backend)
