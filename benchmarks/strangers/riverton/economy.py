"""Money, people and jobs. Called once per month by the simulation."""
from terrain import (EMPTY, ROAD, RESIDENTIAL, COMMERCIAL, INDUSTRIAL, PARK, POWER_PLANT, POLICE,
                     MONTHLY_UPKEEP, neighbours, flood_fill)


class Ledger:
    def __init__(self, money):
        self.money = money
        self.income = 0.0
        self.expenses = 0.0

    def close_month(self, income, expenses):
        self.income = income
        self.expenses = expenses
        self.money += income - expenses


def compute_power_network(buildings, width, height):
    plants = [(x, y) for y in range(height) for x in range(width) if buildings[y][x] == POWER_PLANT]
    if not plants:
        return {}, 0
    reached = flood_fill(plants, lambda c: buildings[c[1]][c[0]] != EMPTY, width, height)
    return reached, 25 * len(plants)


def compute_pollution(buildings, width, height):
    pollution = [[0.0] * width for _ in range(height)]
    for y in range(height):
        for x in range(width):
            kind = buildings[y][x]
            if kind == INDUSTRIAL:
                strength = 1.0
            elif kind == POWER_PLANT:
                strength = 1.4
            elif kind == PARK:
                strength = -0.8
            else:
                continue
            for yy in range(max(0, y - 2), min(height, y + 3)):
                row = pollution[yy]
                for xx in range(max(0, x - 2), min(width, x + 3)):
                    row[xx] += strength / (1 + abs(xx - x) + abs(yy - y))
    return pollution


def compute_land_value(terrain, buildings, pollution, width, height):
    value = [[1.0] * width for _ in range(height)]
    for y in range(height):
        for x in range(width):
            v = 1.0 - 0.35 * pollution[y][x]
            for nx, ny in neighbours(x, y, width, height):
                if terrain[ny][nx] == 1:
                    v += 0.25
                if buildings[ny][nx] == PARK:
                    v += 0.3
                elif buildings[ny][nx] == ROAD:
                    v += 0.1
            value[y][x] = max(0.1, min(3.0, v))
    return value


def compute_crime(buildings, population, width, height):
    stations = [(x, y) for y in range(height) for x in range(width) if buildings[y][x] == POLICE]
    crime = 0.0
    for y in range(height):
        for x in range(width):
            inhabitants = population[y][x]
            if inhabitants <= 0:
                continue
            protection = 0.0
            for sx, sy in stations:
                distance = abs(sx - x) + abs(sy - y)
                if distance < 6:
                    protection += 1.0 - distance / 6
            crime += inhabitants * 0.04 / (1 + 2 * protection)
    return crime


def grow_population(buildings, population, powered, capacity, land_value, jobs, tax_rate, width, height):
    """Returns total population after moving in and out."""
    total = 0.0
    used = 0
    mood = jobs - 6.0 * max(0.0, tax_rate - 0.09)
    for y in range(height):
        for x in range(width):
            if buildings[y][x] != RESIDENTIAL:
                population[y][x] = 0.0
                continue
            has_road = False
            for nx, ny in neighbours(x, y, width, height):
                if buildings[ny][nx] == ROAD:
                    has_road = True
                    break
            has_power = (x, y) in powered and used < capacity
            used += 1
            ceiling = (12.0 if has_power else 3.0) * land_value[y][x] if has_road else 1.0
            target = ceiling * max(0.1, min(1.3, 0.5 + mood))
            population[y][x] += 0.2 * (target - population[y][x])
            total += population[y][x]
    return total


def count_jobs(buildings, powered, width, height):
    shops = factories = 0.0
    for y in range(height):
        for x in range(width):
            kind = buildings[y][x]
            if kind == COMMERCIAL:
                shops += 1.0 if (x, y) in powered else 0.3
            elif kind == INDUSTRIAL:
                factories += 1.0 if (x, y) in powered else 0.2
    return shops, factories


def monthly_expenses(buildings):
    return sum(MONTHLY_UPKEEP[kind] for row in buildings for kind in row)
