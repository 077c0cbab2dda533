"""A ThreadPoolExecutor of 8 steps eight battles at once; steps sleep, hold the GIL, or release it."""

from __future__ import annotations

import hashlib
import random
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from clocks import COMMUNICATION, STEP, Interval, Truth, WorkerSpan, program_arguments, spin
from dqn import Agent, ReplayMemory, seed_everything

OBSERVATION_SIZE = 48
BATTLES = 8
KINDS = ("sleep", "hold", "release")
PAYLOAD = bytes(64 * 1024)


class Battle:
    def __init__(self, index: int, kind: str) -> None:
        self.random = random.Random(index)
        self.kind = KINDS[index % len(KINDS)] if kind == "mixed" else kind
        self.turn = 0

    def reset(self) -> Any:
        self.turn = 0
        return self.observe()

    def step(self, action: int) -> tuple[Any, float, bool, dict[str, Any]]:
        start_ns = time.perf_counter_ns()
        self.turn += 1
        self.work(self.random.uniform(0.5, 1.5))
        done = self.random.random() < 0.02
        observation = self.observe()
        info = {"interval": Interval(start_ns, time.perf_counter_ns())}
        return observation, float(action == self.turn % 4), done, info

    def work(self, factor: float) -> None:
        if self.kind == "sleep":  # a battle server answers
            time.sleep(0.006 * factor)
        elif self.kind == "hold":  # an engine in plain Python
            spin(600 * factor)
        else:  # an engine in C that lets others run
            for _ in range(int(16 * factor)):
                hashlib.sha256(PAYLOAD).digest()

    def observe(self) -> Any:
        return np.full(OBSERVATION_SIZE, self.turn / 100.0, dtype=np.float32)


def step_all(truth: Truth, pool: ThreadPoolExecutor, battles: list[Battle], actions: list[int]) -> list[Any]:
    """Submit all, wait for all."""
    with truth.clock(COMMUNICATION):
        futures = [pool.submit(battle.step, action) for battle, action in zip(battles, actions, strict=True)]
        waiting_from_ns = time.perf_counter_ns()
        results = [future.result() for future in futures]
        wait = Interval(waiting_from_ns, time.perf_counter_ns())
        spans = [WorkerSpan(f"battle {i}", STEP, r[3]["interval"]) for i, r in enumerate(results)]
        truth.charge_wait(wait, spans)
    return results


def main() -> None:
    parser = program_arguments("eight battles in a thread pool")
    parser.add_argument("--kind", choices=(*KINDS, "mixed"), default="mixed")
    args = parser.parse_args()
    seed_everything(args.seed)
    truth = Truth(f"threadpool-{args.kind}", args.seconds, args.steps)
    battles = [Battle(index, args.kind) for index in range(BATTLES)]
    agent = Agent(truth, OBSERVATION_SIZE, 4)
    memory = ReplayMemory(20_000, OBSERVATION_SIZE)
    time.sleep(args.startup)
    observations = np.stack([battle.reset() for battle in battles])
    with ThreadPoolExecutor(max_workers=BATTLES) as pool:
        while truth.keep_going():
            with truth.clock("act"):
                actions = agent.select_actions(observations)
            results = step_all(truth, pool, battles, actions)
            truth.count(env_steps=BATTLES, episodes=sum(result[2] for result in results))
            with truth.clock("replay.add"):
                for i, (observation, reward, done, _) in enumerate(results):
                    memory.push(observations[i], actions[i], reward, observation, done)
            for battle, result in zip(battles, results, strict=True):
                if result[2]:
                    with truth.clock("env.reset"):
                        battle.reset()
            observations = np.stack([result[0] for result in results])
            for _ in range(2):
                with truth.clock("replay.sample"):
                    batch = memory.sample(128)
                agent.optimize(batch)
    truth.finish()


if __name__ == "__main__":
    main()
