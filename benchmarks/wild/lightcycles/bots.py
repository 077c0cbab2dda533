from collections import deque

COMPASS_STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0))


class BotThatPrefersOpenSpace:
    """Flood-fills from every possible next cell and takes the roomiest one."""

    def __init__(self, how_many_cells_to_count):
        self.how_many_cells_to_count = how_many_cells_to_count

    def count_reachable_cells(self, walls, start_x, start_y):
        already_seen = {(start_x, start_y)}
        cells_to_visit = deque(already_seen)
        while cells_to_visit and len(already_seen) < self.how_many_cells_to_count:
            x, y = cells_to_visit.popleft()
            for step_x, step_y in COMPASS_STEPS:
                neighbour = (x + step_x, y + step_y)
                if neighbour not in already_seen and not walls[neighbour[1]][neighbour[0]]:
                    already_seen.add(neighbour)
                    cells_to_visit.append(neighbour)
        return len(already_seen)

    def select_action(self, arena, cycle):
        best_score, best_turn = -1.0, 0
        for turn in (0, -1, 1):
            step_x, step_y = COMPASS_STEPS[(cycle.heading + turn) % 4]
            x, y = cycle.x + step_x, cycle.y + step_y
            if arena.walls[y][x]:
                continue
            score = self.count_reachable_cells(arena.walls, x, y) + (0.5 if turn == 0 else 0.0)
            if score > best_score:
                best_score, best_turn = score, turn
        return best_turn


class BotThatHugsWalls:
    def select_action(self, arena, cycle):
        best_score, best_turn = -1, 0
        for turn in (0, -1, 1):
            step_x, step_y = COMPASS_STEPS[(cycle.heading + turn) % 4]
            x, y = cycle.x + step_x, cycle.y + step_y
            if arena.walls[y][x]:
                continue
            touching = sum(1 for sx, sy in COMPASS_STEPS if arena.walls[y + sy][x + sx])
            score = 10 + touching if touching < 4 else 0
            if score > best_score:
                best_score, best_turn = score, turn
        return best_turn


class BotThatHuntsThePlayer:
    """Claims as many cells as possible that it reaches before the player does."""

    def cells_i_reach_first(self, walls, my_start, player_start):
        owner = {my_start: 0, player_start: 1}
        frontier = deque([my_start, player_start])
        balance = 0
        while frontier:
            x, y = frontier.popleft()
            who = owner[x, y]
            balance += 1 if who == 0 else -1
            for step_x, step_y in COMPASS_STEPS:
                neighbour = (x + step_x, y + step_y)
                if neighbour not in owner and not walls[neighbour[1]][neighbour[0]]:
                    owner[neighbour] = who
                    frontier.append(neighbour)
        return balance

    def select_action(self, arena, cycle):
        player = arena.cycles[0]
        best_score, best_turn = -10 ** 6, 0
        for turn in (0, -1, 1):
            step_x, step_y = COMPASS_STEPS[(cycle.heading + turn) % 4]
            x, y = cycle.x + step_x, cycle.y + step_y
            if arena.walls[y][x]:
                continue
            score = self.cells_i_reach_first(arena.walls, (x, y), (player.x, player.y))
            if score > best_score:
                best_score, best_turn = score, turn
        return best_turn
