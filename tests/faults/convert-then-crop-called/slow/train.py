"""A drone learns to hover above the brightest spot, which it sees through a coarse grey picture."""

import time

import numpy as np
import torch
from camera import Camera
from torch import nn

COARSE = 8
GREY = np.array([0.299, 0.587, 0.114], dtype=np.float32)
MOVES = ((4, 0), (-4, 0), (0, 4), (0, -4))


class Drone:
    def __init__(self):
        self.camera = Camera(5)

    def reset(self):
        self.east = self.north = self.turns = 0
        self.camera.shoot(0, 0)
        return self.look()

    def look(self):
        picture = self.camera.bright()
        grey = picture @ GREY
        grey -= grey.mean()
        return np.ascontiguousarray(grey[::COARSE, ::COARSE])  # fault

    def step(self, action):
        east, north = MOVES[action]
        self.east, self.north = self.east + east, self.north + north
        self.camera.shoot(self.east, self.north)
        self.turns += 1
        seen = self.look()
        return seen, float(seen[15, 20]), self.turns >= 60, {}


class Pilot:
    def __init__(self):
        self.net = nn.Sequential(nn.Flatten(), nn.Linear(30 * 40, 16), nn.ReLU(), nn.Linear(16, 4))
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.01)

    def choose_action(self, seen):
        with torch.no_grad():
            return int(self.net(torch.from_numpy(seen)[None]).softmax(-1).multinomial(1))

    def learn(self, seen, actions, gains):
        chances = self.net(torch.from_numpy(np.stack(seen))).log_softmax(-1)
        loss = -(chances[range(len(actions)), actions] * torch.tensor(gains)).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


def main(seconds):
    torch.manual_seed(0)
    torch.set_num_threads(1)
    drone, pilot = Drone(), Pilot()
    now = drone.reset()
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        seen, actions, gains = [], [], []
        for _ in range(32):
            action = pilot.choose_action(now)
            seen.append(now)
            now, gain, done, _ = drone.step(action)
            actions.append(action)
            gains.append(gain)
            if done:
                now = drone.reset()
        pilot.learn(seen, actions, gains)


if __name__ == "__main__":
    main(seconds=4.0)
