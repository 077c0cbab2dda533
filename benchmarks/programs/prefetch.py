"""A prefetch thread samples the next batch while the learner learns; the learner waits at a queue."""

from __future__ import annotations

import bisect
import contextlib
import queue
import threading
import time

import numpy as np
from clocks import COMMUNICATION, STEP, Interval, Truth, WorkerSpan, program_arguments, spin
from dqn import Agent, Batch, ReplayMemory, seed_everything
from one_process import OBSERVATION_SIZE, Maze


class PrioritisedMemory(ReplayMemory):
    """Sampling is expensive here: priorities in plain Python, then a wait for a store on disk."""

    def __init__(self, capacity: int, observation_size: int, sample_us: float) -> None:
        super().__init__(capacity, observation_size)
        self.sample_us = sample_us

    def sample(self, batch_size: int) -> Batch:
        spin(0.3 * self.sample_us)
        time.sleep(np.random.uniform(0.4, 1.0) * self.sample_us / 1e6)
        return super().sample(batch_size)


class Prefetcher:
    """Keeps one batch ready while the learner learns, and notes when it was sampling."""

    def __init__(self, memory: ReplayMemory) -> None:
        self.memory = memory
        self.ready: queue.Queue[Batch] = queue.Queue(maxsize=1)
        self.sampled: list[WorkerSpan] = []
        self.stopping = False
        self.thread = threading.Thread(target=self.fill, name="prefetch", daemon=True)

    def fill(self) -> None:
        while not self.stopping:
            start_ns = time.perf_counter_ns()
            batch = self.memory.sample(64)
            interval = Interval(start_ns, time.perf_counter_ns())
            self.sampled.append(WorkerSpan("prefetch", "replay.sample", interval))
            self.ready.put(batch)

    def next_batch(self) -> Batch:
        return self.ready.get()

    def stop(self) -> None:
        self.stopping = True
        while self.thread.is_alive():
            with contextlib.suppress(queue.Empty):
                self.ready.get_nowait()
            self.thread.join(timeout=0.01)


def charge_waits(truth: Truth, waits: list[Interval], sampled: list[WorkerSpan]) -> None:
    """While the learner was at the queue, the prefetch thread sampled this batch, or already the next one

    (which holds the GIL that the learner needs to go on): both are waiting for replay.sample.
    """
    starts_ns = [span.interval.start_ns for span in sampled]
    for wait in waits:
        first = max(0, bisect.bisect_left(starts_ns, wait.start_ns) - 1)
        truth.charge_wait(wait, sampled[first : bisect.bisect_left(starts_ns, wait.end_ns)])


def main() -> None:
    parser = program_arguments("a prefetch thread beside the learner", sample_us=4000.0, step_us=500.0)
    args = parser.parse_args()
    seed_everything(args.seed)
    truth = Truth("prefetch", args.seconds, args.steps)
    env = Maze(args.seed, args.step_us)
    agent = Agent(truth, OBSERVATION_SIZE, 4)
    memory = PrioritisedMemory(20_000, OBSERVATION_SIZE, args.sample_us)
    prefetcher = Prefetcher(memory)
    time.sleep(args.startup)
    observation = env.reset()
    memory.push(observation, 0, 0.0, observation, False)
    waits: list[Interval] = []
    prefetcher.thread.start()
    while truth.keep_going():
        with truth.clock("act"):
            action = agent.select_action(observation)
        with truth.clock(STEP):
            next_observation, reward, done, _ = env.step(action)
        truth.count(env_steps=1, episodes=int(done))
        with truth.clock("replay.add"):
            memory.push(observation, action, reward, next_observation, done)
        observation = next_observation
        if done:
            with truth.clock("env.reset"):
                observation = env.reset()
        with truth.clock(COMMUNICATION):
            start_ns = time.perf_counter_ns()
            batch = prefetcher.next_batch()
            waits.append(Interval(start_ns, time.perf_counter_ns()))
        agent.optimize(batch)
    truth.finish(before_settling=lambda: charge_waits(truth, waits, prefetcher.sampled))
    prefetcher.stop()


if __name__ == "__main__":
    main()
