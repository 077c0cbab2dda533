"""PPO by hand on a lander that falls through gusts of wind, with a timer for its parts."""

import math
import random
import time
from collections import defaultdict

import numpy as np
import torch
from torch import nn

SECONDS = 4.0
ROLLOUT = 64
EPOCHS = 4
MINIBATCH = 32


class StageTimer:
    """Seconds per part: with timer.part("name"): ..."""

    def __init__(self):
        self.seconds = defaultdict(float)
        self.calls = defaultdict(int)
        self.open = []

    def part(self, name):
        self.open.append(name)  # fault
        return self

    def __enter__(self):
        self.open.append(time.perf_counter())  # fault
        return self

    def __exit__(self, *error):
        now = time.perf_counter()  # fault
        begun, name = self.open.pop(), self.open.pop()
        self.seconds[name] += now - begun
        self.calls[name] += 1


class GustyLander:
    """Land softly: thrust left, right, up, or do nothing."""

    def reset(self):
        self.x, self.y, self.vx, self.vy, self.t = random.uniform(-1, 1), 3.0, 0.0, 0.0, 0
        self.gusts = [(random.uniform(-1, 1), random.uniform(0.1, 0.9), random.random()) for _ in range(12)]
        return self.observe()

    def wind(self, x, y, t):
        blow = 0.0
        for strength, speed, phase in self.gusts:
            blow += strength * math.sin(speed * t + phase * 6.28) * math.exp(-abs(x - phase) - 0.1 * y)
        return blow

    def step(self, action):
        self.t += 1
        for part in range(12):  # integrate finely: the wind changes fast
            self.vx += 0.004 * self.wind(self.x, self.y, self.t + part / 12)
            self.vy -= 0.004
            self.x += 0.01 * self.vx
            self.y += 0.01 * self.vy
        self.vx += (-0.05, 0.05, 0.0, 0.0)[action]
        self.vy += (0.0, 0.0, 0.08, 0.0)[action]
        landed = self.y <= 0.0
        reward = 1.0 - abs(self.vy) - abs(self.x) if landed else -0.001
        return self.observe(), reward, landed or self.t >= 400, {}

    def observe(self):
        return np.array([self.x, self.y, self.vx, self.vy, self.t / 400], np.float32)


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(5, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
        self.policy = nn.Linear(64, 4)
        self.value = nn.Linear(64, 1)

    def forward(self, obs):
        hidden = self.body(obs)
        return self.policy(hidden), self.value(hidden).squeeze(-1)


def collect(env, obs, agent, timer):
    """One rollout as arrays."""
    seen, actions, logs, rewards, dones, values = [], [], [], [], [], []
    for _ in range(ROLLOUT):
        with timer.part("act"), torch.no_grad():
            logits, value = agent(torch.from_numpy(obs))
            answer = torch.cat([torch.log_softmax(logits, -1), value[None]]).numpy()
        action = min(int(np.searchsorted(np.cumsum(np.exp(answer[:4])), random.random())), 3)
        seen.append(obs)
        actions.append(action)
        logs.append(answer[action])
        values.append(answer[4])
        with timer.part("env"):
            obs, reward, done, _ = env.step(action)
        rewards.append(reward)
        dones.append(done)
        if done:
            obs = env.reset()
    return obs, seen, actions, logs, rewards, dones, values


def advantages_of(rewards, dones, values):
    out = np.zeros(len(rewards), np.float32)
    last, after = 0.0, 0.0
    for i in reversed(range(len(rewards))):
        alive = 0.0 if dones[i] else 1.0
        last = rewards[i] + 0.99 * after * alive - values[i] + 0.95 * 0.99 * alive * last
        out[i], after = last, values[i]
    return out


def update(agent, optimizer, obs, actions, old_logs, advantages, returns):
    for _ in range(EPOCHS):
        order = torch.randperm(len(obs))
        for start in range(0, len(obs), MINIBATCH):
            rows = order[start : start + MINIBATCH]
            logits, value = agent(obs[rows])
            logs = torch.log_softmax(logits, -1).gather(1, actions[rows, None]).squeeze(1)
            ratio = (logs - old_logs[rows]).exp()
            gain = torch.min(ratio * advantages[rows], ratio.clamp(0.8, 1.2) * advantages[rows])
            loss = -gain.mean() + 0.5 * (value - returns[rows]).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def main():
    torch.manual_seed(0)
    random.seed(0)
    env, agent = GustyLander(), Agent()
    optimizer = torch.optim.Adam(agent.parameters(), lr=3e-4)
    timer = StageTimer()
    obs = env.reset()
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        obs, seen, actions, logs, rewards, dones, values = collect(env, obs, agent, timer)
        advantages = advantages_of(rewards, dones, values)
        with timer.part("learn"):
            update(
                agent,
                optimizer,
                torch.from_numpy(np.stack(seen)),
                torch.from_numpy(np.array(actions)),
                torch.from_numpy(np.array(logs)),
                torch.from_numpy(advantages),
                torch.from_numpy(advantages + np.array(values, np.float32)),
            )
    whole = sum(timer.seconds.values())
    for name, seconds in timer.seconds.items():
        print(f"{name}: {seconds / whole:.1%} in {timer.calls[name]} calls")


if __name__ == "__main__":
    main()
