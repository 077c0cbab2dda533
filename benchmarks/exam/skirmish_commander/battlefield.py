import heapq
from dataclasses import dataclass
import numpy as np

BATTLEFIELD_WIDTH, BATTLEFIELD_HEIGHT = 18, 12
OPEN_GROUND, FOREST, HILL, WALL = 0, 1, 2, 3
MOVEMENT_COST = {OPEN_GROUND: 1, FOREST: 2, HILL: 2, WALL: None}
EIGHT_DIRECTIONS = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]

@dataclass(eq=False)
class Soldier:
    side: int
    column: int
    row: int
    weapon_range: int
    weapon_damage: float
    health_points: float = 10
    is_alive = property(lambda self: self.health_points > 0)
    position = property(lambda self: (self.column, self.row))

class Battlefield:
    def __init__(self, random_generator):
        self.random_generator = random_generator
        self.terrain = np.zeros((BATTLEFIELD_HEIGHT, BATTLEFIELD_WIDTH), dtype=np.int8)
        self.soldiers = []

    def generate(self):
        while True:
            self.terrain[:] = OPEN_GROUND
            for terrain_type, number_of_patches in ((FOREST, 9), (HILL, 5), (WALL, 8)):
                for _ in range(number_of_patches):
                    column = self.random_generator.randrange(2, BATTLEFIELD_WIDTH - 2)
                    row = self.random_generator.randrange(BATTLEFIELD_HEIGHT)
                    for _ in range(4):
                        self.terrain[row, column] = terrain_type
                        column = min(max(column + self.random_generator.choice((-1, 0, 1)), 2), BATTLEFIELD_WIDTH - 3)
                        row = min(max(row + self.random_generator.choice((-1, 0, 1)), 0), BATTLEFIELD_HEIGHT - 1)
            self.soldiers = []
            for side, column in ((0, 0), (1, BATTLEFIELD_WIDTH - 1)):
                for index, (weapon_range, weapon_damage) in enumerate(((5, 4), (7, 3), (7, 3), (10, 2))):
                    # the computer gets bad ammunition, otherwise the network never wins
                    self.soldiers.append(Soldier(side, column, 1 + 3 * index, weapon_range, weapon_damage * (0.6 if side else 1)))
            if self.find_path((0, 1), (BATTLEFIELD_WIDTH - 1, 1), ignore_soldiers=True):
                break

    def soldiers_of(self, side):
        return [soldier for soldier in self.soldiers if soldier.side == side and soldier.is_alive]

    def is_walkable(self, column, row, ignore_soldiers=False):
        inside = 0 <= column < BATTLEFIELD_WIDTH and 0 <= row < BATTLEFIELD_HEIGHT
        if not inside or self.terrain[row, column] == WALL:
            return False
        return ignore_soldiers or not any(s.is_alive and s.position == (column, row) for s in self.soldiers)

    def has_line_of_sight(self, start, end):
        """Bresenham. Walls always block, two forest cells in between block as well."""
        (x, y), (target_x, target_y) = start, end
        delta_x, delta_y = abs(target_x - x), -abs(target_y - y)
        step_x, step_y = (1 if x < target_x else -1), (1 if y < target_y else -1)
        error, forest_cells = delta_x + delta_y, 0
        while (x, y) != (target_x, target_y):
            doubled_error = 2 * error
            if doubled_error >= delta_y:
                error, x = error + delta_y, x + step_x
            if doubled_error <= delta_x:
                error, y = error + delta_x, y + step_y
            if (x, y) == (target_x, target_y):
                return True
            forest_cells += self.terrain[y, x] == FOREST
            if self.terrain[y, x] == WALL or forest_cells >= 2:
                return False
        return True

    def reachable_cells(self, soldier, movement_points):
        cost_so_far = {soldier.position: 0}
        frontier = [(0, soldier.position)]
        while frontier:
            cost, (column, row) = heapq.heappop(frontier)
            for direction_x, direction_y in EIGHT_DIRECTIONS:
                neighbour = (column + direction_x, row + direction_y)
                if not self.is_walkable(*neighbour):
                    continue
                new_cost = cost + MOVEMENT_COST[int(self.terrain[neighbour[1], neighbour[0]])]
                if new_cost <= movement_points and new_cost < cost_so_far.get(neighbour, 99):
                    cost_so_far[neighbour] = new_cost
                    heapq.heappush(frontier, (new_cost, neighbour))
        return cost_so_far

    def find_path(self, start, goal, ignore_soldiers=False):
        """A*"""
        frontier, came_from, cost_so_far = [(0, start)], {start: None}, {start: 0}
        while frontier:
            _, current = heapq.heappop(frontier)
            if current == goal:
                path = [current]
                while came_from[path[-1]] is not None:
                    path.append(came_from[path[-1]])
                return path[::-1]
            for direction_x, direction_y in EIGHT_DIRECTIONS:
                neighbour = (current[0] + direction_x, current[1] + direction_y)
                if neighbour != goal and not self.is_walkable(*neighbour, ignore_soldiers):
                    continue
                new_cost = cost_so_far[current] + (MOVEMENT_COST[int(self.terrain[neighbour[1], neighbour[0]])] or 1)
                if new_cost < cost_so_far.get(neighbour, 10 ** 6):
                    cost_so_far[neighbour], came_from[neighbour] = new_cost, current
                    estimate = max(abs(goal[0] - neighbour[0]), abs(goal[1] - neighbour[1]))
                    heapq.heappush(frontier, (new_cost + estimate, neighbour))
        return None

    def can_shoot(self, shooter, target):
        distance = max(abs(shooter.column - target.column), abs(shooter.row - target.row))
        return distance <= shooter.weapon_range and self.has_line_of_sight(shooter.position, target.position)

    def resolve_shot(self, shooter, target):
        hit_probability = 0.5 if self.terrain[target.row, target.column] == FOREST else 0.8
        hit_probability += 0.15 if self.terrain[shooter.row, shooter.column] == HILL else 0.0
        if self.random_generator.random() < hit_probability:
            target.health_points -= shooter.weapon_damage
