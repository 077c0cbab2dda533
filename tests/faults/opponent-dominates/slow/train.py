"""Actor-critic on one skirmish, in a plain loop."""

import time

import numpy as np
from game import Skirmish
from learner import Learner, discounted

SECONDS = 4.0
ROLLOUT = 128


def main() -> None:
    game = Skirmish(seed=0)
    learner = Learner(12, 4)
    state = game.reset()
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        seen = np.zeros((ROLLOUT, 12), np.float32)
        taken = np.zeros(ROLLOUT, np.int64)
        rewards = np.zeros((ROLLOUT, 1), np.float32)
        ends = np.zeros((ROLLOUT, 1), bool)
        for step in range(ROLLOUT):
            seen[step] = state
            taken[step] = learner.act(state[None])[0]
            state, rewards[step], ends[step] = game.step(int(taken[step]))
            if ends[step]:
                state = game.reset()
        learner.update_policy(seen, taken, discounted(rewards, ends)[:, 0])


if __name__ == "__main__":
    main()
