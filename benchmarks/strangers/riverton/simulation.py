"""The city itself: what the mayor (agent) sees and does."""
import random

import numpy as np

import economy
from stopwatch import measured
from terrain import (BUILDING_COST, COMMERCIAL, EMPTY, GRASS, INDUSTRIAL, PARK, POLICE, POWER_PLANT, RESIDENTIAL, ROAD, WATER,
                     generate_terrain, neighbours)

BUILDABLE = [ROAD, RESIDENTIAL, COMMERCIAL, INDUSTRIAL, PARK, POWER_PLANT, POLICE]
# The mayor chooses WHAT to build (or nothing, or taxes); the city's planning office finds the best place for it.
DO_NOTHING, RAISE_TAXES, LOWER_TAXES = 7, 8, 9
NUMBER_OF_ACTIONS = 10
OBSERVATION_PLANES = 8


class City:
    def __init__(self, configuration, seed):
        self.configuration = configuration
        self.rng = random.Random(seed)

    @measured("env.reset")
    def found_new_city(self):
        configuration = self.configuration
        self.width, self.height = configuration.width, configuration.height
        self.terrain = generate_terrain(self.width, self.height, configuration.water_fraction, configuration.hill_fraction, self.rng)
        self.buildings = [[EMPTY] * self.width for _ in range(self.height)]
        self.population = [[0.0] * self.width for _ in range(self.height)]
        self.ledger = economy.Ledger(configuration.starting_money)
        self.tax_rate = configuration.base_tax_rate
        self.month = 0
        self.total_population = 0.0
        self.happiness = 0.5
        self.job_balance = 0.0
        self.crime = 0.0
        self.pollution = economy.compute_pollution(self.buildings, self.width, self.height)
        self.land_value = economy.compute_land_value(self.terrain, self.buildings, self.pollution, self.width, self.height)
        self.first_road()

    def first_road(self):
        y = self.height // 2
        for x in range(self.width // 2 - 2, self.width // 2 + 2):
            if self.terrain[y][x] != WATER:
                self.buildings[y][x] = ROAD

    # ------------------------------------------------------------------ actions
    @measured("env.step")
    def advance_month(self, action):
        """Do the mayor's action, then let a month pass. Returns (reward, game_over)."""
        population_before = self.total_population
        happiness_before = self.happiness
        if action < len(BUILDABLE):
            self.build(BUILDABLE[action])
        elif action == RAISE_TAXES:
            self.tax_rate = min(0.2, self.tax_rate + 0.01)
        elif action == LOWER_TAXES:
            self.tax_rate = max(0.02, self.tax_rate - 0.01)
        self.simulate_month()
        self.month += 1
        bankrupt = self.ledger.money < -100
        game_over = bankrupt or self.month >= self.configuration.months_per_game
        reward = self.compute_reward(population_before, happiness_before, bankrupt)
        return reward, game_over

    def compute_reward(self, population_before, happiness_before, bankrupt):
        reward = 0.05 * (self.total_population - population_before) + 0.5 * (self.happiness - happiness_before)
        if bankrupt:
            reward -= 2.0
        return reward

    def build(self, kind):
        best_place, best_score = None, -1e9
        for y in range(self.height):
            for x in range(self.width):
                if self.buildings[y][x] != EMPTY or self.terrain[y][x] == WATER:
                    continue
                score = self.score_of_place(x, y, kind)
                if score > best_score:
                    best_place, best_score = (x, y), score
        if best_place is None:
            return
        x, y = best_place
        cost = BUILDING_COST[kind] * (1.5 if self.terrain[y][x] != GRASS else 1.0)
        if cost <= self.ledger.money:
            self.ledger.money -= cost
            self.buildings[y][x] = kind

    def score_of_place(self, x, y, kind):
        score = self.rng.random() * 0.2
        roads = built = 0
        for nx, ny in neighbours(x, y, self.width, self.height):
            neighbour = self.buildings[ny][nx]
            if neighbour == ROAD:
                roads += 1
            elif neighbour != EMPTY:
                built += 1
        if kind == ROAD:
            score += 1.0 if roads == 1 else -0.5 * roads
            score -= 0.3 * built
        else:
            score += 2.0 if roads else -1.0
            score += 0.2 * built
            if kind == RESIDENTIAL:
                score += self.land_value[y][x]
            elif kind == INDUSTRIAL or kind == POWER_PLANT:
                score -= self.land_value[y][x]
            elif kind == POLICE or kind == PARK:
                score += 0.1 * self.population_around(x, y)
        return score

    def population_around(self, x, y, radius=2):
        total = 0.0
        for yy in range(max(0, y - radius), min(self.height, y + radius + 1)):
            total += sum(self.population[yy][max(0, x - radius):x + radius + 1])
        return total

    # ------------------------------------------------------------------ the month
    def simulate_month(self):
        width, height = self.width, self.height
        powered, capacity = economy.compute_power_network(self.buildings, width, height)
        self.pollution = economy.compute_pollution(self.buildings, width, height)
        self.land_value = economy.compute_land_value(self.terrain, self.buildings, self.pollution, width, height)
        shops, factories = economy.count_jobs(self.buildings, powered, width, height)
        workplaces = 6.0 * shops + 9.0 * factories
        self.job_balance = (workplaces - 0.6 * self.total_population) / (10.0 + self.total_population)
        self.total_population = economy.grow_population(self.buildings, self.population, powered, capacity, self.land_value,
                                                        self.job_balance, self.tax_rate, width, height)
        self.crime = economy.compute_crime(self.buildings, self.population, width, height)
        income = self.total_population * self.tax_rate * 4 + min(workplaces, self.total_population) * 0.35
        self.ledger.close_month(income, economy.monthly_expenses(self.buildings))
        self.happiness = max(0.0, min(1.0, 0.6 + 0.4 * self.job_balance - 2.0 * (self.tax_rate - 0.09)
                                      - self.crime / (20.0 + self.total_population)))
        if self.rng.random() < 0.01:
            self.fire()

    def fire(self):
        x, y = self.rng.randrange(self.width), self.rng.randrange(self.height)
        if self.buildings[y][x] not in (EMPTY, ROAD):
            self.buildings[y][x] = EMPTY

    # ------------------------------------------------------------------ views
    @measured("env.observe")
    def describe(self):
        planes = np.zeros((OBSERVATION_PLANES, self.height, self.width), dtype=np.float32)
        buildings = np.array(self.buildings)
        planes[0] = np.array(self.terrain) == WATER
        planes[1] = buildings == ROAD
        planes[2] = buildings == RESIDENTIAL
        planes[3] = (buildings == COMMERCIAL) | (buildings == INDUSTRIAL)
        planes[4] = buildings == POWER_PLANT
        planes[5] = np.array(self.population) / 12.0
        planes[6] = np.array(self.pollution) / 3.0
        planes[7] = np.array(self.land_value) / 3.0
        numbers = np.array([self.ledger.money / 1000.0, self.tax_rate * 5, self.happiness, self.job_balance, self.crime / 20.0,
                            self.total_population / 200.0, self.month / self.configuration.months_per_game], dtype=np.float32)
        return planes, numbers

    @measured("env.mask")
    def affordable_actions(self):
        mask = np.ones(NUMBER_OF_ACTIONS, dtype=bool)
        for index, kind in enumerate(BUILDABLE):
            if BUILDING_COST[kind] > self.ledger.money:
                mask[index] = False
        if self.tax_rate >= 0.2:
            mask[RAISE_TAXES] = False
        if self.tax_rate <= 0.02:
            mask[LOWER_TAXES] = False
        return mask
