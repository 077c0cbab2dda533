import heapq
import random
from collections import deque
from dataclasses import dataclass

import numpy as np

from the_patient_bookkeeper import the_one_bookkeeper_of_this_house as bookkeeper

WIDTH_OF_THE_FIELD, HEIGHT_OF_THE_FIELD = 15, 11
CASTLE_GATE = (WIDTH_OF_THE_FIELD - 1, HEIGHT_OF_THE_FIELD // 2)
FOUR_DIRECTIONS = ((0, -1), (1, 0), (0, 1), (-1, 0))
PRICE_OF_A_WATCHTOWER, PRICE_OF_A_PALISADE = 30, 8
REACH_OF_A_WATCHTOWER = 3


@dataclass
class BuildingOnTheField:
    is_watchtower: bool
    remaining_strength: int


@dataclass
class InvaderOfTheComputerPlayer:
    position: tuple
    remaining_health: float
    cells_per_round: int
    strength_against_wood: int


def is_inside_the_field(cell):
    return 0 <= cell[0] < WIDTH_OF_THE_FIELD and 0 <= cell[1] < HEIGHT_OF_THE_FIELD


class ManagerOfBuildings:
    def __init__(self):
        self.buildings_by_cell = {}

    def does_a_road_to_the_gate_remain_if_this_cell_is_blocked(self, blocked_cell):
        waiting = deque((0, row) for row in range(HEIGHT_OF_THE_FIELD) if (0, row) != blocked_cell)
        visited = set(waiting)
        while waiting:
            column, row = waiting.popleft()
            if (column, row) == CASTLE_GATE:
                return True
            for step_x, step_y in FOUR_DIRECTIONS:
                neighbour = (column + step_x, row + step_y)
                if (neighbour not in visited and is_inside_the_field(neighbour) and neighbour != blocked_cell
                        and neighbour not in self.buildings_by_cell):
                    visited.add(neighbour)
                    waiting.append(neighbour)
        return False

    def let_every_tower_fire_at_whoever_is_in_reach(self, manager_of_invaders):
        total_damage_dealt = 0.0
        for (column, row), building in self.buildings_by_cell.items():
            if not building.is_watchtower:
                continue
            targets = [i for i in manager_of_invaders.living_invaders
                       if abs(i.position[0] - column) + abs(i.position[1] - row) <= REACH_OF_A_WATCHTOWER]
            if targets:
                chosen_target = max(targets, key=lambda i: (i.position[0], -i.remaining_health))
                damage = min(4.0, chosen_target.remaining_health)
                chosen_target.remaining_health -= damage
                total_damage_dealt += damage
        manager_of_invaders.living_invaders = [i for i in manager_of_invaders.living_invaders if i.remaining_health > 0]
        return total_damage_dealt


class ManagerOfInvaders:
    def __init__(self, dice):
        self.dice = dice
        self.living_invaders = []
        self.gold_of_the_computer_player = 40

    def draw_a_map_of_danger(self, buildings_by_cell):
        danger = {}
        for (column, row), building in buildings_by_cell.items():
            if building.is_watchtower:
                for offset_x in range(-REACH_OF_A_WATCHTOWER, REACH_OF_A_WATCHTOWER + 1):
                    for offset_y in range(-REACH_OF_A_WATCHTOWER, REACH_OF_A_WATCHTOWER + 1):
                        if abs(offset_x) + abs(offset_y) <= REACH_OF_A_WATCHTOWER:
                            cell = (column + offset_x, row + offset_y)
                            danger[cell] = danger.get(cell, 0) + 2
        return danger

    def search_the_least_dangerous_path(self, invader, danger, buildings_by_cell):
        frontier, cost_so_far, came_from = [(0, invader.position)], {invader.position: 0}, {}
        while frontier:
            cost, cell = heapq.heappop(frontier)
            if cell == CASTLE_GATE:
                break
            if cost > cost_so_far[cell]:
                continue
            for step_x, step_y in FOUR_DIRECTIONS:
                neighbour = (cell[0] + step_x, cell[1] + step_y)
                if not is_inside_the_field(neighbour):
                    continue
                price = cost + 1 + danger.get(neighbour, 0)
                if neighbour in buildings_by_cell:
                    price += 4 * buildings_by_cell[neighbour].remaining_strength / invader.strength_against_wood
                if price < cost_so_far.get(neighbour, 1e9):
                    cost_so_far[neighbour] = price
                    came_from[neighbour] = cell
                    heapq.heappush(frontier, (price, neighbour))
        path, cell = [], CASTLE_GATE
        while cell != invader.position:
            path.append(cell)
            cell = came_from[cell]
        return path[::-1], cost_so_far[CASTLE_GATE]

    def spend_gold_on_new_invaders(self, number_of_round, danger, buildings_by_cell):
        self.gold_of_the_computer_player += 14 + number_of_round
        while self.gold_of_the_computer_player >= 20 and len(self.living_invaders) < 16:
            is_brute = self.dice.random() < .35
            candidates = [InvaderOfTheComputerPlayer((0, row), 7 + number_of_round / 4 + 7 * is_brute, 1 if is_brute else 2, 3 if is_brute else 1)
                          for row in self.dice.sample(range(HEIGHT_OF_THE_FIELD), 6)]
            self.living_invaders.append(min(
                candidates, key=lambda one: self.search_the_least_dangerous_path(one, danger, buildings_by_cell)[1]))
            self.gold_of_the_computer_player -= 20

    def march_every_invader_towards_the_gate(self, buildings_by_cell, danger):
        arrivals = 0
        for invader in list(self.living_invaders):
            path, _ = self.search_the_least_dangerous_path(invader, danger, buildings_by_cell)
            for cell in path[:invader.cells_per_round]:
                if cell in buildings_by_cell:
                    buildings_by_cell[cell].remaining_strength -= invader.strength_against_wood
                    if buildings_by_cell[cell].remaining_strength <= 0:
                        del buildings_by_cell[cell]
                    break
                invader.position = cell
                if cell == CASTLE_GATE:
                    arrivals += 1
                    self.living_invaders.remove(invader)
                    break
        return arrivals


class ManagerOfAllManagers:
    number_of_choices = 14

    def __init__(self, seed):
        self.dice = random.Random(seed)

    def begin_a_new_siege(self):
        column_before = bookkeeper.turn_to_column(1)
        self.manager_of_buildings = ManagerOfBuildings()
        self.manager_of_invaders = ManagerOfInvaders(self.dice)
        self.cells_of_the_engineers = [(9, 2), (10, 5), (9, 8)]
        self.index_of_current_unit = 0
        self.gold, self.strength_of_the_gate, self.number_of_round = 120, 20, 0
        bookkeeper.turn_to_column(column_before)

    def collect_choices_and_mask_for_current_unit(self):
        column_before = bookkeeper.turn_to_column(4)
        here = self.cells_of_the_engineers[self.index_of_current_unit]
        buildings = self.manager_of_buildings.buildings_by_cell
        occupied = set(buildings) | {i.position for i in self.manager_of_invaders.living_invaders} | set(self.cells_of_the_engineers)
        choices, mask = [("wait", here)], [True]
        for kind, price in (("walk", 0), ("watchtower", PRICE_OF_A_WATCHTOWER), ("palisade", PRICE_OF_A_PALISADE)):
            for step_x, step_y in FOUR_DIRECTIONS:
                cell = (here[0] + step_x, here[1] + step_y)
                allowed = is_inside_the_field(cell) and cell not in occupied and cell != CASTLE_GATE and self.gold >= price
                if allowed and kind != "walk":
                    allowed = cell[0] > 1 and self.manager_of_buildings.does_a_road_to_the_gate_remain_if_this_cell_is_blocked(cell)
                choices.append((kind, cell))
                mask.append(allowed)
        damaged = [c for c in buildings if abs(c[0] - here[0]) + abs(c[1] - here[1]) <= 2 and buildings[c].remaining_strength < 4]
        choices.append(("repair", damaged[0] if damaged else here))
        mask.append(bool(damaged))
        bookkeeper.turn_to_column(column_before)
        return choices, np.array(mask)

    def carry_out_the_choice_of_the_current_unit(self, choice):
        column_before = bookkeeper.turn_to_column(2)
        kind, cell = choice
        arrivals, damage_dealt, the_round_is_over = 0, 0.0, False
        if kind == "walk":
            self.cells_of_the_engineers[self.index_of_current_unit] = cell
        elif kind == "repair":
            self.manager_of_buildings.buildings_by_cell[cell].remaining_strength += 2
        elif kind != "wait":
            self.gold -= PRICE_OF_A_WATCHTOWER if kind == "watchtower" else PRICE_OF_A_PALISADE
            self.manager_of_buildings.buildings_by_cell[cell] = BuildingOnTheField(kind == "watchtower", 5 if kind == "watchtower" else 4)
        self.index_of_current_unit += 1
        if self.index_of_current_unit == len(self.cells_of_the_engineers):
            self.index_of_current_unit = 0
            self.number_of_round += 1
            arrivals = self._let_the_computer_player_finish_its_round()
            damage_dealt = self.manager_of_buildings.let_every_tower_fire_at_whoever_is_in_reach(self.manager_of_invaders)
            self.gold += 10
            self.strength_of_the_gate -= arrivals
            the_round_is_over = True
        siege_is_over = self.strength_of_the_gate <= 0 or self.number_of_round >= 60
        bookkeeper.turn_to_column(6)
        reward = self.weigh_what_this_choice_was_worth(arrivals, damage_dealt, the_round_is_over)
        bookkeeper.turn_to_column(column_before)
        return reward, siege_is_over

    def _let_the_computer_player_finish_its_round(self):
        column_before = bookkeeper.turn_to_column(3)
        buildings = self.manager_of_buildings.buildings_by_cell
        danger = self.manager_of_invaders.draw_a_map_of_danger(buildings)
        self.manager_of_invaders.spend_gold_on_new_invaders(self.number_of_round, danger, buildings)
        arrivals = self.manager_of_invaders.march_every_invader_towards_the_gate(buildings, danger)
        bookkeeper.turn_to_column(column_before)
        return arrivals

    def weigh_what_this_choice_was_worth(self, arrivals, damage_dealt, the_round_is_over):
        closest_invader = max((i.position[0] for i in self.manager_of_invaders.living_invaders), default=0)
        return .04 * damage_dealt - .6 * arrivals + (.05 - .002 * closest_invader if the_round_is_over else 0.0)

    def describe_what_the_current_unit_can_see(self):
        column_before = bookkeeper.turn_to_column(5)
        here = self.cells_of_the_engineers[self.index_of_current_unit]
        buildings = self.manager_of_buildings.buildings_by_cell
        invaders_by_cell = {}
        for invader in self.manager_of_invaders.living_invaders:
            invaders_by_cell[invader.position] = invaders_by_cell.get(invader.position, 0) + invader.remaining_health / 20
        picture = np.zeros((5, 7, 9), np.float32)
        for row in range(7):
            for column in range(9):
                cell = (here[0] + column - 4, here[1] + row - 3)
                if not is_inside_the_field(cell):
                    picture[0, row, column] = 1
                elif cell in buildings:
                    picture[1 if buildings[cell].is_watchtower else 2, row, column] = buildings[cell].remaining_strength / 5
                picture[3, row, column] = invaders_by_cell.get(cell, 0)
                picture[4, row, column] = cell == CASTLE_GATE
        numbers = [here[0] / 15, here[1] / 11, self.gold / 100, self.strength_of_the_gate / 20, self.number_of_round / 60,
                   self.index_of_current_unit / 3, len(invaders_by_cell) / 10, len(buildings) / 20]
        description = np.concatenate([picture.ravel(), np.array(numbers, np.float32)])
        bookkeeper.turn_to_column(column_before)
        return description
