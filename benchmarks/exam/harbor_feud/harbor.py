"""Harbor feud: two crews of two boats, barrels adrift, cannons. Everything is a dict by sailor's name."""
import numpy as np

from bell import bell

WIDE, TALL, RIM = 15, 11, 3
TEAMS = {"port": ("port_ann", "port_bo"), "star": ("star_cy", "star_dee")}
SAILORS = TEAMS["port"] + TEAMS["star"]
TEAM_OF = {s: t for t, ss in TEAMS.items() for s in ss}
MATE = {"port_ann": "port_bo", "port_bo": "port_ann", "star_cy": "star_dee", "star_dee": "star_cy"}
RIVAL = {"port": "star", "star": "port"}
HEADINGS = {1: (0, -1), 2: (1, 0), 3: (0, 1), 4: (-1, 0)}
HOLD, FIRE, HOOK = 0, 5, 6
N_ORDERS = 7
LAYERS = 6
OBS_LEN = LAYERS * 49 + 14
LONGEST = 120


class Harbor:
    def __init__(self, seed=0):
        self.rng = np.random.default_rng(seed)

    def muster(self, seed=None):
        if seed is not None:
            self.rng = np.random.default_rng(seed)
        g = self.rng
        while True:
            reef = np.zeros((TALL, WIDE), bool)
            for _ in range(9):
                y, x = int(g.integers(1, TALL - 1)), int(g.integers(3, WIDE - 3))
                reef[y, x] = True
                if g.random() < 0.5:
                    reef[min(TALL - 1, y + 1), x] = True
            if self._sailable(reef):
                break
        self.reef = reef
        self.docks = {"port": (0, TALL // 2), "star": (WIDE - 1, TALL // 2)}
        self.boats = {}
        for k, s in enumerate(SAILORS):
            side = 1 if TEAM_OF[s] == "port" else WIDE - 2
            self.boats[s] = {"x": side, "y": 3 + 4 * (k % 2), "face": 2 if side == 1 else 4,
                             "keg": False, "soaked": 0, "powder": 0}
        self.kegs = set()
        for _ in range(7):
            self._drift_in()
        self.hour = 0
        self.score = {"port": 0, "star": 0}
        self.wind = int(g.integers(1, 5))
        self.deeds = {s: [] for s in SAILORS}
        return self.spyglass(), self.rulebook()

    def _sailable(self, reef):
        seen = np.zeros_like(reef)
        todo = [(1, TALL // 2)]
        seen[TALL // 2, 1] = True
        if reef[TALL // 2, 1]:
            return False
        while todo:
            x, y = todo.pop()
            for dx, dy in HEADINGS.values():
                u, v = x + dx, y + dy
                if 0 <= u < WIDE and 0 <= v < TALL and not seen[v, u] and not reef[v, u]:
                    seen[v, u] = True
                    todo.append((u, v))
        return bool(seen[~reef].all())

    def _drift_in(self):
        for _ in range(30):
            x, y = int(self.rng.integers(3, WIDE - 3)), int(self.rng.integers(0, TALL))
            if not self.reef[y, x] and (x, y) not in self.kegs:
                self.kegs.add((x, y))
                return

    def _open_water(self, x, y):
        return 0 <= x < WIDE and 0 <= y < TALL and not self.reef[y, x]

    # orders: {sailor: int}
    def tick(self, orders):
        self.hour += 1
        self.deeds = {s: [] for s in SAILORS}
        line_up = list(SAILORS)
        self.rng.shuffle(line_up)
        spots = {(b["x"], b["y"]): s for s, b in self.boats.items()}
        for s in line_up:
            b, what = self.boats[s], orders[s]
            if b["powder"]:
                b["powder"] -= 1
            if b["soaked"]:
                b["soaked"] -= 1
                continue
            if what in HEADINGS:
                b["face"] = what
                hops = 2 if what == self.wind and self.rng.random() < 0.3 else 1
                for _ in range(hops):
                    dx, dy = HEADINGS[what]
                    u, v = b["x"] + dx, b["y"] + dy
                    if not self._open_water(u, v) or (u, v) in spots:
                        self.deeds[s].append("scrape")
                        break
                    del spots[(b["x"], b["y"])]
                    b["x"], b["y"] = u, v
                    spots[(u, v)] = s
            elif what == FIRE and not b["powder"]:
                b["powder"] = 4
                dx, dy = HEADINGS[b["face"]]
                u, v = b["x"], b["y"]
                for _ in range(4):
                    u, v = u + dx, v + dy
                    if not self._open_water(u, v):
                        break
                    hit = spots.get((u, v))
                    if hit is not None:
                        if TEAM_OF[hit] != TEAM_OF[s]:
                            self.boats[hit]["soaked"] = 3
                            self.deeds[s].append("hit")
                            self.deeds[hit].append("ouch")
                            if self.boats[hit]["keg"]:
                                self.boats[hit]["keg"] = False
                                self.kegs.add((u, v))
                        break
            elif what == HOOK:
                here = (b["x"], b["y"])
                if not b["keg"] and here in self.kegs:
                    self.kegs.discard(here)
                    b["keg"] = True
                    self.deeds[s].append("hook")
                elif b["keg"]:
                    d = self.docks[TEAM_OF[s]]
                    if abs(here[0] - d[0]) + abs(here[1] - d[1]) <= 1:
                        b["keg"] = False
                        self.score[TEAM_OF[s]] += 1
                        self.deeds[s].append("landed")
        if self.hour % 7 == 0:
            self.wind = int(self.rng.integers(1, 5))
        while len(self.kegs) + sum(b["keg"] for b in self.boats.values()) < 6:
            self._drift_in()
        over = self.hour >= LONGEST or max(self.score.values()) >= 5
        spoils = self.share_out(over)
        return self.spyglass(), spoils, over, self.rulebook()

    def _nearest_keg(self, b):
        return min((abs(x - b["x"]) + abs(y - b["y"]) for x, y in self.kegs), default=12)

    def share_out(self, over):
        with bell("env.reward"):
            pay = {}
            for s in SAILORS:
                b, d = self.boats[s], self.deeds[s]
                r = -0.005 + 0.4 * d.count("hook") + 2.0 * d.count("landed")
                r += 0.25 * d.count("hit") - 0.25 * d.count("ouch") - 0.02 * d.count("scrape")
                dock = self.docks[TEAM_OF[s]]
                gap = abs(b["x"] - dock[0]) + abs(b["y"] - dock[1]) if b["keg"] else self._nearest_keg(b)
                far = b.get("gap", gap)
                if b.get("had") == b["keg"]:
                    r += 0.03 * (far - gap)
                b["gap"], b["had"] = gap, b["keg"]
                pay[s] = r
            shared = {s: 0.75 * pay[s] + 0.25 * pay[MATE[s]] for s in SAILORS}
            if over:
                lead = self.score["port"] - self.score["star"]
                for s in SAILORS:
                    shared[s] += (lead > 0) - (lead < 0) if TEAM_OF[s] == "port" else (lead < 0) - (lead > 0)
            return shared

    def rulebook(self):
        with bell("env.mask"):
            may = {}
            for s in SAILORS:
                b = self.boats[s]
                m = np.zeros(N_ORDERS, bool)
                m[HOLD] = True
                if not b["soaked"]:
                    for k, (dx, dy) in HEADINGS.items():
                        m[k] = self._open_water(b["x"] + dx, b["y"] + dy)
                    m[FIRE] = not b["powder"]
                    dock = self.docks[TEAM_OF[s]]
                    m[HOOK] = (not b["keg"] and (b["x"], b["y"]) in self.kegs) or \
                        (b["keg"] and abs(b["x"] - dock[0]) + abs(b["y"] - dock[1]) <= 1)
                may[s] = m
            return may

    def spyglass(self):
        with bell("env.observe"):
            chart = np.zeros((4, TALL + 2 * RIM, WIDE + 2 * RIM), np.float32)
            chart[0] = 1.0
            chart[0, RIM:-RIM, RIM:-RIM] = self.reef
            for x, y in self.kegs:
                chart[1, y + RIM, x + RIM] = 1.0
            for s, b in self.boats.items():
                lay = 2 if TEAM_OF[s] == "port" else 3
                chart[lay, b["y"] + RIM, b["x"] + RIM] = 1.0 + 0.5 * b["keg"] - 0.2 * b["soaked"]
            views = {}
            for s, b in self.boats.items():
                me, t = b, TEAM_OF[s]
                o = np.zeros(OBS_LEN, np.float32)
                x, y = me["x"], me["y"]
                cut = chart[:, y:y + 2 * RIM + 1, x:x + 2 * RIM + 1]
                if t == "star":
                    cut = cut[[0, 1, 3, 2]]
                o[:4 * 49] = cut.ravel()
                # lines of fire of everybody else, mine apart
                lanes = o[4 * 49:6 * 49].reshape(2, 7, 7)
                for s2, b2 in self.boats.items():
                    dx, dy = HEADINGS[b2["face"]]
                    u, v = b2["x"] - x + RIM, b2["y"] - y + RIM
                    lane = lanes[0] if TEAM_OF[s2] == t else lanes[1]
                    for _ in range(4):
                        u, v = u + dx, v + dy
                        if 0 <= u < 7 and 0 <= v < 7:
                            lane[v, u] = 1.0 if not b2["powder"] else 0.4
                dock, mate = self.docks[t], self.boats[MATE[s]]
                k = LAYERS * 49
                nk = min(self.kegs, key=lambda q: abs(q[0] - x) + abs(q[1] - y), default=(x, y))
                o[k:] = (me["keg"], me["soaked"] / 3, me["powder"] / 4, (dock[0] - x) / WIDE, (dock[1] - y) / TALL,
                         (nk[0] - x) / WIDE, (nk[1] - y) / TALL, (mate["x"] - x) / WIDE, (mate["y"] - y) / TALL,
                         mate["keg"], self.wind == 1 or self.wind == 3, me["face"] / 4, self.hour / LONGEST,
                         (self.score[t] - self.score[RIVAL[t]]) / 5)
                views[s] = o
            return views
