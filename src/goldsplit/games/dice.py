"""The games' own random numbers: equal in plain Python, in compiled code and on every machine.

A generator is one 64-bit number, the state. Each draw moves it on by a constant and mixes it (splitmix64),
so that a plain twin and a compiled twin that draw in the same order see the same dice. A draw below `n`
takes the upper 32 bits times `n`: no number comes up more than `n` in four thousand million too often.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

_ALL = (1 << 64) - 1
_STRIDE = 0x9E3779B97F4A7C15
_FIRST = 0xBF58476D1CE4E5B9
_SECOND = 0x94D049BB133111EB


class Dice:
    """The generator as plain Python objects use it."""

    __slots__ = ("state",)

    def __init__(self, seed: int) -> None:
        self.state = seeded(seed)

    def draw(self) -> int:
        """The next 64 bits."""
        self.state = (self.state + _STRIDE) & _ALL
        mixed = self.state
        mixed = ((mixed ^ (mixed >> 30)) * _FIRST) & _ALL
        mixed = ((mixed ^ (mixed >> 27)) * _SECOND) & _ALL
        return mixed ^ (mixed >> 31)

    def below(self, n: int) -> int:
        """A whole number from 0 to n - 1; n at most 2**32."""
        return ((self.draw() >> 32) * n) >> 32

    def uniform(self) -> float:
        """A float64 from 0 to just below 1."""
        return (self.draw() >> 11) * (1.0 / (1 << 53))


def seeded(seed: int) -> int:
    """The state that a seed stands for; neighbouring seeds give unrelated dice."""
    return ((seed & _ALL) * 0xD1342543DE82EF95 + 0x632BE59BD9B4E019) & _ALL


def states_of(seeds: NDArray[np.int64]) -> NDArray[np.uint64]:
    """One state for each game of a batch."""
    return np.array([seeded(int(seed)) for seed in seeds], dtype=np.uint64)


@njit(cache=True)
def draw(states: NDArray[np.uint64], game: int) -> np.uint64:
    """The next 64 bits of one game's generator in an array of states."""
    state = states[game] + np.uint64(0x9E3779B97F4A7C15)
    states[game] = state
    mixed = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


@njit(cache=True)
def below(states: NDArray[np.uint64], game: int, n: int) -> np.int64:
    """A whole number from 0 to n - 1 from one game's generator."""
    return np.int64(((draw(states, game) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@njit(cache=True)
def uniform(states: NDArray[np.uint64], game: int) -> float:
    """A float64 from 0 to just below 1 from one game's generator."""
    return np.float64(draw(states, game) >> np.uint64(11)) * (1.0 / 9007199254740992.0)
