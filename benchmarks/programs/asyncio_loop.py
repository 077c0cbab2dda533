"""An asyncio loop in a second thread plays the battle; the main thread asks it and waits."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from typing import Any

import numpy as np
from clocks import COMMUNICATION, STEP, Interval, Truth, WorkerSpan, program_arguments, spin
from dqn import Agent, ReplayMemory, seed_everything

OBSERVATION_SIZE = 48


class OnlineBattle:
    """As with a battle server: the answer comes after some awaiting, then is parsed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.turn = 0

    async def reset(self) -> Any:
        await asyncio.sleep(self.random.uniform(0.002, 0.006))
        self.turn = 0
        return self.observe()

    async def step(self, action: int) -> tuple[Any, float, bool, dict[str, Any]]:
        self.turn += 1
        await asyncio.sleep(self.random.uniform(0.001, 0.003))
        spin(self.random.uniform(300, 900))
        return self.observe(), float(action == self.turn % 4), self.random.random() < 0.03, {}

    def observe(self) -> Any:
        return np.full(OBSERVATION_SIZE, self.turn / 100.0, dtype=np.float32)


async def timed(coroutine: Any) -> tuple[Any, Interval]:
    start_ns = time.perf_counter_ns()
    answer = await coroutine
    return answer, Interval(start_ns, time.perf_counter_ns())


class Client:
    """What the training script talks to: plain calls outside, coroutines inside."""

    def __init__(self, truth: Truth, battle: OnlineBattle) -> None:
        self.truth = truth
        self.battle = battle
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, name="battle-loop", daemon=True)
        self.thread.start()

    def ask(self, coroutine: Any, stage: str) -> Any:
        with self.truth.clock(COMMUNICATION):
            future = asyncio.run_coroutine_threadsafe(timed(coroutine), self.loop)
            start_ns = time.perf_counter_ns()
            answer, worked = future.result()
            wait = Interval(start_ns, time.perf_counter_ns())
            self.truth.charge_wait(wait, [WorkerSpan("battle-loop", stage, worked)])
        return answer

    def close(self) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()


def main() -> None:
    args = program_arguments("an asyncio loop answers the main thread").parse_args()
    seed_everything(args.seed)
    truth = Truth("asyncio_loop", args.seconds, args.steps)
    client = Client(truth, OnlineBattle(args.seed))
    agent = Agent(truth, OBSERVATION_SIZE, 4)
    memory = ReplayMemory(20_000, OBSERVATION_SIZE)
    time.sleep(args.startup)
    observation = client.ask(client.battle.reset(), "env.reset")
    while truth.keep_going():
        with truth.clock("act"):
            action = agent.select_action(observation)
        next_observation, reward, done, _ = client.ask(client.battle.step(action), STEP)
        truth.count(env_steps=1, episodes=int(done))
        with truth.clock("replay.add"):
            memory.push(observation, action, reward, next_observation, done)
        observation = next_observation
        if done:
            observation = client.ask(client.battle.reset(), "env.reset")
        with truth.clock("replay.sample"):
            batch = memory.sample(64)
        agent.optimize(batch)
    truth.finish()
    client.close()


if __name__ == "__main__":
    main()
