import random
VIEW, ORDERS = 36, 6
N = 14


class Valley:
    NAMES = ("ash", "birch", "cedar")

    def __init__(self, seed):
        self.rnd = random.Random(seed)

    def found(self):
        self.food = [[self.rnd.random() for _ in range(N)] for _ in range(N)]
        self.at = {n: [self.rnd.randrange(N), self.rnd.randrange(N)] for n in self.NAMES}
        self.people = dict.fromkeys(self.NAMES, 10.0)
        self.t = 0
        return {n: self.look(n) for n in self.NAMES}

    def look(self, n):
        x, y = self.at[n]
        near = [self.food[(x + i) % N][(y + j) % N] for i in range(-2, 3) for j in range(-2, 3)]
        rest = [self.people[m] / 20 for m in self.NAMES] + [(self.at[m][0] - x) / N for m in self.NAMES] + [(self.at[m][1] - y) / N for m in self.NAMES]
        return near + rest + [self.t / 100, 1.0]

    def may(self):
        out = {}
        for n in self.NAMES:
            x, y = self.at[n]
            free = []
            for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                q = [(x + dx) % N, (y + dy) % N]
                crowd = sum(abs(q[0] - p[0]) + abs(q[1] - p[1]) < 1 for m, p in self.at.items() if m != n)
                reach = sum(self.food[(q[0] + i) % N][(q[1] + j) % N] > .1 for i in range(-3, 4) for j in range(-3, 4))
                free.append(crowd == 0 and reach >= 0)
            out[n] = free + [True, self.people[n] > 5]
        return out

    def season(self):
        f = self.food
        for i in range(N):
            for j in range(N):
                f[i][j] = min(1.0, f[i][j] * 1.01 + .002 * (f[i - 1][j] + f[i][j - 1]))

    def year(self, orders):
        gains = {}
        for n, k in orders.items():
            x, y = self.at[n]
            if k < 4:
                dx, dy = ((1, 0), (-1, 0), (0, 1), (0, -1))[k]
                self.at[n] = [(x + dx) % N, (y + dy) % N]
            elif k == 4:
                got = self.food[x][y]
                self.food[x][y] = 0
                self.people[n] += got
                gains[n] = got
            else:
                self.people[n] -= 1
                gains[n] = -.1
            self.people[n] *= .985
        self.season()
        self.t += 1
        over = self.t >= 120 or min(self.people.values()) < 1
        return {n: self.look(n) for n in self.NAMES}, gains, {"all": over, **{n: self.people[n] < 1 for n in self.NAMES}}
