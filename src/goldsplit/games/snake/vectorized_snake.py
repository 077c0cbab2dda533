"""The plain world: N boards of Snake with torch tensors and Python loops over the boards, as in seed 003.

Correct, and slow for the reasons that its seed lists or that such files usually have:

- heads, directions, foods and counters are tensors, read one number at a time with `.item()` in a loop over
  all boards (seed 003, 4: "feature computation every step", "inefficient collision detection");
- a body is a deque of cells, and a collision is looked for in a copy of it, cell by cell;
- the flood fill is called three times per step (straight, right, left), and each call loops over all boards
  with a breadth-first search on sets and deques, even where two of the three fill the same area (seed 003,
  3);
- dangers and the room ahead look for the same obstacles twice;
- new tensors for everything in every step, put together with `torch.cat` and `torch.stack`.

Names are such an author's, too. Only this file of the game needs torch.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - its usual name

from goldsplit.games.dice import Dice

# up, right, down, left
DIRECTIONS = [(-1, 0), (0, 1), (1, 0), (0, -1)]

STRAIGHT, RIGHT, LEFT = 0, 1, 2


class VectorizedSnakeEnv:
    """Many games of Snake side by side."""

    def __init__(
        self,
        num_envs: int = 256,
        grid_size: int = 12,
        use_flood_fill: bool = False,
        max_steps_without_food: int = 144,
        device: str = "cpu",
    ) -> None:
        self.num_envs = num_envs
        self.grid_size = grid_size
        self.use_flood_fill = use_flood_fill
        self.max_steps_without_food = max_steps_without_food
        self.device = torch.device(device)

        self.heads = torch.zeros(num_envs, 2, dtype=torch.long, device=self.device)
        self.directions = torch.zeros(num_envs, dtype=torch.long, device=self.device)
        self.foods = torch.zeros(num_envs, 2, dtype=torch.long, device=self.device)
        self.lengths = torch.zeros(num_envs, dtype=torch.long, device=self.device)
        self.steps = torch.zeros(num_envs, dtype=torch.long, device=self.device)
        self.steps_since_food = torch.zeros(num_envs, dtype=torch.long, device=self.device)
        self.dones = torch.ones(num_envs, dtype=torch.bool, device=self.device)
        self.direction_vectors = torch.tensor(DIRECTIONS, dtype=torch.long, device=self.device)

        self.bodies: list[deque[tuple[int, int]]] = [deque() for _ in range(num_envs)]
        self.death_reasons = [""] * num_envs
        self.dice = [Dice(env_idx) for env_idx in range(num_envs)]

    def seed(self, seeds: list[int]) -> None:
        for env_idx in range(self.num_envs):
            self.dice[env_idx] = Dice(seeds[env_idx])

    def reset(self) -> torch.Tensor:
        for env_idx in range(self.num_envs):
            self._reset_single(env_idx)
        return self._get_features()

    def step(
        self, actions: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, dict[str, Any]]:
        rewards = torch.zeros(self.num_envs, dtype=torch.float64, device=self.device)
        terminated = torch.zeros(self.num_envs, dtype=torch.bool, device=self.device)
        truncated = torch.zeros(self.num_envs, dtype=torch.bool, device=self.device)

        for env_idx in range(self.num_envs):
            if self.dones[env_idx].item():
                # this game is over: start the next one
                self._reset_single(env_idx)
                continue
            reward, dead, starved = self._step_single(env_idx, int(actions[env_idx].item()))
            rewards[env_idx] = reward
            terminated[env_idx] = dead
            truncated[env_idx] = starved
            self.dones[env_idx] = dead or starved

        return self._get_features(), rewards, terminated, truncated, self.get_info()

    def _reset_single(self, env_idx: int) -> None:
        dice = self.dice[env_idx]
        row = 2 + dice.below(self.grid_size - 4)
        col = 2 + dice.below(self.grid_size - 4)
        direction = dice.below(4)
        d_row, d_col = DIRECTIONS[direction]

        self.bodies[env_idx] = deque([(row - i * d_row, col - i * d_col) for i in range(3)])
        self.heads[env_idx] = torch.tensor([row, col])
        self.directions[env_idx] = direction
        self.lengths[env_idx] = 3
        self.steps[env_idx] = 0
        self.steps_since_food[env_idx] = 0
        self.dones[env_idx] = False
        self.death_reasons[env_idx] = ""
        self._spawn_food(env_idx)

    def _spawn_food(self, env_idx: int) -> None:
        body = self.bodies[env_idx]
        empty_cells = [
            (row, col)
            for row in range(self.grid_size)
            for col in range(self.grid_size)
            if (row, col) not in body
        ]
        food = empty_cells[self.dice[env_idx].below(len(empty_cells))]
        self.foods[env_idx] = torch.tensor(food)

    def _step_single(self, env_idx: int, action: int) -> tuple[float, bool, bool]:
        """Move one snake. Returns (reward, dead or won, starved)."""
        direction = int(self.directions[env_idx].item())
        if action == RIGHT:
            direction = (direction + 1) % 4
        elif action == LEFT:
            direction = (direction - 1) % 4
        self.directions[env_idx] = direction
        self.steps[env_idx] += 1
        self.steps_since_food[env_idx] += 1

        head = self.heads[env_idx]
        food = self.foods[env_idx]
        old_distance = torch.abs(head - food).sum().item()
        d_row, d_col = DIRECTIONS[direction]
        new_head = (int(head[0].item()) + d_row, int(head[1].item()) + d_col)

        if self._hits_wall(new_head):
            self.death_reasons[env_idx] = "wall"
            return -1.0, True, False
        if self._hits_body(env_idx, new_head):
            self.death_reasons[env_idx] = "body"
            return -1.0, True, False

        self.bodies[env_idx].appendleft(new_head)
        self.heads[env_idx] = torch.tensor(new_head)

        if torch.equal(self.heads[env_idx], self.foods[env_idx]):
            self.lengths[env_idx] += 1
            self.steps_since_food[env_idx] = 0
            if self.lengths[env_idx].item() == self.grid_size * self.grid_size:
                self.foods[env_idx] = torch.tensor([-1, -1])
                self.death_reasons[env_idx] = "full"
                return 1.0, True, False
            self._spawn_food(env_idx)
            return 1.0, False, False

        self.bodies[env_idx].pop()
        starved = self.steps_since_food[env_idx].item() >= self.max_steps_without_food
        if starved:
            self.death_reasons[env_idx] = "hunger"
        new_distance = torch.abs(self.heads[env_idx] - self.foods[env_idx]).sum().item()
        reward = 0.01 if new_distance < old_distance else -0.01
        return reward, False, starved

    def _hits_wall(self, position: tuple[int, int]) -> bool:
        row, col = position
        return row < 0 or row >= self.grid_size or col < 0 or col >= self.grid_size

    def _hits_body(self, env_idx: int, position: tuple[int, int]) -> bool:
        # the last cell of the tail moves away
        return position in list(self.bodies[env_idx])[:-1]

    def _is_collision(self, env_idx: int, position: tuple[int, int]) -> bool:
        return self._hits_wall(position) or self._hits_body(env_idx, position)

    def _turned(self, env_idx: int, turn: int) -> tuple[int, int]:
        """The direction after a turn, as a step of rows and columns."""
        direction = int(self.directions[env_idx].item())
        return DIRECTIONS[(direction + {STRAIGHT: 0, RIGHT: 1, LEFT: 3}[turn]) % 4]

    def _get_features(self) -> torch.Tensor:
        """dangers 3, direction 4, food direction 4, food offset 2, room 3, length, hunger, areas 3"""
        dangers = torch.stack([self._compute_danger(turn) for turn in (STRAIGHT, RIGHT, LEFT)], dim=1)
        rooms = torch.stack([self._compute_room(turn) for turn in (STRAIGHT, RIGHT, LEFT)], dim=1)
        direction = F.one_hot(self.directions, num_classes=4).double()

        has_food = (self.foods[:, 0] >= 0).unsqueeze(1)
        delta = torch.where(has_food, self.foods - self.heads, torch.zeros_like(self.foods))
        food_direction = torch.stack(
            [delta[:, 0] < 0, delta[:, 1] > 0, delta[:, 0] > 0, delta[:, 1] < 0], dim=1
        ).double()
        forward = self.direction_vectors[self.directions]
        sideways = self.direction_vectors[(self.directions + 1) % 4]
        offset = torch.stack([(delta * forward).sum(dim=1), (delta * sideways).sum(dim=1)], dim=1)

        parts = [
            dangers,
            direction,
            food_direction,
            offset.double() / self.grid_size,
            rooms,
            (self.lengths.double() / (self.grid_size * self.grid_size)).unsqueeze(1),
            (self.steps_since_food.double() / self.max_steps_without_food).unsqueeze(1),
        ]
        if self.use_flood_fill:
            areas = [self._compute_flood_fill(turn) for turn in (STRAIGHT, RIGHT, LEFT)]
            parts.append(torch.stack(areas, dim=1))
        return torch.cat(parts, dim=1).float()

    def _compute_danger(self, turn: int) -> torch.Tensor:
        danger = torch.zeros(self.num_envs, dtype=torch.float64, device=self.device)
        for env_idx in range(self.num_envs):
            d_row, d_col = self._turned(env_idx, turn)
            row, col = self.heads[env_idx].tolist()
            if self._is_collision(env_idx, (row + d_row, col + d_col)):
                danger[env_idx] = 1.0
        return danger

    def _compute_room(self, turn: int) -> torch.Tensor:
        """How many cells are free in a line, as a share of the board's side."""
        room = torch.zeros(self.num_envs, dtype=torch.float64, device=self.device)
        for env_idx in range(self.num_envs):
            d_row, d_col = self._turned(env_idx, turn)
            row, col = self.heads[env_idx].tolist()
            free = 0
            while not self._is_collision(env_idx, (row + d_row, col + d_col)):
                row, col = row + d_row, col + d_col
                free += 1
            room[env_idx] = free / self.grid_size
        return room

    def _compute_flood_fill(self, turn: int) -> torch.Tensor:
        """How much of the board the snake can still reach after a turn."""
        areas = torch.zeros(self.num_envs, dtype=torch.float64, device=self.device)
        for env_idx in range(self.num_envs):
            d_row, d_col = self._turned(env_idx, turn)
            row, col = self.heads[env_idx].tolist()
            start_pos = (row + d_row, col + d_col)
            if self._is_collision(env_idx, start_pos):
                continue
            blocked = set(list(self.bodies[env_idx])[:-1])
            visited = {start_pos}
            queue = deque([start_pos])
            while queue:
                current = queue.popleft()
                for step_row, step_col in DIRECTIONS:
                    neighbor = (current[0] + step_row, current[1] + step_col)
                    if neighbor in visited or neighbor in blocked or self._hits_wall(neighbor):
                        continue
                    visited.add(neighbor)
                    queue.append(neighbor)
            areas[env_idx] = len(visited) / (self.grid_size * self.grid_size)
        return areas

    def get_info(self) -> dict[str, Any]:
        return {
            "length": self.lengths.clone(),
            "steps": self.steps.clone(),
            "reason": list(self.death_reasons),
        }
