"""Learn from the screen of an old console: three frames, cropped to the playing field, grey, 0 to 1."""

import time
from collections import deque

import numpy as np
import torch
from torch import nn

HEIGHT, WIDTH = 240, 224
TOP, BOTTOM, LEFT, RIGHT = 96, 224, 32, 160
GREY = torch.tensor([0.299, 0.587, 0.114])
FRAMES = 3


class Console:
    """Stands for the emulator: a sprite on a screen, drawn into one buffer."""

    def __init__(self):
        self.rng = np.random.default_rng(3)
        self.background = self.rng.integers(0, 255, (HEIGHT, WIDTH, 3), dtype=np.uint8)

    def draw(self, x, y):
        screen = self.background.copy()
        screen[y : y + 12, x : x + 12] = 255
        return screen


class Quest:
    def __init__(self):
        self.console = Console()
        self.frames = deque(maxlen=FRAMES)

    def reset(self):
        self.x, self.y, self.turns = 100, 150, 0
        for _ in range(FRAMES):
            self.frames.append(self.console.draw(self.x, self.y))
        return self.get_observation()

    def get_observation(self):
        frames = [frame[TOP:BOTTOM:2, LEFT:RIGHT:2] for frame in self.frames]
        stacked = torch.from_numpy(np.stack(frames)).float()
        return (stacked @ GREY) / 255.0

    def step(self, action):
        dx, dy = ((3, 0), (-3, 0), (0, 3), (0, -3))[action]
        self.x = min(RIGHT - 12, max(LEFT, self.x + dx))
        self.y = min(BOTTOM - 12, max(TOP, self.y + dy))
        self.frames.append(self.console.draw(self.x, self.y))
        self.turns += 1
        return self.get_observation(), (self.x - LEFT) / WIDTH, self.turns >= 100, {}


class Agent:
    def __init__(self):
        self.net = nn.Sequential(
            nn.Conv2d(FRAMES, 8, 8, stride=8), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 8 * 8, 4)
        )
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.01)

    def select_action(self, obs):
        with torch.no_grad():
            return int(self.net(obs[None]).softmax(-1).multinomial(1))

    def update_policy(self, obs, actions, returns):
        log_probs = self.net(obs).log_softmax(-1)
        loss = -(log_probs.gather(1, actions[:, None]).squeeze(1) * returns).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


def main(seconds):
    torch.manual_seed(0)
    torch.set_num_threads(1)
    env, agent = Quest(), Agent()
    obs = env.reset()
    seen, actions = torch.zeros(32, *obs.shape), torch.zeros(32, dtype=torch.int64)
    rewards = torch.zeros(32)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        for t in range(32):
            seen[t] = obs
            action = agent.select_action(obs)
            obs, reward, done, _ = env.step(action)
            actions[t], rewards[t] = action, reward
            if done:
                obs = env.reset()
        agent.update_policy(seen, actions, rewards - rewards.mean())


if __name__ == "__main__":
    main(seconds=4.0)
