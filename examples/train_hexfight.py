"""A small hex wargame, trained with masked PPO on two worker processes.

This is the bundled demo of goldsplit, and it knows nothing about goldsplit: a game engine in plain Python as
people write it, an opponent that plays by simple rules, action masks, Stable-Baselines3 on top.

    python examples/train_hexfight.py --steps 8192
"""

from __future__ import annotations

import argparse
import random
from collections import deque
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import SubprocVecEnv, VecMonitor

COLUMNS, ROWS = 17, 11
UNITS_PER_SIDE = 5
FULL_HEALTH = 3
FIRE_RANGE = 7
MAX_TURNS = 30
HOLD = 6 + UNITS_PER_SIDE
DIRECTIONS = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))

Hex = tuple[int, int]


def on_board(cell: Hex) -> bool:
    """Axial coordinates on a board whose rows are shifted by half a hex."""
    q, r = cell
    return 0 <= r < ROWS and 0 <= q + r // 2 < COLUMNS


def distance(a: Hex, b: Hex) -> int:
    dq, dr = a[0] - b[0], a[1] - b[1]
    return (abs(dq) + abs(dr) + abs(dq + dr)) // 2


def round_to_hex(q: float, r: float) -> Hex:
    s = -q - r
    whole_q, whole_r, whole_s = round(q), round(r), round(s)
    off_q, off_r, off_s = abs(whole_q - q), abs(whole_r - r), abs(whole_s - s)
    if off_q > off_r and off_q > off_s:
        whole_q = -whole_r - whole_s
    elif off_r > off_s:
        whole_r = -whole_q - whole_s
    return whole_q, whole_r


def line_between(a: Hex, b: Hex) -> list[Hex]:
    steps = distance(a, b)
    cells = []
    for i in range(steps + 1):
        t = i / max(1, steps)
        cells.append(
            round_to_hex(a[0] + (b[0] - a[0]) * t + 1e-6, a[1] + (b[1] - a[1]) * t + 2e-6),
        )
    return cells


def has_line_of_sight(a: Hex, b: Hex, walls: set[Hex]) -> bool:
    return all(cell not in walls for cell in line_between(a, b)[1:-1])


class Unit:
    def __init__(self, side: int, cell: Hex) -> None:
        self.side = side
        self.cell = cell
        self.health = FULL_HEALTH

    @property
    def alive(self) -> bool:
        return self.health > 0


class HexFight(gym.Env):
    """Move or shoot with one unit after the other; when all have acted, the opponent plays its turn."""

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012

    def __init__(self, seed: int = 0) -> None:
        self.random = random.Random(seed)
        self.action_space = gym.spaces.Discrete(HOLD + 1)
        size = 2 * UNITS_PER_SIDE * 6 + UNITS_PER_SIDE * UNITS_PER_SIDE + 6 + COLUMNS * ROWS
        self.observation_space = gym.spaces.Box(-1.0, 1.0, (size,), np.float32)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict]:
        if seed is not None:
            self.random = random.Random(seed)
        cells = [(q - r // 2, r) for r in range(ROWS) for q in range(COLUMNS)]
        self.walls = set(self.random.sample([c for c in cells if 3 <= c[0] + c[1] // 2 < COLUMNS - 3], 18))
        left = [c for c in cells if c[0] + c[1] // 2 < 2]
        right = [c for c in cells if c[0] + c[1] // 2 >= COLUMNS - 2]
        self.units = [Unit(0, c) for c in self.random.sample(left, UNITS_PER_SIDE)]
        self.units += [Unit(1, c) for c in self.random.sample(right, UNITS_PER_SIDE)]
        self.turn = 0
        self.active = 0
        return self.build_observation(), {}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict]:
        reward = self.play(self.units[self.active], int(action))
        self.active += 1
        while self.active < UNITS_PER_SIDE and not self.units[self.active].alive:
            self.active += 1
        if self.active >= UNITS_PER_SIDE:
            reward -= self.enemy_turn()
            self.turn += 1
            self.active = next((i for i in range(UNITS_PER_SIDE) if self.units[i].alive), 0)
        won = not self.side_alive(1)
        lost = not self.side_alive(0)
        if won or lost:
            reward += 5.0 if won else -5.0
        truncated = self.turn >= MAX_TURNS
        info = {"turn": self.turn, "win": won}
        return self.build_observation(), reward, won or lost, truncated, info

    def play(self, unit: Unit, action: int) -> float:
        if action < 6:
            q, r = DIRECTIONS[action]
            target = (unit.cell[0] + q, unit.cell[1] + r)
            if self.is_free(target):
                unit.cell = target
        elif action < HOLD:
            return self.shoot(unit, self.units[UNITS_PER_SIDE + action - 6])
        return -0.01

    def shoot(self, shooter: Unit, target: Unit) -> float:
        if not self.can_shoot(shooter, target):
            return 0.0
        chance = 0.9 - 0.08 * distance(shooter.cell, target.cell)
        if self.random.random() < chance:
            target.health -= 1
            return 0.5 if target.alive else 1.5
        return 0.0

    def can_shoot(self, shooter: Unit, target: Unit) -> bool:
        if not target.alive or distance(shooter.cell, target.cell) > FIRE_RANGE:
            return False
        return has_line_of_sight(shooter.cell, target.cell, self.walls)

    def enemy_turn(self) -> float:
        """Each enemy shoots what it sees best, or walks to where the player is nearest."""
        harm = 0.0
        for unit in self.units[UNITS_PER_SIDE:]:
            if not unit.alive:
                continue
            targets = [other for other in self.units[:UNITS_PER_SIDE] if self.can_shoot(unit, other)]
            if targets:
                weakest = min(targets, key=lambda other: (other.health, distance(unit.cell, other.cell)))
                harm += self.shoot(unit, weakest)
            else:
                unit.cell = self.step_towards_player(unit)
        return harm

    def step_towards_player(self, unit: Unit) -> Hex:
        goals = {other.cell for other in self.units[:UNITS_PER_SIDE] if other.alive}
        best, best_length = unit.cell, 10_000
        for q, r in DIRECTIONS:
            start = (unit.cell[0] + q, unit.cell[1] + r)
            if self.is_free(start):
                length = self.path_length(start, goals)
                if length < best_length:
                    best, best_length = start, length
        return best

    def path_length(self, start: Hex, goals: set[Hex]) -> int:
        queue = deque([(start, 0)])
        seen = {start}
        while queue:
            cell, length = queue.popleft()
            if cell in goals:
                return length
            for q, r in DIRECTIONS:
                following = (cell[0] + q, cell[1] + r)
                if following not in seen and on_board(following) and following not in self.walls:
                    seen.add(following)
                    queue.append((following, length + 1))
        return 10_000

    def is_free(self, cell: Hex) -> bool:
        if not on_board(cell) or cell in self.walls:
            return False
        return all(not unit.alive or unit.cell != cell for unit in self.units)

    def side_alive(self, side: int) -> bool:
        return any(unit.alive for unit in self.units if unit.side == side)

    def action_masks(self) -> np.ndarray:
        """Which actions the active unit may take: steps onto free cells, shots at what it sees."""
        unit = self.units[self.active]
        mask = np.zeros(HOLD + 1, dtype=bool)
        for i, (q, r) in enumerate(DIRECTIONS):
            mask[i] = self.is_free((unit.cell[0] + q, unit.cell[1] + r))
        for i in range(UNITS_PER_SIDE):
            mask[6 + i] = self.can_shoot(unit, self.units[UNITS_PER_SIDE + i])
        mask[HOLD] = True
        return mask

    def build_observation(self) -> np.ndarray:
        features: list[float] = []
        for i, unit in enumerate(self.units):
            features += [
                (unit.cell[0] + unit.cell[1] // 2) / COLUMNS,
                unit.cell[1] / ROWS,
                unit.health / FULL_HEALTH,
                1.0 if unit.side == 0 else -1.0,
                1.0 if i == self.active else 0.0,
                1.0 if unit.alive else 0.0,
            ]
        for own in self.units[:UNITS_PER_SIDE]:
            for other in self.units[UNITS_PER_SIDE:]:
                seen = own.alive and other.alive and has_line_of_sight(own.cell, other.cell, self.walls)
                features.append(1.0 if seen else 0.0)
        here = self.units[self.active].cell
        for q, r in DIRECTIONS:
            features.append(self.exposure((here[0] + q, here[1] + r)))
        for r in range(ROWS):
            for q in range(COLUMNS):
                features.append(-1.0 if (q - r // 2, r) in self.walls else self.threat((q - r // 2, r)))
        return np.array(features, dtype=np.float32)

    def exposure(self, cell: Hex) -> float:
        """How many enemies would see a unit that stood here."""
        enemies = [unit for unit in self.units[UNITS_PER_SIDE:] if unit.alive]
        return sum(has_line_of_sight(unit.cell, cell, self.walls) for unit in enemies) / UNITS_PER_SIDE

    def threat(self, cell: Hex) -> float:
        """How many enemies could hit this cell by range alone."""
        enemies = [unit for unit in self.units[UNITS_PER_SIDE:] if unit.alive]
        return sum(distance(unit.cell, cell) <= FIRE_RANGE for unit in enemies) / UNITS_PER_SIDE


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--steps", type=int, default=8192, help="environment steps to train for")
    parser.add_argument("--workers", type=int, default=2, help="environments, each in a process of its own")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    envs = VecMonitor(
        SubprocVecEnv([lambda i=i: HexFight(arguments.seed + i) for i in range(arguments.workers)])
    )
    model = MaskablePPO(
        "MlpPolicy", envs, n_steps=512, batch_size=128, n_epochs=4, seed=arguments.seed, device="cpu"
    )
    print(f"training {arguments.steps} steps on {arguments.workers} workers …")
    model.learn(arguments.steps)
    episodes = list(model.ep_info_buffer)
    mean = sum(episode["r"] for episode in episodes) / max(1, len(episodes))
    print(f"mean reward of the last {len(episodes)} episodes: {mean:.2f}")
    envs.close()


if __name__ == "__main__":
    main()
