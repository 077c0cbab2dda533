import random
from dataclasses import dataclass

from bots import COMPASS_STEPS, BotThatHugsWalls, BotThatHuntsThePlayer, BotThatPrefersOpenSpace

ARENA_SIDE = 22
WINDOW_RADIUS = 4
OBSERVATION_LENGTH = (2 * WINDOW_RADIUS + 1) ** 2 + 3 * 3 + 3 * 4 + 3


@dataclass
class LightCycle:
    x: int
    y: int
    heading: int
    is_running: bool = True


class LightCycleArena:
    def __init__(self, seed, timesheet):
        self.random_numbers = random.Random(seed)
        self.timesheet = timesheet
        self.bots = [BotThatPrefersOpenSpace(70), BotThatHugsWalls(), BotThatHuntsThePlayer()]

    def start_new_match(self):
        side = ARENA_SIDE
        self.walls = [[x in (0, side + 1) or y in (0, side + 1) for x in range(side + 2)] for y in range(side + 2)]
        corners = [(4, 4, 1), (side - 3, 4, 2), (side - 3, side - 3, 3), (4, side - 3, 0)]
        self.random_numbers.shuffle(corners)
        self.cycles = [LightCycle(x + self.random_numbers.randint(-2, 2), y + self.random_numbers.randint(-2, 2), h) for x, y, h in corners]
        for cycle in self.cycles:
            self.walls[cycle.y][cycle.x] = True
        self.ticks_so_far = 0

    def drive_one_cell(self, cycle, turn):
        cycle.heading = (cycle.heading + turn) % 4
        step_x, step_y = COMPASS_STEPS[cycle.heading]
        if self.walls[cycle.y + step_y][cycle.x + step_x]:
            cycle.is_running = False
        else:
            cycle.x, cycle.y = cycle.x + step_x, cycle.y + step_y
            self.walls[cycle.y][cycle.x] = True

    def advance_one_tick(self, turn_of_the_player):
        self.timesheet.clock_in("tick")
        self.ticks_so_far += 1
        bots_running_before = sum(c.is_running for c in self.cycles[1:])
        self.drive_one_cell(self.cycles[0], turn_of_the_player)
        for cycle, bot in zip(self.cycles[1:], self.bots):
            if cycle.is_running:
                self.timesheet.clock_in("bots")
                turn = bot.select_action(self, cycle)
                self.timesheet.clock_out()
                self.drive_one_cell(cycle, turn)
        bots_running_now = sum(c.is_running for c in self.cycles[1:])
        reward = 0.02 + 0.3 * (bots_running_before - bots_running_now)
        player_crashed = not self.cycles[0].is_running
        if player_crashed:
            reward -= 1.0
        elif bots_running_now == 0:
            reward += 1.0
        self.timesheet.clock_out()
        return reward, player_crashed or bots_running_now == 0

    def distance_to_wall(self, x, y, heading):
        step_x, step_y = COMPASS_STEPS[heading % 4]
        distance = 0
        while not self.walls[y + step_y][x + step_x]:
            x, y, distance = x + step_x, y + step_y, distance + 1
        return distance

    def describe_what_the_player_sees(self):
        player = self.cycles[0]
        forward_x, forward_y = COMPASS_STEPS[player.heading]
        numbers = []
        for ahead in range(-WINDOW_RADIUS, WINDOW_RADIUS + 1):
            for sideways in range(-WINDOW_RADIUS, WINDOW_RADIUS + 1):
                x = player.x + ahead * forward_x - sideways * forward_y
                y = player.y + ahead * forward_y + sideways * forward_x
                outside = not (0 <= x <= ARENA_SIDE + 1 and 0 <= y <= ARENA_SIDE + 1)
                numbers.append(1.0 if outside or self.walls[y][x] else 0.0)
        for turn in (-1, 0, 1):
            straight = self.distance_to_wall(player.x, player.y, player.heading + turn)
            step_x, step_y = COMPASS_STEPS[(player.heading + turn) % 4]
            far_x, far_y = player.x + straight * step_x, player.y + straight * step_y
            numbers += [straight / ARENA_SIDE, self.distance_to_wall(far_x, far_y, player.heading + turn + 1) / ARENA_SIDE,
                        self.distance_to_wall(far_x, far_y, player.heading + turn - 1) / ARENA_SIDE]
        for bot_cycle in self.cycles[1:]:
            gap_x, gap_y = bot_cycle.x - player.x, bot_cycle.y - player.y
            numbers += [float(bot_cycle.is_running), (gap_x * forward_x + gap_y * forward_y) / ARENA_SIDE,
                        (gap_y * forward_x - gap_x * forward_y) / ARENA_SIDE, float((bot_cycle.heading - player.heading) % 4) / 3]
        numbers += [player.x / ARENA_SIDE, player.y / ARENA_SIDE, self.ticks_so_far / 150]
        return numbers
