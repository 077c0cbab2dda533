"""Lock-step worker processes over pipes; the last one is slower. Each steps several games in turn."""

from __future__ import annotations

import multiprocessing
import random
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
from knobs_loop import Speed, knobs, work

import goldsplit


class Arena:
    """A game that computes (`busy`) and waits for an emulator (the rest), with an uneven length."""

    def __init__(self, seed: int, step_us: float, busy: float) -> None:
        self.random, self.step_us, self.busy, self.turn = random.Random(seed), step_us, busy, 0

    def reset(self) -> Any:
        self.turn = 0
        return np.zeros(16, dtype=np.float32)

    def step(self, action: int) -> tuple[Any, float, bool, dict[str, Any]]:
        self.turn += 1
        work(self.random.uniform(0.4, 1.6) * self.step_us, self.busy)
        return np.full(16, self.turn % 5, dtype=np.float32), 1.0, self.turn >= 100, {}


def serve(pipe: Connection, seed: int, games: int, step_us: float, busy: float) -> None:
    arenas = [Arena(seed * 100 + i, step_us, busy) for i in range(games)]
    for arena in arenas:
        arena.reset()
    while (actions := pipe.recv()) is not None:
        answers = []
        for arena, action in zip(arenas, actions, strict=True):
            observation, reward, done, _ = arena.step(action)
            answers.append((arena.reset() if done else observation, reward, done))
        pipe.send(answers)


class Learner:
    def __init__(self, act_us: float, learn_us: float, busy: float) -> None:
        self.act_us, self.learn_us, self.busy = act_us, learn_us, busy

    def select_actions(self, observations: Any) -> list[int]:
        work(self.act_us, self.busy)
        return [0] * len(observations)

    def optimize(self) -> None:
        work(self.learn_us, self.busy)
        goldsplit.count("updates")


def main() -> None:
    args = knobs(
        "lock-step workers",
        workers=2,
        envs=2,
        step_us=2500.0,
        slow=2.0,
        busy=0.0,
        act_us=800.0,
        learn_us=1200.0,
        updates_per_step=0.25,
    )
    share, pipes, processes = args.envs // args.workers, [], []
    for index in range(args.workers):
        ours, theirs = multiprocessing.Pipe()
        cost_us = args.step_us * (args.slow if index % 2 else 1.0)
        process = multiprocessing.Process(
            target=serve, args=(theirs, index, share, cost_us, args.busy), daemon=True
        )
        process.start()
        pipes.append(ours)
        processes.append(process)
    learner = Learner(args.act_us, args.learn_us, args.busy)
    observations: list[Any] = [None] * args.envs
    speed, owed = Speed(args.seconds), 0.0
    while speed.going_on(args.envs):
        actions = learner.select_actions(observations)
        for index, pipe in enumerate(pipes):
            pipe.send(actions[index * share : (index + 1) * share])
        observations = [row[0] for pipe in pipes for row in pipe.recv()]
        owed += args.updates_per_step * args.envs
        while owed >= 1.0:
            learner.optimize()
            owed -= 1.0
    speed.tell()
    for pipe, process in zip(pipes, processes, strict=True):
        pipe.send(None)
        process.join()


if __name__ == "__main__":
    main()
