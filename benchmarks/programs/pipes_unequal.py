"""Lock-step worker processes over hand-written pipes; one of them is several times slower."""

from __future__ import annotations

import multiprocessing
import random
import time
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
from clocks import COMMUNICATION, STEP, Interval, Truth, WorkerSpan, program_arguments, spin
from dqn import Agent, ReplayMemory, seed_everything

OBSERVATION_SIZE = 48


class GridBattle:
    def __init__(self, seed: int, step_us: float, asleep: float) -> None:
        self.random = random.Random(seed)
        self.step_us = step_us
        self.asleep = asleep
        self.turn = 0

    def reset(self) -> Any:
        self.work(self.random.uniform(0.8, 1.2) * self.step_us)
        self.turn = 0
        return self.observe()

    def step(self, action: int) -> tuple[Any, float, bool]:
        self.turn += 1
        self.work(self.random.uniform(0.7, 1.3) * self.step_us)
        return self.observe(), float(action == self.turn % 4), self.random.random() < 0.02

    def work(self, cost_us: float) -> None:
        spin((1.0 - self.asleep) * cost_us)
        if self.asleep:  # an emulator or a server works elsewhere: the core is free
            time.sleep(self.asleep * cost_us / 1e6)

    def observe(self) -> Any:
        return np.full(OBSERVATION_SIZE, self.turn / 100.0, dtype=np.float32)


def worker(connection: Connection, seed: int, step_us: float, asleep: float) -> None:
    """Steps its game when told to; its own clock's readings travel inside the answer."""
    game = GridBattle(seed, step_us, asleep)
    while True:
        idle_from_ns = time.perf_counter_ns()
        command, action = connection.recv()
        waited_ns = time.perf_counter_ns() - idle_from_ns
        if command == "close":
            break
        if command == "reset":
            connection.send(game.reset())
            continue
        spans = []
        start_ns = time.perf_counter_ns()
        observation, reward, done = game.step(action)
        spans.append((STEP, start_ns, time.perf_counter_ns()))
        if done:
            start_ns = time.perf_counter_ns()
            observation = game.reset()
            spans.append(("env.reset", start_ns, time.perf_counter_ns()))
        connection.send((observation, reward, done, spans, waited_ns))
    connection.close()


class WorkerPool:
    """The usual hand-written vector environment: send to all, then receive from all."""

    def __init__(self, truth: Truth, step_costs_us: list[float], asleep: float) -> None:
        self.truth = truth
        self.connections, self.processes = [], []
        for index, step_us in enumerate(step_costs_us):
            ours, theirs = multiprocessing.Pipe()
            args = (theirs, index, step_us, asleep)
            process = multiprocessing.Process(target=worker, args=args, daemon=True)
            process.start()
            theirs.close()
            self.connections.append(ours)
            self.processes.append(process)

    def reset(self) -> Any:
        for connection in self.connections:
            connection.send(("reset", None))
        return np.stack([connection.recv() for connection in self.connections])

    def step(self, actions: list[int]) -> tuple[Any, list[float], list[bool]]:
        # The clock covers the whole call; what was waiting for a game is moved away.
        with self.truth.clock(COMMUNICATION):
            for connection, action in zip(self.connections, actions, strict=True):
                connection.send(("step", action))
            waiting_from_ns = time.perf_counter_ns()
            answers = [connection.recv() for connection in self.connections]
            wait = Interval(waiting_from_ns, time.perf_counter_ns())
            self._charge(wait, answers)
            observations = np.stack([answer[0] for answer in answers])
            return observations, [answer[1] for answer in answers], [answer[2] for answer in answers]

    def _charge(self, wait: Interval, answers: list[Any]) -> None:
        spans = [
            WorkerSpan(str(process.pid), stage, Interval(start_ns, end_ns))
            for process, answer in zip(self.processes, answers, strict=True)
            for stage, start_ns, end_ns in answer[3]
        ]
        self.truth.charge_wait(wait, spans)
        if self.truth.counts["env_steps"]:  # before the first answer they waited for start-up to end
            for process, answer in zip(self.processes, answers, strict=True):
                self.truth.note_worker_wait(str(process.pid), answer[4])

    def close(self) -> None:
        for connection, process in zip(self.connections, self.processes, strict=True):
            connection.send(("close", None))
            process.join()


def main() -> None:
    parser = program_arguments(
        "lock-step pipe workers", workers=4, step_us=900.0, slow_factor=3.5, asleep=0.0
    )
    args = parser.parse_args()
    seed_everything(args.seed)
    truth = Truth("pipes_unequal", args.seconds, args.steps)
    costs_us = [args.step_us] * (args.workers - 1) + [args.step_us * args.slow_factor]
    pool = WorkerPool(truth, costs_us, args.asleep)
    agent = Agent(truth, OBSERVATION_SIZE, 4)
    memory = ReplayMemory(20_000, OBSERVATION_SIZE)
    time.sleep(args.startup)
    observations = pool.reset()
    while truth.keep_going():
        with truth.clock("act"):
            actions = agent.select_actions(observations)
        next_observations, rewards, dones = pool.step(actions)
        truth.count(env_steps=args.workers, episodes=sum(dones))
        with truth.clock("replay.add"):
            for i in range(args.workers):
                memory.push(observations[i], actions[i], rewards[i], next_observations[i], dones[i])
        observations = next_observations
        if memory.size >= 64:
            with truth.clock("replay.sample"):
                batch = memory.sample(64)
            agent.optimize(batch)
    truth.notes.append(f"slow worker: {pool.processes[-1].pid}")
    truth.finish()
    pool.close()


if __name__ == "__main__":
    main()
