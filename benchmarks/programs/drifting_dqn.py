"""A DQN that slows down in two ways at once: its replay is `random.sample` over a deque, where finding an
element takes longer the fuller the deque is; and its episodes become longer as it learns to survive."""

from __future__ import annotations

import random
import time
from collections import deque
from typing import Any

import numpy as np
import torch
from clocks import STEP, Truth, program_arguments
from dqn import Agent, Batch, seed_everything

OBSERVATION_SIZE, ACTIONS, LONGEST = 12, 4, 300


class Gauntlet:
    """Many runners at once. Each sees four doors of different brightness; only the brightest is safe."""

    def __init__(self, runners: int, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.runners = runners
        self.turns = np.zeros(runners, dtype=np.int64)

    def reset(self) -> Any:
        self.turns[:] = 0
        return self.look()

    def look(self) -> Any:
        self.seen = self.random.random((self.runners, OBSERVATION_SIZE), dtype=np.float32)
        return self.seen

    def step(self, actions: Any) -> tuple[Any, Any, Any, dict[str, Any]]:
        safe = self.seen[:, :ACTIONS].argmax(axis=1) == actions
        unlucky = self.random.random(self.runners) < 0.25
        self.turns += 1
        dones = (~safe & unlucky) | (self.turns >= LONGEST)
        self.turns[dones] = 0
        return self.look(), safe.astype(np.float32), dones, {}


class DequeMemory:
    """The replay memory of most tutorials."""

    def __init__(self, capacity: int) -> None:
        self.transitions: deque[tuple[Any, ...]] = deque(maxlen=capacity)

    def push(self, observations: Any, actions: Any, rewards: Any, following: Any, dones: Any) -> None:
        self.transitions.extend(zip(observations, actions, rewards, following, dones, strict=True))

    def sample(self, batch_size: int) -> Batch:
        rows = random.sample(self.transitions, batch_size)
        observations, actions, rewards, following, dones = zip(*rows, strict=True)
        return (
            torch.from_numpy(np.array(observations)),
            torch.from_numpy(np.array(actions, dtype=np.int64)),
            torch.from_numpy(np.array(rewards, dtype=np.float32)),
            torch.from_numpy(np.array(following)),
            torch.from_numpy(np.array(dones, dtype=np.float32)),
        )


def main() -> None:
    parser = program_arguments(
        "a DQN with a deque", runners=64, capacity=2_000_000, batch=256, fall_turns=800, episodes=0
    )
    args = parser.parse_args()
    seed_everything(args.seed)
    truth = Truth("drifting_dqn", args.seconds, args.steps)
    env = Gauntlet(args.runners, args.seed)
    agent = Agent(truth, OBSERVATION_SIZE, ACTIONS, epsilon=1.0)
    memory = DequeMemory(args.capacity)
    time.sleep(args.startup)
    observations = env.reset()
    turn = 0
    while truth.keep_going() and not (args.episodes and truth.counts["episodes"] >= args.episodes):
        turn += 1
        agent.epsilon = max(0.02, 1.0 - turn / args.fall_turns)
        with truth.clock("act"):
            actions = np.array(agent.select_actions(observations))
        with truth.clock(STEP):
            following, rewards, dones, _ = env.step(actions)
        truth.count(env_steps=args.runners, episodes=int(dones.sum()))
        with truth.clock("replay.add"):
            memory.push(observations, actions, rewards, following, dones)
        observations = following
        if len(memory.transitions) >= args.batch:
            with truth.clock("replay.sample"):
                batch = memory.sample(args.batch)
            agent.optimize(batch)
    truth.finish()


if __name__ == "__main__":
    main()
