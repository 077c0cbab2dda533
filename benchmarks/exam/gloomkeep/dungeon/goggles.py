"""things strapped on top of the keep"""
from collections import deque

import gymnasium as gym
import numpy as np
from gymnasium import spaces

from hourglass import glass
from .carve import soak


class OnlyLegal(gym.Wrapper):
    """note["can"] = bool[8]"""

    def _stamp(self, note):
        glass.into("env.mask")
        note["can"] = self.env.unwrapped.what_can_hero_do()
        glass.out()
        return note

    def reset(self, **kw):
        o, note = self.env.reset(**kw)
        return o, self._stamp(note)

    def step(self, a):
        o, r, dead, weary, note = self.env.step(a)
        return o, r, dead, weary, self._stamp(note)


class Afterimage(gym.Wrapper):
    def __init__(self, env, frames=2):
        super().__init__(env)
        self.frames = deque(maxlen=frames)
        c, h, w = env.observation_space.shape
        self.observation_space = spaces.Box(0, 255, (c * frames, h, w), np.uint8)

    def reset(self, **kw):
        o, note = self.env.reset(**kw)
        glass.into("env.observe")
        for _ in range(self.frames.maxlen):
            self.frames.append(o)
        o = np.concatenate(self.frames)
        glass.out()
        return o, note

    def step(self, a):
        o, r, dead, weary, note = self.env.step(a)
        glass.into("env.observe")
        self.frames.append(o)
        o = np.concatenate(self.frames)
        glass.out()
        return o, r, dead, weary, note


class Breadcrumbs(gym.Wrapper):
    """potential shaping: near the stairs = good, and a bit for seeing new tiles"""

    def __init__(self, env, pull=0.04, nosy=0.01, gamma=0.98):
        super().__init__(env)
        self.pull, self.nosy, self.gamma = pull, nosy, gamma
        self.level = -1

    def _potential(self):
        k = self.env.unwrapped
        if k.level_no != self.level:
            self.level = k.level_no
            self.wet = soak(k.rock, *k.stairs)
            self.seen = int(k.known.sum())
            self.phi = None
        d = self.wet[k.y][k.x]
        return -self.pull * (d if d >= 0 else 40)

    def reset(self, **kw):
        o, note = self.env.reset(**kw)
        glass.into("env.reward")
        self.phi = self._potential()
        glass.out()
        return o, note

    def step(self, a):
        o, r, dead, weary, note = self.env.step(a)
        glass.into("env.reward")
        before = self.phi
        now = self._potential()
        if self.phi is not None and before is not None:
            r += self.gamma * now - before
        self.phi = now
        seen = int(self.env.unwrapped.known.sum())
        r += self.nosy * (seen - self.seen)
        self.seen = seen
        glass.out()
        return o, float(r), dead, weary, note
