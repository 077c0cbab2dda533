"""
field.py - tanti serpenti su tanti campi, tutti in tensori torch.

La griglia di ogni campo ha un bordo largo VIEW//2, cosi' la finestra attorno
alla testa si ritaglia senza padding. Valori della griglia:
     0  libero
    >0  corpo (quanti turni restano prima che la coda lasci la cella)
    -1  muro / sasso
Le azioni sono relative: 0 = sinistra, 1 = dritto, 2 = destra.
"""
import random
import time

import torch

# su, destra, giu', sinistra
DY = torch.tensor([-1, 0, 1, 0])
DX = torch.tensor([0, 1, 0, -1])
DIRS = [(-1, 0), (0, 1), (1, 0), (0, -1)]

VIEW = 9
R = VIEW // 2
EXTRA = 7


class SnakeField:
    n_actions = 3

    def __init__(self, n=160, size=12, rocks=5, hop=0.12, patience=90, seed=0, clock=None):
        self.n = n
        self.size = size
        self.rocks = rocks
        self.hop = hop              # probabilita' che la rana (il cibo) salti
        self.patience = patience
        self.rng = random.Random(seed)
        self.clock = clock if clock is not None else {}
        for k in ("env.reset", "env.step", "env.observe"):
            self.clock.setdefault(k, 0.0)

        side = size + 2 * R
        self.ids = torch.arange(n)
        self.grid = torch.full((n, side, side), -1, dtype=torch.int16)
        self.hy = torch.zeros(n, dtype=torch.long)
        self.hx = torch.zeros(n, dtype=torch.long)
        self.facing = torch.zeros(n, dtype=torch.long)
        self.length = torch.zeros(n, dtype=torch.long)
        self.hunger = torch.zeros(n, dtype=torch.long)
        self.fy = torch.zeros(n, dtype=torch.long)
        self.fx = torch.zeros(n, dtype=torch.long)
        self.eaten = torch.zeros(n, dtype=torch.long)
        self.crop = torch.zeros((n, VIEW, VIEW), dtype=torch.int16)
        self.obs_size = 3 * VIEW * VIEW + EXTRA

        self.episodes = 0
        self.finished_scores = []   # punteggi degli ultimi serpenti morti

    # ------------------------------------------------------------------ reset
    def reset_all(self):
        for i in range(self.n):
            self._new_board(i)
        return self.look()

    def _new_board(self, i):
        """campo nuovo per il tavolo i: sassi, serpente lungo 3, una rana"""
        s, rng = self.size, self.rng
        g = self.grid[i]
        g[R:R + s, R:R + s] = 0
        for _ in range(self.rocks):
            # i sassi stanno lontano dal bordo, altrimenti fanno vicoli ciechi
            y = R + rng.randrange(1, s - 1)
            x = R + rng.randrange(1, s - 1)
            g[y, x] = -1

        while True:
            y = R + rng.randrange(3, s - 3)
            x = R + rng.randrange(3, s - 3)
            d = rng.randrange(4)
            dy, dx = DIRS[d]
            cells = [(y - k * dy, x - k * dx) for k in range(3)]
            ahead = (y + dy, x + dx)
            if all(g[c].item() == 0 for c in cells) and g[ahead].item() == 0:
                break
        for k, c in enumerate(cells):
            g[c] = 3 - k
        self.hy[i], self.hx[i] = y, x
        self.facing[i] = d
        self.length[i] = 3
        self.hunger[i] = 0
        self.eaten[i] = 0
        self._drop_frog(i)

    def _drop_frog(self, i):
        s = self.size
        free = (self.grid[i, R:R + s, R:R + s] == 0).nonzero()
        if len(free) == 0:          # campo pieno: mai visto, ma insomma
            return
        y, x = free[self.rng.randrange(len(free))].tolist()
        self.fy[i] = y + R
        self.fx[i] = x + R

    # ------------------------------------------------------------------- step
    def step(self, action):
        t = time.perf_counter()
        ids = self.ids
        self.facing = (self.facing + action - 1) % 4
        old_dist = (self.hy - self.fy).abs() + (self.hx - self.fx).abs()
        ny = self.hy + DY[self.facing]
        nx = self.hx + DX[self.facing]
        ate = (ny == self.fy) & (nx == self.fx)

        # la coda avanza solo dove non si e' mangiato
        moving = (self.grid > 0) & ~ate[:, None, None]
        self.grid -= moving.to(torch.int16)

        crash = self.grid[ids, ny, nx] != 0
        self.length += ate.long()
        alive = ~crash
        a = ids[alive]
        self.grid[a, ny[alive], nx[alive]] = self.length[alive].to(torch.int16)
        self.hy = torch.where(alive, ny, self.hy)
        self.hx = torch.where(alive, nx, self.hx)
        self.hunger = torch.where(ate, torch.zeros_like(self.hunger), self.hunger + 1)
        self.eaten += ate.long()
        starved = self.hunger > self.patience
        done = crash | starved

        new_dist = (self.hy - self.fy).abs() + (self.hx - self.fx).abs()
        reward = 1.0 * ate.float() - 1.0 * done.float()
        reward += 0.03 * (old_dist - new_dist).clamp(-1, 1).float() * (~ate & ~done).float()

        # rane: quelle mangiate ricompaiono, alcune delle altre saltano
        for i in ate.nonzero().flatten().tolist():
            if alive[i]:
                self._drop_frog(i)
        self._frogs_hop(ate)
        self.clock["env.step"] += time.perf_counter() - t

        t = time.perf_counter()
        for i in done.nonzero().flatten().tolist():
            self.episodes += 1
            self.finished_scores.append(int(self.eaten[i]))
            self._new_board(i)
        self.clock["env.reset"] += time.perf_counter() - t

        return self.look(), reward, done

    def _frogs_hop(self, ate):
        rng = self.rng
        fy, fx = self.fy.tolist(), self.fx.tolist()
        hy, hx = self.hy.tolist(), self.hx.tolist()
        fresh = ate.tolist()
        for i in range(self.n):
            if fresh[i] or rng.random() > self.hop:
                continue
            # salta nella cella libera piu' lontana dalla testa, o a caso
            options = []
            for dy, dx in DIRS:
                y, x = fy[i] + dy, fx[i] + dx
                if self.grid[i, y, x].item() == 0:
                    options.append((abs(y - hy[i]) + abs(x - hx[i]), y, x))
            if not options:
                continue
            if rng.random() < 0.5:
                _, y, x = max(options)
            else:
                _, y, x = rng.choice(options)
            self.fy[i] = y
            self.fx[i] = x

    # ---------------------------------------------------------------- vedere
    def look(self):
        """finestra VIEW x VIEW attorno alla testa, girata: il serpente guarda in su"""
        t = time.perf_counter()
        hy, hx = self.hy.tolist(), self.hx.tolist()
        fac = self.facing.tolist()
        for i in range(self.n):
            y, x = hy[i], hx[i]
            c = self.grid[i, y - R:y + R + 1, x - R:x + R + 1]
            if fac[i]:
                c = torch.rot90(c, fac[i])
            self.crop[i] = c
        wall = (self.crop < 0).float()
        body = self.crop.clamp(min=0).float() / self.length[:, None, None]

        # posizione della rana nel sistema del serpente (avanti, destra)
        dy = (self.fy - self.hy)
        dx = (self.fx - self.hx)
        f = self.facing
        fwd = dy * DY[f] + dx * DX[f]
        right = dy * DY[(f + 1) % 4] + dx * DX[(f + 1) % 4]
        food = torch.zeros(self.n, VIEW, VIEW)
        near = (fwd.abs() <= R) & (right.abs() <= R)
        k = self.ids[near]
        food[k, R - fwd[near], R + right[near]] = 1.0

        extra = torch.stack([
            fwd.float() / self.size,
            right.float() / self.size,
            torch.sign(fwd).float(),
            torch.sign(right).float(),
            (fwd.abs() + right.abs() <= 2).float(),
            self.hunger.float() / self.patience,
            self.length.float() / 20.0,
        ], dim=1)
        out = torch.cat([wall.flatten(1), body.flatten(1), food.flatten(1), extra], dim=1)
        self.clock["env.observe"] += time.perf_counter() - t
        return out

    # per guardare una partita in terminale
    def ascii(self, i=0):
        s = self.size
        rows = []
        for y in range(R, R + s):
            row = ""
            for x in range(R, R + s):
                v = int(self.grid[i, y, x])
                if y == self.hy[i] and x == self.hx[i]:
                    row += "^>v<"[int(self.facing[i])]
                elif y == self.fy[i] and x == self.fx[i]:
                    row += "f"
                else:
                    row += "#" if v < 0 else ("o" if v > 0 else ".")
            rows.append(row)
        return "\n".join(rows)
