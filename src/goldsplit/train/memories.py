"""The replay memory in both surroundings: prioritised, with n-step returns, same law, same batches' layout.

A batch has the fields of `FIELDS` and then `indices` and `weights`. Its target is

    reward + discount * (1 - terminated) * value(next_obs)

where `reward` is the discounted sum of up to n rewards and `discount` gamma to the power of how many they
were.
"""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from goldsplit.fast.replay import Field, NStep, PrioritizedReplay
from goldsplit.train.options import DqnOptions
from goldsplit.train.worlds import Actions, Observations, Turn, World

FIELDS = ("obs", "action", "reward", "discount", "terminated", "next_obs", "next_mask")


class Batch(NamedTuple):
    """Rows drawn from a memory."""

    obs: Any
    action: Any
    reward: Any
    discount: Any
    terminated: Any
    next_obs: Any
    next_mask: Any
    indices: Any
    weights: Any


class Memory(Protocol):
    """What the learner asks of a replay memory."""

    beta: float
    on_device: bool

    def __len__(self) -> int: ...
    def push(self, obs: Observations, actions: Actions, turn: Turn) -> None:
        """One step of all games; rows that only began a new game are left out."""

    def sample(self, rows: int) -> Any:
        """A batch with replacement, by priority."""

    def update_priorities(self, indices: Any, priorities: Any) -> Any:
        """Set the priorities of drawn rows."""

    def drop_open_windows(self) -> None:
        """Forget n-step windows that are not full: the games were begun anew before their ends."""


def fields_of(world: World) -> dict[str, Field]:
    """The schema of one stored row."""
    kinds = {
        "obs": Field(world.shape, world.dtype),
        "action": Field((), np.int64),
        "reward": Field((), np.float32),
        "discount": Field((), np.float32),
        "terminated": Field((), np.bool_),
        "next_obs": Field(world.shape, world.dtype),
        "next_mask": Field((world.actions,), np.bool_),
    }
    return {name: kinds[name] for name in FIELDS}


class PlayedOnly:
    """Lets through what is a transition: rows whose game only began anew end here."""

    def __init__(self, store: Any) -> None:
        self.store = store
        self.fields: dict[str, Field] = {**store.fields, "played": Field((), np.bool_)}

    def extend(self, **columns: Any) -> Any:
        played = columns.pop("played")
        if not played.all():
            columns = {name: column[played] for name, column in columns.items()}
        return self.store.extend(**columns) if len(columns["action"]) else np.empty(0, np.int64)


class FastMemory:
    """`goldsplit.fast.replay` on the host or on the device, filled by all games at once."""

    def __init__(self, options: DqnOptions, world: World, device: str | None = None) -> None:
        seed, alpha, beta = options.seed, options.alpha, options.beta_start
        fields = fields_of(world)
        store: Any
        if device is None:
            store = PrioritizedReplay(options.capacity, fields, alpha=alpha, beta=beta, seed=seed)
        else:
            from goldsplit.fast.replay.device import DevicePrioritizedReplay

            store = DevicePrioritizedReplay(
                options.capacity, fields, alpha=alpha, beta=beta, device=device, seed=seed
            )
        self._use(store, NStep(PlayedOnly(store), options.n_steps, options.gamma, lanes=world.envs))

    def _use(self, store: Any, steps: NStep) -> None:
        self.store, self._steps = store, steps
        self.on_device = hasattr(store, "draw")
        self.sample = store.sample
        self.update_priorities = store.update_priorities
        self.drop_open_windows = steps.drop_open_windows

    @property
    def beta(self) -> float:
        return float(self.store.beta)

    @beta.setter
    def beta(self, beta: float) -> None:
        self.store.beta = beta

    def __len__(self) -> int:
        return len(self.store)

    def push(self, obs: Observations, actions: Actions, turn: Turn) -> None:
        self._steps.extend(
            obs=obs,
            action=actions,
            reward=turn.rewards,
            terminated=turn.terminated,
            # a row without a transition closes its own window at once, so that none begins with it
            truncated=turn.truncated | ~turn.played,
            next_obs=turn.obs,
            next_mask=turn.masks,
            played=turn.played,
        )

    def __getstate__(self) -> dict[str, Any]:
        return {"store": self.store, "steps": self._steps}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._use(state["store"], state["steps"])


class PlainMemory:
    """As authors write it: a list of tuples, pushed one by one, and a draw over all priorities."""

    on_device = False

    def __init__(self, options: DqnOptions, world: World) -> None:
        self.capacity = options.capacity
        self.n, self.gamma, self.alpha, self.beta = (
            options.n_steps,
            options.gamma,
            options.alpha,
            options.beta_start,
        )
        self.rows: list[tuple[Any, ...]] = []
        self.position = 0
        self.priorities = np.zeros(options.capacity, np.float64)
        self.largest = 1.0
        self.windows: list[deque[tuple[Any, ...]]] = [deque() for _ in range(world.envs)]
        self.rng = np.random.RandomState(options.seed)

    def __len__(self) -> int:
        return len(self.rows)

    def push(self, obs: Observations, actions: Actions, turn: Turn) -> None:
        for i in range(len(actions)):
            if not turn.played[i]:
                continue
            self.windows[i].append((obs[i].copy(), int(actions[i]), float(turn.rewards[i])))
            ended = turn.terminated[i] or turn.truncated[i]
            if len(self.windows[i]) == self.n:
                self._close(i, turn)
            while ended and self.windows[i]:
                self._close(i, turn)

    def _close(self, i: int, turn: Turn) -> None:
        """The oldest window of a game becomes a row."""
        total = 0.0
        for _obs, _action, reward in reversed(self.windows[i]):
            total = reward + self.gamma * total
        discount = self.gamma ** len(self.windows[i])
        obs, action, _reward = self.windows[i].popleft()
        row = (
            obs,
            action,
            total,
            discount,
            bool(turn.terminated[i]),
            turn.obs[i].copy(),
            turn.masks[i].copy(),
        )
        if len(self.rows) < self.capacity:
            self.rows.append(row)
        else:
            self.rows[self.position] = row
        self.priorities[self.position] = self.largest
        self.position = (self.position + 1) % self.capacity

    def sample(self, rows: int) -> Batch:
        """Probabilities of the whole memory, for every batch."""
        scaled = self.priorities[: len(self.rows)] ** self.alpha
        chances = scaled / scaled.sum()
        indices = self.rng.choice(len(self.rows), rows, p=chances)
        weights = (len(self.rows) * chances[indices]) ** -self.beta
        weights /= (len(self.rows) * chances.min()) ** -self.beta
        columns = list(zip(*[self.rows[index] for index in indices], strict=True))
        kinds = (None, np.int64, np.float32, np.float32, np.bool_, None, np.bool_)
        arrays = [np.array(column, dtype=kind) for column, kind in zip(columns, kinds, strict=True)]
        return Batch._make([*arrays, indices, weights.astype(np.float32)])

    def update_priorities(self, indices: Any, priorities: NDArray[Any]) -> None:
        for index, priority in zip(indices, priorities, strict=True):
            self.priorities[index] = float(priority)
            self.largest = max(self.largest, float(priority))

    def drop_open_windows(self) -> None:
        for window in self.windows:
            window.clear()
