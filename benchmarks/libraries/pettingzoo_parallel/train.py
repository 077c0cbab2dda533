# Two hunters and a hare learn at once (PettingZoo's parallel API), independent PPO with shared weights.
import os
import sys

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import gymnasium as gym
import numpy as np
import torch
from laps import CLOCK, COUNTS
from pettingzoo import ParallelEnv

SIZE = 9
MOVES = ((0, 1), (1, 0), (0, -1), (-1, 0), (0, 0))


class HareHunt(ParallelEnv):
    metadata = {"name": "hare_hunt_v0"}

    def __init__(self):
        self.possible_agents = ["hunter_0", "hunter_1", "hare"]

    def observation_space(self, agent):
        return gym.spaces.Box(-1, 1, (2 * SIZE * SIZE + 3,), np.float32)

    def action_space(self, agent):
        return gym.spaces.Discrete(5)

    def reset(self, seed=None, options=None):
        with CLOCK("env.reset"):
            self.rng = np.random.default_rng(seed)
            self.agents = list(self.possible_agents)
            self.at = {a: tuple(int(v) for v in self.rng.integers(0, SIZE, 2)) for a in self.agents}
            self.bushes = {tuple(int(v) for v in self.rng.integers(0, SIZE, 2)) for _ in range(15)}
            self.time = 0
            return {a: self.observe(a) for a in self.agents}, {a: {} for a in self.agents}

    def step(self, actions):
        with CLOCK("env.step"):
            COUNTS.add("env_steps")
            self.time += 1
            for agent, move in actions.items():
                y, x = self.at[agent]
                spot = ((y + MOVES[move][0]) % SIZE, (x + MOVES[move][1]) % SIZE)
                if spot not in self.bushes or agent == "hare":
                    self.at[agent] = spot
            seen = self._flood(self.at["hare"])
            near = min(seen.get(self.at[h], 20) for h in ("hunter_0", "hunter_1"))
            caught = near == 0
            over = self.time >= 60
            reward = {a: (caught - 0.01 * near) * (-1 if a == "hare" else 1) for a in self.agents}
            obs = {a: self.observe(a) for a in self.agents}
            term, trunc = dict.fromkeys(self.agents, caught), dict.fromkeys(self.agents, over)
            info = {a: {} for a in self.agents}
            COUNTS.add("episodes", caught or over)
            if caught or over:
                self.agents = []
            return obs, reward, term, trunc, info

    def _flood(self, start):
        seen, todo = {start: 0}, [start]
        for y, x in todo:
            for dy, dx in MOVES[:4]:
                spot = ((y + dy) % SIZE, (x + dx) % SIZE)
                if spot not in seen and spot not in self.bushes:
                    seen[spot] = seen[y, x] + 1
                    todo.append(spot)
        return seen

    def observe(self, agent):
        with CLOCK("env.observe"):
            out = np.zeros((2, SIZE, SIZE), np.float32)
            cy, cx = self.at[agent]
            for y, x in self.bushes:
                out[0, (y - cy) % SIZE, (x - cx) % SIZE] = 1
            for other, (y, x) in self.at.items():
                out[1, (y - cy) % SIZE, (x - cx) % SIZE] = -1 if other == "hare" else 1
            who = [float(agent == a) for a in self.possible_agents]
            return np.concatenate([out.ravel(), np.array(who, np.float32)])


class Policy(torch.nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.body = torch.nn.Sequential(
            torch.nn.Linear(inputs, 96), torch.nn.Tanh(), torch.nn.Linear(96, 96), torch.nn.Tanh()
        )
        self.pi, self.v = torch.nn.Linear(96, outputs), torch.nn.Linear(96, 1)

    def forward(self, x):
        h = self.body(x)
        return torch.distributions.Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


def select_actions(policy, obs):
    with CLOCK("act"), torch.no_grad():
        agents = list(obs)
        dist, value = policy(torch.as_tensor(np.stack([obs[a] for a in agents])))
        action = dist.sample()
        return agents, action.tolist(), dist.log_prob(action).tolist(), value.tolist()


def compute_returns(rows):
    with CLOCK("learn.*"):
        returns, running = [], {}
        for agent, _, _, _, reward, done, _ in reversed(rows):
            running[agent] = reward + 0.98 * running.get(agent, 0.0) * (not done)
            returns.append(running[agent])
        return returns[::-1]


def ppo_update(policy, optimizer, rows, returns):
    with CLOCK("learn.*"):
        obs = torch.as_tensor(np.stack([row[1] for row in rows]))
        acts, old = torch.tensor([row[2] for row in rows]), torch.tensor([row[3] for row in rows])
        ret = torch.tensor(returns, dtype=torch.float32)
        adv = ret - torch.tensor([row[6] for row in rows])
        adv = (adv - adv.mean()) / (adv.std() + 1e-6)
        for _ in range(4):
            for batch in torch.randperm(len(rows)).split(128):
                dist, value = policy(obs[batch])
                ratio = (dist.log_prob(acts[batch]) - old[batch]).exp()
                loss = -torch.min(ratio * adv[batch], ratio.clamp(0.8, 1.2) * adv[batch]).mean()
                loss = loss + 0.5 * (value - ret[batch]).pow(2).mean() - 0.01 * dist.entropy().mean()
                optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
                optimizer.step()
                COUNTS.add("updates")
        return loss.item()


def main():
    torch.set_num_threads(1)
    env = HareHunt()
    policy = Policy(2 * SIZE * SIZE + 3, 5)
    optimizer = torch.optim.Adam(policy.parameters(), lr=3e-4)
    CLOCK.restart()
    obs, _ = env.reset(seed=0)
    while not CLOCK.over():
        rows = []
        while len(rows) < 900:
            agents, actions, logps, values = select_actions(policy, obs)
            nxt, rewards, terms, truncs, _ = env.step(dict(zip(agents, actions)))
            for i, a in enumerate(agents):
                rows.append((a, obs[a], actions[i], logps[i], rewards[a], terms[a] or truncs[a], values[i]))
            obs = nxt
            if not env.agents:
                obs, _ = env.reset()
        loss = ppo_update(policy, optimizer, rows, compute_returns(rows))
        print(f"loss {loss:.3f}")
    CLOCK.write("one step of all three agents is one env step")


if __name__ == "__main__":
    main()
