# Battles on a server that speaks asyncio (as poke-env does): the server's coroutines live in a loop of another
# thread, the environment's step hands them over and waits for the result, and the observation is built in a
# pool of threads. REINFORCE with a baseline on top.
import asyncio
import os
import random
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import gymnasium as gym
import numpy as np
import torch
from laps import CLOCK, COUNTS

LOOP = asyncio.new_event_loop()


def _serve():
    asyncio.set_event_loop(LOOP)
    LOOP.run_forever()


threading.Thread(target=_serve, name="server-loop", daemon=True).start()


def ask(coroutine):
    """What the server takes is the game's; the rest of the way there and back is communication."""
    life = []

    async def timed():
        life.append(time.perf_counter_ns())
        try:
            return await coroutine
        finally:
            life.append(time.perf_counter_ns())

    with CLOCK("vec.*"):
        done = asyncio.run_coroutine_threadsafe(timed(), LOOP).result()
        CLOCK.move("vec.*", "env.step", life[1] - life[0])
    return done


class Battle:
    """One battle on the server: both sides' orders arrive, the turn is worked out, messages travel."""

    def __init__(self, rng):
        self.rng = rng
        self.teams = [[[100, rng.randrange(20, 40), rng.randrange(4)] for _ in range(6)] for _ in range(2)]
        self.active = [0, 0]
        self.turn = 0

    async def play_turn(self, order):
        await asyncio.sleep(0.0008)  # the network
        foe = await self.opponent_turn()
        for side, move in ((0, order), (1, foe)):
            self.strike(side, move)
            await asyncio.sleep(0)
        self.turn += 1
        return self.over()

    async def opponent_turn(self):
        best, score = 0, -1.0
        for move in range(4):
            value = 0.0
            for luck in range(60):
                value += self.damage(1, move) * (0.85 + luck / 400)
            if value > score:
                best, score = move, value
        return best

    def damage(self, side, move):
        mine = self.teams[side][self.active[side]]
        theirs = self.teams[1 - side][self.active[1 - side]]
        return mine[1] * (1.5 if (mine[2] + move) % 4 == theirs[2] else 0.8)

    def strike(self, side, move):
        theirs = self.teams[1 - side][self.active[1 - side]]
        theirs[0] -= self.damage(side, move) * self.rng.uniform(0.85, 1)
        if theirs[0] <= 0 and self.active[1 - side] < 5:
            self.active[1 - side] += 1

    def over(self):
        return any(all(one[0] <= 0 for one in team) for team in self.teams) or self.turn >= 40


class BattleEnv(gym.Env):
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.pool = ThreadPoolExecutor(2, thread_name_prefix="embed")
        self.observation_space = gym.spaces.Box(-1, 1, (12 * 40,), np.float32)
        self.action_space = gym.spaces.Discrete(4)

    def reset(self, seed=None, options=None):
        with CLOCK("env.reset"):
            self.battle = Battle(self.rng)
            return self.embed_battle(), {}

    def step(self, action):
        with CLOCK("env.step"):
            COUNTS.add("env_steps")
            done = ask(self.battle.play_turn(int(action)))
            obs = self.embed_battle()
            COUNTS.add("episodes", done)
            left = [sum(max(0, one[0]) for one in team) for team in self.battle.teams]
            return obs, (left[0] - left[1]) / 600, done, False, {}

    def embed_battle(self):
        with CLOCK("vec.*"):
            self.built = []
            halves = list(self.pool.map(self.build_observation, (0, 1)))
            (a, b), (c, d) = sorted(self.built)
            CLOCK.move("vec.*", "env.observe", b - a + max(0, d - max(b, c)))
        return np.concatenate(halves)

    def build_observation(self, side):
        begun, out = time.perf_counter_ns(), []
        for place, (health, power, kind) in enumerate(self.battle.teams[side]):
            out += [health / 100, power / 40, float(place == self.battle.active[side])]
            out += [float(kind == k) for k in range(4)]
            for enemy in self.battle.teams[1 - side]:
                out += [
                    power / 40 * (1.5 if (kind + m) % 4 == enemy[2] else 0.8) * (health > 0) for m in range(4)
                ]
            out += [0.0] * (80 - 7 - 24)
        half = np.array(out, np.float32)[:240]
        self.built.append((begun, time.perf_counter_ns()))
        return half


class Policy(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(
            torch.nn.Linear(480, 128),
            torch.nn.ReLU(),
            torch.nn.Linear(128, 128),
            torch.nn.ReLU(),
            torch.nn.Linear(128, 5),
        )

    def forward(self, x):
        out = self.net(x)
        return torch.distributions.Categorical(logits=out[..., :4]), out[..., 4]


def select_action(policy, obs):
    with CLOCK("act"), torch.no_grad():
        return int(policy(torch.as_tensor(obs))[0].sample())


def update_policy(policy, optimizer, episode):
    with CLOCK("learn.*"):
        returns, running = [], 0.0
        for _, _, reward in reversed(episode):
            running = reward + 0.97 * running
            returns.append(running)
        returns = torch.tensor(returns[::-1], dtype=torch.float32)
        obs = torch.as_tensor(np.stack([row[0] for row in episode]))
        for _ in range(3):
            dist, value = policy(obs)
            logp = dist.log_prob(torch.tensor([row[1] for row in episode]))
            loss = -(logp * (returns - value.detach())).mean() + (returns - value).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            COUNTS.add("updates")


def main():
    torch.set_num_threads(1)
    env = BattleEnv(3)
    policy = Policy()
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
    CLOCK.restart()
    while not CLOCK.over():
        obs, _ = env.reset()
        episode, done = [], False
        while not done and not CLOCK.over():
            action = select_action(policy, obs)
            nxt, reward, done, _, _ = env.step(action)
            episode.append((obs, action, reward))
            obs = nxt
        update_policy(policy, optimizer, episode)
    CLOCK.write(
        "env.step = the coroutine's life, the opponent's search included; env.observe = while a pool thread builds; "
        "vec.* = the rest of the way to the other threads and back"
    )


if __name__ == "__main__":
    main()
