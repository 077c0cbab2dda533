# PPO on my own boulder game. Based on CleanRL's ppo.py, everything in this file.
import json
import os
import time
from collections import deque
from dataclasses import dataclass

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim
from torch.distributions.categorical import Categorical


@dataclass
class Args:
    seed: int = 1
    total_seconds: float = float(os.environ.get("WILD_SECONDS", 20))
    learning_rate: float = 5e-4
    num_envs: int = 4
    num_steps: int = 128
    gamma: float = 0.98
    gae_lambda: float = 0.95
    num_minibatches: int = 4
    update_epochs: int = 4
    clip_coef: float = 0.2
    ent_coef: float = 0.01
    max_grad_norm: float = 0.5


EMPTY, DIRT, WALL, ROCK, GEM, HERO = range(6)
SIZE, LAMP = 18, 4
MOVES = ((0, 0), (-1, 0), (1, 0), (0, -1), (0, 1))

spent, mark = [0] * 12, [0, 0]
played = 0


def lap(k, ns=time.perf_counter_ns):
    n = ns()
    old = mark[0]
    spent[old] += n - mark[1]
    mark[0] = k
    mark[1] = n
    return old


class CaveEnv(gym.Env):
    def __init__(self):
        self.observation_space = gym.spaces.Box(0, 5, (SIZE, SIZE), np.int8)
        self.action_space = gym.spaces.Discrete(5)

    def reset(self, seed=None, options=None):
        old = lap(1)
        super().reset(seed=seed)
        r = self.np_random
        self.g = [[WALL if y in (0, SIZE - 1) or x in (0, SIZE - 1) else DIRT for x in range(SIZE)] for y in range(SIZE)]
        for what, n in ((ROCK, 28), (GEM, 24), (EMPTY, 30), (WALL, 12)):
            for _ in range(n):
                self.g[r.integers(1, SIZE - 1)][r.integers(1, SIZE - 1)] = what
        self.hy, self.hx = SIZE // 2, SIZE // 2
        self.g[self.hy][self.hx] = HERO
        self.falling = set()
        self.dead = False
        out = np.array(self.g, np.int8)
        lap(old)
        return out, {}

    def step(self, action):
        global played
        old = lap(2)
        played += 1
        dy, dx = MOVES[int(action)]
        gems = 0
        y, x = self.hy + dy, self.hx + dx
        t = self.g[y][x]
        if t == ROCK and dy == 0 and self.g[y][x + dx] == EMPTY:
            self.g[y][x + dx] = ROCK
            t = self.g[y][x] = EMPTY
        if t in (EMPTY, DIRT, GEM) and (dy or dx):
            gems = int(t == GEM)
            self.g[self.hy][self.hx], self.g[y][x] = EMPTY, HERO
            self.hy, self.hx = y, x
        self.settle()
        out = np.array(self.g, np.int8)
        lap(old)
        return out, float(gems) - 3.0 * self.dead, self.dead, False, {}

    def settle(self):
        g, was, now = self.g, self.falling, set()
        for y in range(SIZE - 2, 0, -1):
            for x in range(1, SIZE - 1):
                c = g[y][x]
                if c != ROCK and c != GEM:
                    continue
                below = g[y + 1][x]
                if below == EMPTY:
                    g[y][x], g[y + 1][x] = EMPTY, c
                    now.add((y + 1, x))
                elif below == HERO and (y, x) in was:
                    self.dead = True
                elif below in (ROCK, GEM):
                    for s in (-1, 1):
                        if g[y][x + s] == EMPTY and g[y + 1][x + s] == EMPTY:
                            g[y][x], g[y + 1][x + s] = EMPTY, c
                            now.add((y + 1, x + s))
                            break
        self.falling = now


class GemScent(gym.Wrapper):
    """small bonus for getting nearer to the next gem (walking distance)"""

    def distance(self):
        u = self.unwrapped
        seen, todo = {(u.hy, u.hx)}, deque([(u.hy, u.hx, 0)])
        while todo:
            y, x, d = todo.popleft()
            if u.g[y][x] == GEM:
                return d
            for dy, dx in MOVES[1:]:
                p = (y + dy, x + dx)
                if p not in seen and u.g[p[0]][p[1]] not in (WALL, ROCK):
                    seen.add(p)
                    todo.append((*p, d + 1))
        return 20

    def reset(self, **kw):
        out = self.env.reset(**kw)
        old = lap(3)
        self.last = self.distance()
        lap(old)
        return out

    def step(self, action):
        obs, rew, term, trunc, info = self.env.step(action)
        old = lap(3)
        d = self.distance()
        rew += 0.1 * (self.last - d) if rew == 0 else 0.0
        self.last = d
        lap(old)
        return obs, rew, term, trunc, info


class LampView(gym.ObservationWrapper):
    def __init__(self, env):
        super().__init__(env)
        w = 2 * LAMP + 1
        self.observation_space = gym.spaces.Box(0, 1, (6, w, w), np.float32)

    def lit(self, grid, y0, x0, y1, x1):
        n = max(abs(y1 - y0), abs(x1 - x0))
        for i in range(1, n):
            if grid[y0 + round((y1 - y0) * i / n)][x0 + round((x1 - x0) * i / n)] in (WALL, ROCK):
                return False
        return True

    def observation(self, obs):
        old = lap(4)
        u = self.unwrapped
        out = np.zeros(self.observation_space.shape, np.float32)
        for j in range(-LAMP, LAMP + 1):
            for i in range(-LAMP, LAMP + 1):
                y, x = u.hy + j, u.hx + i
                if 0 <= y < SIZE and 0 <= x < SIZE and self.lit(u.g, u.hy, u.hx, y, x):
                    out[u.g[y][x] if u.g[y][x] != HERO else 5, j + LAMP, i + LAMP] = 1
        lap(old)
        return out


class TwoFrames(gym.Wrapper):
    def __init__(self, env):
        super().__init__(env)
        c, h, w = env.observation_space.shape
        self.observation_space = gym.spaces.Box(0, 1, (2 * c, h, w), np.float32)

    def reset(self, **kw):
        obs, info = self.env.reset(**kw)
        self.prev = obs
        return np.concatenate([obs, obs]), info

    def step(self, action):
        obs, rew, term, trunc, info = self.env.step(action)
        old = lap(4)
        both, self.prev = np.concatenate([self.prev, obs]), obs
        lap(old)
        return both, rew, term, trunc, info


def make_env(seed):
    def thunk():
        env = gym.wrappers.TimeLimit(CaveEnv(), 200)
        env = TwoFrames(LampView(GemScent(env)))
        env = gym.wrappers.RecordEpisodeStatistics(env)
        env.action_space.seed(seed)
        return env

    return thunk


def layer_init(layer, std=np.sqrt(2), bias_const=0.0):
    torch.nn.init.orthogonal_(layer.weight, std)
    torch.nn.init.constant_(layer.bias, bias_const)
    return layer


class Agent(nn.Module):
    def __init__(self, envs):
        super().__init__()
        c, h, w = envs.single_observation_space.shape
        self.trunk = nn.Sequential(
            layer_init(nn.Conv2d(c, 32, 3, padding=1)), nn.ReLU(), layer_init(nn.Conv2d(32, 32, 3)), nn.ReLU(),
            nn.Flatten(), layer_init(nn.Linear(32 * (h - 2) * (w - 2), 128)), nn.ReLU())
        self.actor = layer_init(nn.Linear(128, envs.single_action_space.n), std=0.01)
        self.critic = layer_init(nn.Linear(128, 1), std=1)

    def get_value(self, x):
        return self.critic(self.trunk(x))

    def get_action_and_value(self, x, action=None):
        hidden = self.trunk(x)
        probs = Categorical(logits=self.actor(hidden))
        if action is None:
            action = probs.sample()
        return action, probs.log_prob(action), probs.entropy(), self.critic(hidden)


if __name__ == "__main__":
    args = Args()
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    envs = gym.vector.SyncVectorEnv([make_env(args.seed + i) for i in range(args.num_envs)])
    agent = Agent(envs).to(device)
    optimizer = optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)
    shape = (args.num_steps, args.num_envs)
    obs = torch.zeros(shape + envs.single_observation_space.shape).to(device)
    actions, logprobs, rewards, dones, values = (torch.zeros(shape).to(device) for _ in range(5))
    batch_size = args.num_envs * args.num_steps
    minibatch_size = batch_size // args.num_minibatches

    spent[:] = [0] * 12
    mark[:] = [0, time.perf_counter_ns()]
    begun, iteration, episodes, updates, returns_seen = time.perf_counter_ns(), 0, 0, 0, deque(maxlen=40)
    lap(5)
    next_obs, _ = envs.reset(seed=args.seed)
    lap(0)
    next_obs = torch.Tensor(next_obs).to(device)
    next_done = torch.zeros(args.num_envs).to(device)

    while time.perf_counter_ns() - begun < args.total_seconds * 1e9:
        iteration += 1
        for step in range(args.num_steps):
            obs[step], dones[step] = next_obs, next_done
            lap(6)
            with torch.no_grad():
                action, logprob, _, value = agent.get_action_and_value(next_obs)
            lap(0)
            values[step], actions[step], logprobs[step] = value.flatten(), action, logprob
            lap(5)
            next_obs, reward, terminations, truncations, infos = envs.step(action.cpu().numpy())
            lap(0)
            rewards[step] = torch.tensor(reward).to(device).view(-1)
            next_done = torch.Tensor(np.logical_or(terminations, truncations)).to(device)
            next_obs = torch.Tensor(next_obs).to(device)
            if "episode" in infos:
                for i in np.flatnonzero(infos["_episode"]):
                    episodes += 1
                    returns_seen.append(infos["episode"]["r"][i])

        lap(7)
        with torch.no_grad():
            next_value = agent.get_value(next_obs).reshape(1, -1)
            lap(8)
            advantages = torch.zeros_like(rewards).to(device)
            lastgaelam = 0
            for t in reversed(range(args.num_steps)):
                nonterminal = 1.0 - (next_done if t == args.num_steps - 1 else dones[t + 1])
                nextvalues = next_value if t == args.num_steps - 1 else values[t + 1]
                delta = rewards[t] + args.gamma * nextvalues * nonterminal - values[t]
                advantages[t] = lastgaelam = delta + args.gamma * args.gae_lambda * nonterminal * lastgaelam
            returns = advantages + values
        lap(9)
        b_obs = obs.reshape((-1,) + envs.single_observation_space.shape)
        b_logprobs, b_actions, b_advantages, b_returns = (v.reshape(-1) for v in (logprobs, actions, advantages, returns))
        b_inds = np.arange(batch_size)
        for epoch in range(args.update_epochs):
            np.random.shuffle(b_inds)
            for start in range(0, batch_size, minibatch_size):
                mb = b_inds[start:start + minibatch_size]
                _, newlogprob, entropy, newvalue = agent.get_action_and_value(b_obs[mb], b_actions.long()[mb])
                ratio = (newlogprob - b_logprobs[mb]).exp()
                adv = b_advantages[mb]
                adv = (adv - adv.mean()) / (adv.std() + 1e-8)
                pg_loss = torch.max(-adv * ratio, -adv * torch.clamp(ratio, 1 - args.clip_coef, 1 + args.clip_coef)).mean()
                v_loss = 0.5 * ((newvalue.view(-1) - b_returns[mb]) ** 2).mean()
                loss = pg_loss - args.ent_coef * entropy.mean() + 0.5 * v_loss
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
                optimizer.step()
                updates += 1
        lap(10)
        print(f"iteration={iteration} episodic_return={np.mean(returns_seen or [0]):.2f} value_loss={v_loss.item():.3f} "
              f"SPS={int(played / (time.perf_counter_ns() - begun) * 1e9)}")
        lap(0)

    lap(0)
    wall = (mark[1] - begun) / 1e9
    names = ["other", "env.reset", "env.step", "env.reward", "env.observe", "vec.*", "act", "act.value", "learn.returns", "learn.*", "log"]
    stages = {n: spent[i] / 1e9 for i, n in enumerate(names)}
    if os.environ.get("WILD_TRUTH"):
        with open(os.environ["WILD_TRUTH"], "w") as f:
            json.dump({"wall_seconds": wall, "stages": stages, "env_steps": played, "episodes": episodes, "updates": updates,
                       "note": "vec.* = SyncVectorEnv's and the wrappers' own lines (no processes here); env.reward = GemScent's search; "
                               "env.observe = LampView + TwoFrames; act = get_action_and_value while collecting; act.value = bootstrap value; "
                               "writing into the rollout tensors is in other; env_steps = CaveEnv.step calls (the vector env's "
                               "autoreset steps are resets and are not counted)"}, f, indent=1)
    print(f"{wall:.1f}s", {k: f"{100 * v / wall:.1f}%" for k, v in stages.items()})
    envs.close()
