import numpy as np
from battlefield import BATTLEFIELD_HEIGHT, BATTLEFIELD_WIDTH, Battlefield, EIGHT_DIRECTIONS, FOREST, HILL, WALL
from stopwatch import stopwatch

NUMBER_OF_ACTIONS = 8 + 1 + 4      # walk two cells in a direction, hold, shoot at enemy 0..3
NUMBER_OF_PLANES = 8
MAXIMUM_NUMBER_OF_TURNS = 25

class HeuristicOpponent:
    """Shoots when it can, otherwise looks for the best cell, otherwise walks towards the nearest enemy."""

    def play_whole_turn(self, battlefield):
        for soldier in battlefield.soldiers_of(1):
            enemies = battlefield.soldiers_of(0)
            if not enemies:
                return
            targets = [enemy for enemy in enemies if battlefield.can_shoot(soldier, enemy)]
            if targets:
                battlefield.resolve_shot(soldier, min(targets, key=lambda enemy: enemy.health_points))
                continue
            best_score, best_cell, original_position = -1e9, soldier.position, soldier.position
            for cell, cost in battlefield.reachable_cells(soldier, 3).items():
                soldier.column, soldier.row = cell
                score = self.evaluate_cell(battlefield, soldier, enemies) - 0.01 * cost
                if score > best_score:
                    best_score, best_cell = score, cell
            soldier.column, soldier.row = original_position
            if best_score < 0:
                nearest = min(enemies, key=lambda enemy: abs(enemy.column - soldier.column) + abs(enemy.row - soldier.row))
                path = battlefield.find_path(soldier.position, nearest.position)
                if path and len(path) > 2:
                    best_cell = path[min(2, len(path) - 2)]
            soldier.column, soldier.row = best_cell

    def evaluate_cell(self, battlefield, soldier, enemies):
        score = 1.0 if battlefield.terrain[soldier.row, soldier.column] in (FOREST, HILL) else 0.0
        targets = sum(battlefield.can_shoot(soldier, enemy) for enemy in enemies)
        threats = sum(battlefield.can_shoot(enemy, soldier) for enemy in enemies)
        return score + 2.0 * targets - 0.8 * threats - (3.0 if targets == 0 else 0.0)

class GameController:
    """Runs one skirmish. The learner activates its soldiers one after the other, then the opponent plays its turn."""

    def __init__(self, random_generator):
        self.battlefield = Battlefield(random_generator)
        self.opponent = HeuristicOpponent()

    def start_new_game(self):
        with stopwatch.section("env.reset"):
            self.battlefield.generate()
            self.turn_number, self.previous_balance = 0, 0.0
            self.soldiers_waiting_for_orders = self.battlefield.soldiers_of(0)
        return self.build_observation()

    def get_legal_action_mask(self):
        with stopwatch.section("env.mask"):
            mask = np.zeros(NUMBER_OF_ACTIONS, dtype=bool)
            soldier = self.soldiers_waiting_for_orders[0]
            for index, (direction_x, direction_y) in enumerate(EIGHT_DIRECTIONS):
                mask[index] = self.battlefield.is_walkable(soldier.column + direction_x, soldier.row + direction_y)
            mask[8] = True      # hold
            for index, enemy in enumerate(self.battlefield.soldiers[4:]):
                mask[9 + index] = enemy.is_alive and self.battlefield.can_shoot(soldier, enemy)
        return mask

    def build_observation(self):
        with stopwatch.section("env.observe"):
            planes = np.zeros((NUMBER_OF_PLANES, BATTLEFIELD_HEIGHT, BATTLEFIELD_WIDTH), dtype=np.float32)
            for plane_index, terrain_type in enumerate((FOREST, HILL, WALL)):
                planes[plane_index] = self.battlefield.terrain == terrain_type
            for soldier in self.battlefield.soldiers:
                if soldier.is_alive:
                    planes[3 + soldier.side, soldier.row, soldier.column] = soldier.health_points / 10.0
            if self.soldiers_waiting_for_orders:
                active = self.soldiers_waiting_for_orders[0]
                planes[5, active.row, active.column] = 1.0
                planes[6] = active.weapon_range / 10.0
                for row, column in np.ndindex(BATTLEFIELD_HEIGHT, BATTLEFIELD_WIDTH):
                    planes[7, row, column] = self.battlefield.has_line_of_sight(active.position, (column, row))
        return planes

    def execute_learner_action(self, action):
        with stopwatch.section("env.step"):
            soldier = self.soldiers_waiting_for_orders.pop(0)
            if action < 8:
                direction_x, direction_y = EIGHT_DIRECTIONS[action]
                for _ in range(2):
                    if self.battlefield.is_walkable(soldier.column + direction_x, soldier.row + direction_y):
                        soldier.column, soldier.row = soldier.column + direction_x, soldier.row + direction_y
            elif action >= 9:
                self.battlefield.resolve_shot(soldier, self.battlefield.soldiers[4 + action - 9])
            if not self.soldiers_waiting_for_orders and self.battlefield.soldiers_of(1):
                with stopwatch.section("env.opponent"):
                    self.opponent.play_whole_turn(self.battlefield)
                self.turn_number += 1
                self.soldiers_waiting_for_orders = self.battlefield.soldiers_of(0)
            learner_alive, opponent_alive = self.battlefield.soldiers_of(0), self.battlefield.soldiers_of(1)
            game_over = not learner_alive or not opponent_alive or self.turn_number >= MAXIMUM_NUMBER_OF_TURNS
            self.learner_has_won = not opponent_alive
            balance = sum(s.health_points for s in learner_alive) - sum(s.health_points for s in opponent_alive)
            reward = (balance - self.previous_balance) / 10.0 - 0.01
            self.previous_balance = balance
            if game_over:
                reward += 2.0 if not opponent_alive else (-2.0 if not learner_alive else 0.0)
        return self.build_observation(), reward, game_over
