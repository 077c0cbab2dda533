"""A stage inside a stage: record with --stage "battle_game:Battle.enemy_turn=env.opponent"."""

from __future__ import annotations

import time

from battle_game import OBSERVATION_SIZE, Battle
from clocks import STEP, Truth, program_arguments
from dqn import Agent, ReplayMemory, seed_everything


def main() -> None:
    args = program_arguments("the opponent's turn inside the step").parse_args()
    seed_everything(args.seed)
    truth = Truth("nested_stage", args.seconds, args.steps)
    env = Battle(truth, args.seed)
    agent = Agent(truth, OBSERVATION_SIZE, 4)
    memory = ReplayMemory(20_000, OBSERVATION_SIZE)
    time.sleep(args.startup)
    observation = env.reset()
    while truth.keep_going():
        with truth.clock("act"):
            action = agent.select_action(observation)
        with truth.clock(STEP):
            next_observation, reward, terminated, truncated, _ = env.step(action)
        done = terminated or truncated
        truth.count(env_steps=1, episodes=int(done))
        with truth.clock("replay.add"):
            memory.push(observation, action, reward, next_observation, done)
        observation = next_observation
        if done:
            with truth.clock("env.reset"):
                observation = env.reset()
        if truth.counts["env_steps"] % 2 == 0:
            with truth.clock("replay.sample"):
                batch = memory.sample(64)
            agent.optimize(batch)
    truth.finish()


if __name__ == "__main__":
    main()
