"""Terrain generation and geometric helpers for the city map."""
import random

GRASS, WATER, HILL = 0, 1, 2

EMPTY = 0
ROAD = 1
RESIDENTIAL = 2
COMMERCIAL = 3
INDUSTRIAL = 4
PARK = 5
POWER_PLANT = 6
POLICE = 7

BUILDING_NAMES = ["empty", "road", "residential", "commercial", "industrial", "park", "power plant", "police"]
BUILDING_COST = {ROAD: 8, RESIDENTIAL: 30, COMMERCIAL: 40, INDUSTRIAL: 50, PARK: 20, POWER_PLANT: 220, POLICE: 110}
MONTHLY_UPKEEP = {EMPTY: 0, ROAD: 0.2, RESIDENTIAL: 0.3, COMMERCIAL: 0.4, INDUSTRIAL: 0.6, PARK: 0.8, POWER_PLANT: 9, POLICE: 6}


def generate_terrain(width, height, water_fraction, hill_fraction, rng: random.Random):
    """A few random walks of water (a river) and hills."""
    terrain = [[GRASS] * width for _ in range(height)]
    for kind, fraction in ((WATER, water_fraction), (HILL, hill_fraction)):
        wanted = int(width * height * fraction)
        x, y = rng.randrange(width), rng.randrange(height)
        placed = 0
        attempts = 0
        while placed < wanted and attempts < 10 * wanted:
            attempts += 1
            if terrain[y][x] == GRASS:
                terrain[y][x] = kind
                placed += 1
            dx, dy = rng.choice(((1, 0), (-1, 0), (0, 1), (0, -1)))
            x = min(width - 1, max(0, x + dx))
            y = min(height - 1, max(0, y + dy))
    return terrain


def neighbours(x, y, width, height):
    if x > 0:
        yield x - 1, y
    if x < width - 1:
        yield x + 1, y
    if y > 0:
        yield x, y - 1
    if y < height - 1:
        yield x, y + 1


def flood_fill(start_cells, passable, width, height, limit=10 ** 9):
    """Breadth first distances from start_cells over passable cells."""
    distance = {cell: 0 for cell in start_cells}
    frontier = list(start_cells)
    while frontier:
        next_frontier = []
        for x, y in frontier:
            d = distance[(x, y)] + 1
            if d > limit:
                continue
            for cell in neighbours(x, y, width, height):
                if cell not in distance and passable(cell):
                    distance[cell] = d
                    next_frontier.append(cell)
        frontier = next_frontier
    return distance
