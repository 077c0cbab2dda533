"""Many battles at once, the way the seed's author plays them: environments in the threads of a pool.

Battle k is seeded with `seed + k` and so are the agent's dice, and the agent does not learn while battles are
played. So a battle's course does not depend on the twin, the number of threads or who was faster.
"""

from __future__ import annotations

import queue
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from goldsplit.games.dice import Dice
from goldsplit.games.duel.batch import DuelBatch
from goldsplit.games.duel.errors import DuelError
from goldsplit.games.duel.fast import DuelFast
from goldsplit.games.duel.linear_policy import Decision, LinearPolicy
from goldsplit.games.duel.plain import DuelPlain
from goldsplit.games.trajectory import Trajectory, row_info

TWINS = ("plain", "fast", "batch")


class Result(NamedTuple):
    """How one battle went; `digest` is the hash of all that its player saw."""

    battle: int
    winner: str
    reason: str
    turns: int
    digest: str
    decisions: tuple[Decision, ...]


class Seat:
    """One battle while it is played: its dice, its hash and its decisions."""

    def __init__(self, battle: int, seed: int) -> None:
        self.battle = battle
        self.seed = seed + battle
        self._dice = Dice(self.seed)
        self._trajectory = Trajectory()
        self._decisions: list[Decision] = []
        self.result: Result | None = None

    def began(self, observation: Any, info: dict[str, Any], mask: Any) -> None:
        self._trajectory.began(observation, mask, info)
        self._observation, self._mask = observation, mask

    def choose(self, policy: LinearPolicy) -> int:
        self._action = policy.select_action(self._observation, self._mask, self._dice)
        return self._action

    def stepped(self, answer: tuple[Any, float, bool, bool, dict[str, Any]], mask: Any) -> None:
        self._trajectory.stepped(answer, mask)
        self._decisions.append(Decision(self._observation, self._mask, self._action, float(answer[1])))
        self._observation, self._mask = answer[0], mask
        if answer[2] or answer[3]:
            info, digest = answer[4], self._trajectory.digest()
            self.result = Result(
                self.battle, info["winner"], info["reason"], int(info["turn"]), digest, tuple(self._decisions)
            )


class League:
    """Open environments of one twin and the threads that play in them."""

    def __init__(self, twin: str = "plain", threads: int = 4) -> None:
        if twin not in TWINS:
            raise DuelError(f"there is no {twin} twin", f"one of {', '.join(TWINS)}")
        if threads < 1:
            raise DuelError(f"{threads} threads cannot play", "1 or more")
        self.seats = threads
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="battle")
        self._batch = DuelBatch(threads) if twin == "batch" else None
        self._free: queue.SimpleQueue[DuelPlain | DuelFast] = queue.SimpleQueue()
        self._envs: list[DuelPlain | DuelFast] = []
        if self._batch is None:
            self._envs = [DuelPlain() if twin == "plain" else DuelFast() for _ in range(threads)]
        for env in self._envs:
            self._free.put(env)

    def __enter__(self) -> League:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """After the battles that are being played; those that did not begin are left out."""
        self._pool.shutdown(cancel_futures=True)
        for env in self._envs:
            env.close()
        if self._batch is not None:
            self._batch.close()

    def play(self, battles: Sequence[int], policy: LinearPolicy, seed: int = 0) -> list[Result]:
        """These battles, as many at once as there are seats; the results are in their order."""
        if self._batch is not None:
            chunks = [battles[first : first + self.seats] for first in range(0, len(battles), self.seats)]
            return [result for chunk in chunks for result in _together(self._batch, chunk, policy, seed)]
        return list(self._pool.map(partial(self._play_one, policy=policy, seed=seed), battles))

    def _play_one(self, battle: int, policy: LinearPolicy, seed: int) -> Result:
        env = self._free.get()
        try:
            return play_battle(env, Seat(battle, seed), policy)
        finally:
            self._free.put(env)


def play_battle(env: DuelPlain | DuelFast, seat: Seat, policy: LinearPolicy) -> Result:
    """One battle from its beginning to its end."""
    observation, info = env.reset(seed=seat.seed)
    seat.began(observation, info, env.action_masks())
    while seat.result is None:
        answer = env.step(seat.choose(policy))
        seat.stepped(answer, env.action_masks())
    return seat.result


def _together(env: DuelBatch, battles: Sequence[int], policy: LinearPolicy, seed: int) -> list[Result]:
    """Battles side by side until the last has ended; what follows an end in its row is ignored.

    Rows without a battle, in the last chunk, repeat the first one's.
    """
    seats = [Seat(battle, seed) for battle in battles]
    spare = env.num_envs - len(seats)
    observations, infos = env.reset(seed=[seat.seed for seat in seats] + [seats[0].seed] * spare)
    masks = env.action_masks()
    for row, seat in enumerate(seats):
        seat.began(observations[row], row_info(infos, row), masks[row])
    while any(seat.result is None for seat in seats):
        actions = np.zeros(env.num_envs, np.int64)
        for row, seat in enumerate(seats):
            if seat.result is None:
                actions[row] = seat.choose(policy)
        observations, rewards, terminated, truncated, infos = env.step(actions)
        masks = env.action_masks()
        for row, seat in enumerate(seats):
            if seat.result is None:
                ends = bool(terminated[row]), bool(truncated[row])
                answer = (observations[row], float(rewards[row]), *ends, row_info(infos, row))
                seat.stepped(answer, masks[row])
    return [seat.result for seat in seats if seat.result is not None]
