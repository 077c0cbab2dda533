"""Small games in plain Python for the programs here, with clocks inside."""

import gymnasium as gym
import numpy as np
from laps import CLOCK, COUNTS

MOVES = ((0, 1), (1, 0), (0, -1), (-1, 0), (0, 0))


class Courier(gym.Env):
    """Fetch parcels in a city where cars drive around; a crash ends the shift."""

    def __init__(self, size=14, cars=25, looks=5):
        self.size, self.cars, self.looks = size, cars, looks
        self.observation_space = gym.spaces.Box(-1, 1, ((2 * looks + 1) ** 2 + 4,), np.float32)
        self.action_space = gym.spaces.Discrete(5)

    def reset(self, seed=None, options=None):
        with CLOCK("env.reset"):
            super().reset(seed=seed)
            draw = self.np_random.integers
            self.at = [self.size // 2, self.size // 2]
            self.traffic = [
                [int(v) for v in draw(0, self.size, 2)] + [int(draw(4))] for _ in range(self.cars)
            ]
            self.parcels = {tuple(int(v) for v in draw(0, self.size, 2)) for _ in range(9)}
            self.time = 0
            return self._get_obs(), {}

    def step(self, action):
        with CLOCK("env.step"):
            COUNTS.add("env_steps")
            self.time += 1
            self._drive()
            dy, dx = MOVES[int(action)]
            self.at = [(self.at[0] + dy) % self.size, (self.at[1] + dx) % self.size]
            found = tuple(self.at) in self.parcels
            self.parcels.discard(tuple(self.at))
            crashed = any(car[0] == self.at[0] and car[1] == self.at[1] for car in self.traffic)
            cut = self.time >= 120 or not self.parcels
            COUNTS.add("episodes", crashed or cut)
            return self._get_obs(), float(found) - crashed, bool(crashed), bool(cut and not crashed), {}

    def _drive(self):
        for car in self.traffic:
            ahead = MOVES[car[2]]
            y, x = (car[0] + ahead[0]) % self.size, (car[1] + ahead[1]) % self.size
            if any(other[0] == y and other[1] == x for other in self.traffic):
                car[2] = (car[2] + 1 + (self.time + y) % 3) % 4
            else:
                car[0], car[1] = y, x

    def _get_obs(self):
        with CLOCK("env.observe"):
            near, where = [], {(car[0], car[1]) for car in self.traffic}
            for dy in range(-self.looks, self.looks + 1):
                for dx in range(-self.looks, self.looks + 1):
                    spot = ((self.at[0] + dy) % self.size, (self.at[1] + dx) % self.size)
                    near.append(-1.0 if spot in where else 1.0 if spot in self.parcels else 0.0)
            rest = [self.at[0] / self.size, self.at[1] / self.size, self.time / 120, len(self.parcels) / 9]
            return np.array(near + rest, np.float32)


class Steered(Courier):
    """The same with a continuous wheel."""

    def __init__(self):
        super().__init__()
        self.action_space = gym.spaces.Box(-1, 1, (2,), np.float32)

    def step(self, action):
        turn = int((float(action[0]) + 1) * 2) % 4
        return super().step(turn if float(action[1]) > -0.8 else 4)


class Screen(gym.ObservationWrapper):
    """What an arcade would show of the city: 84 x 84 grey, as Atari wrappers give."""

    def __init__(self, env):
        super().__init__(env)
        self.observation_space = gym.spaces.Box(0, 255, (84, 84), np.uint8)

    def observation(self, obs):
        with CLOCK("env.observe"):
            city = self.unwrapped
            image = np.zeros((84, 84), np.uint8)
            for y, x, _ in city.traffic:
                image[y * 6 : y * 6 + 6, x * 6 : x * 6 + 6] = 120
            for y, x in city.parcels:
                image[y * 6 + 2 : y * 6 + 5, x * 6 + 2 : x * 6 + 5] = 200
            image[city.at[0] * 6 : city.at[0] * 6 + 6, city.at[1] * 6 : city.at[1] * 6 + 6] = 255
            return image
