"""The games as hobby authors run them: a list of environments, or a process and a pipe for each of them.

Kept as seed 001 describes it, for comparison: every game is asked by a message of its own, for a random
action too (`sample_action`), the whole info comes back with every step, and each game's step is a line in
the log.
"""

from __future__ import annotations

import logging
import multiprocessing
import pickle
import random
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from goldsplit.train.worlds import (
    NO_WINNER,
    Actions,
    Masks,
    Observations,
    Policy,
    Tally,
    Turn,
    fixed_opponent,
    spaces_of,
)


class Slot:
    """One environment and what is asked of it; in this process, or at the far end of a pipe."""

    def __init__(self, make: Callable[[], Any]) -> None:
        import goldsplit.games  # noqa: F401  registers the games, also in a fresh process

        self.env: Any = make()
        self.over = False
        self.random = random.Random(0)

    def ask(self, command: str, data: Any = None) -> Any:
        """Answer one command; the names are what travels over the pipe."""
        if command == "step":
            return self.step(int(data))
        if command == "sample_action":
            return self.random.choice([action for action, fine in enumerate(self.masks()) if fine])
        if command == "reset":
            self.random = random.Random(data)
            self.over = False
            obs, info = self.env.reset(seed=data)
            return obs, info, self.masks()
        if command == "spaces":
            return self.env.observation_space, self.env.action_space
        if command == "set_opponent":
            return self.set_opponent(data)
        raise ValueError(f"unknown command {command!r}\nhint: see Slot.ask")

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any], Any]:
        """One step; after an end the next step only begins the new game."""
        if self.over:
            self.over = False
            obs, info = self.env.reset()
            return obs, 0.0, False, False, info, self.masks()
        obs, reward, terminated, truncated, info = self.env.step(action)
        self.over = terminated or truncated
        return obs, float(reward), bool(terminated), bool(truncated), info, self.masks()

    def masks(self) -> Any:
        """Which actions are valid; everything where nobody will look."""
        ask = getattr(self.env.unwrapped, "action_masks", None)
        if ask is None or self.over:
            return [True] * int(self.env.action_space.n)
        return ask()

    def set_opponent(self, policy: Policy) -> bool:
        """Whether the game takes an opponent."""
        take = getattr(self.env.unwrapped, "set_opponent", None)
        if take is not None:
            take(policy)
        return take is not None

    def close(self) -> None:
        self.env.close()


class PipeSlot:
    """The same at the far end of a pipe: one process per environment, one message each way per question."""

    def __init__(self, make: Callable[[], Any]) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["gymnasium", "goldsplit.train.plain_world"])
        self._pipe, far = context.Pipe()
        self._process = context.Process(target=_work, args=(far, make), daemon=True)
        self._process.start()
        far.close()

    def send(self, command: str, data: Any = None) -> None:
        self._pipe.send((command, data))

    def receive(self) -> Any:
        """The answer; an exception of the worker is raised here."""
        answer = self._pipe.recv()
        if isinstance(answer, Exception):
            raise answer
        return answer

    def ask(self, command: str, data: Any = None) -> Any:
        self.send(command, data)
        return self.receive()

    def close(self) -> None:
        self._pipe.send(("close", None))
        self._process.join()
        self._pipe.close()


def _work(pipe: Connection, make: Callable[[], Any]) -> None:
    slot = Slot(make)
    while True:
        command, data = pipe.recv()
        if command == "close":
            slot.close()
            return
        try:
            pipe.send(slot.ask(command, data))
        except Exception as failure:
            pipe.send(failure)


class PlainWorld:
    """N games, each in a slot of its own."""

    def __init__(
        self,
        make: Callable[[], Any],
        envs: int,
        *,
        name: str = "the game",
        subprocess: bool = False,
        log: logging.Logger | None = None,
    ) -> None:
        self.name = name
        self.envs = envs
        self.subprocess = subprocess
        self.log = log
        self.slots: list[Any] = [PipeSlot(make) if subprocess else Slot(make) for _ in range(envs)]
        observed, acted = self.slots[0].ask("spaces")
        self.shape, self.dtype, self.actions = spaces_of(observed, acted, name)
        self._over = np.zeros(envs, np.bool_)
        self._tally = Tally(envs)
        self._steps = 0

    def reset(self, seed: int) -> tuple[Observations, Masks]:
        answers = [slot.ask("reset", seed + i) for i, slot in enumerate(self.slots)]
        self._over[:] = False
        self._tally = Tally(self.envs)
        return self._stacked([answer[0] for answer in answers]), _as_masks([answer[2] for answer in answers])

    def step(self, actions: Actions) -> Turn:
        answers = self._answers(actions)
        observations, rewards, terminated, truncated, masks, ended = [], [], [], [], [], []
        played = ~self._over
        for i, (obs, reward, terminal, cut, info, mask) in enumerate(answers):
            observations.append(obs)
            rewards.append(reward)
            terminated.append(terminal)
            truncated.append(cut)
            masks.append(mask)
            self._log(i, actions[i], reward, info)
        self._over = np.array(terminated) | np.array(truncated)
        self._tally.add(np.array(rewards), played)
        for i in np.flatnonzero(self._over).tolist():
            ended.append(self._tally.take(i, answers[i][4].get("winner", NO_WINNER)))  # noqa: PERF401
        return Turn(
            self._stacked(observations),
            _as_masks(masks),
            np.array(rewards, dtype=np.float32),
            np.array(terminated),
            np.array(truncated),
            played,
            ended,
        )

    def sample_actions(self, rows: Sequence[int] | None = None) -> Actions:
        """Each game is asked for its own."""
        asked = range(self.envs) if rows is None else rows
        return np.array([self.slots[row].ask("sample_action") for row in asked], dtype=np.int64)

    def set_opponent(self, policy: Policy) -> None:
        taken = [slot.ask("set_opponent", policy) for slot in self.slots]
        if not all(taken):
            raise fixed_opponent(self.name)

    def state(self) -> Any:
        """None where the games are in other processes, or cannot be pickled."""
        if self.subprocess:
            return None
        try:
            slots = pickle.dumps([(slot.env, slot.over, slot.random.getstate()) for slot in self.slots])
        except (pickle.PicklingError, TypeError, AttributeError):
            return None
        tally = (self._tally.totals.copy(), self._tally.lengths.copy())
        return {"slots": slots, "over": self._over.copy(), "tally": tally, "steps": self._steps}

    def restore(self, state: Any) -> tuple[Observations, Masks]:
        """The observations are not among the results: a trainer saves its own."""
        for slot, (env, over, dice) in zip(self.slots, pickle.loads(state["slots"]), strict=True):
            slot.close()
            slot.env, slot.over = env, over
            slot.random.setstate(dice)
        self._over, self._steps = state["over"].copy(), state["steps"]
        self._tally.totals, self._tally.lengths = (part.copy() for part in state["tally"])
        masks = _as_masks([slot.masks() for slot in self.slots])
        return np.zeros((self.envs, *self.shape), self.dtype), masks

    def close(self) -> None:
        for slot in self.slots:
            slot.close()
        self.slots = []
        for handler in self.log.handlers if self.log is not None else []:
            handler.close()

    def _answers(self, actions: Actions) -> list[Any]:
        if not self.subprocess:
            return [slot.ask("step", actions[i]) for i, slot in enumerate(self.slots)]
        for i, slot in enumerate(self.slots):
            slot.send("step", int(actions[i]))
        return [slot.receive() for slot in self.slots]

    def _log(self, row: int, action: Any, reward: float, info: dict[str, Any]) -> None:
        self._steps += 1
        if self.log is not None:
            self.log.debug(
                f"[STEP] n={self._steps} env={row} action={action} reward={reward:.4f} info={info}"
            )

    def _stacked(self, observations: list[Any]) -> Observations:
        return np.array(observations, dtype=self.dtype)


def _as_masks(masks: list[Any]) -> Masks:
    return np.array([[bool(fine) for fine in mask] for mask in masks])
