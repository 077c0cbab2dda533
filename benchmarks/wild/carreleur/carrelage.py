from time import perf_counter_ns

import gymnasium as gym
import numpy as np

N = 9
FORMES = [
    [(0, 0), (0, 1), (0, 2)], [(0, 0), (0, 1), (1, 0)], [(0, 0), (0, 1), (0, 2), (0, 3)],
    [(0, 0), (0, 1), (1, 0), (1, 1)], [(0, 0), (0, 1), (0, 2), (1, 0)], [(0, 0), (0, 1), (1, 1), (1, 2)],
    [(0, 0), (0, 1), (0, 2), (1, 1)], [(0, 1), (1, 0), (1, 1), (1, 2), (2, 1)], [(0, 0), (1, 0), (2, 0), (2, 1), (2, 2)],
]


def tourner(forme, fois):
    for _ in range(fois):
        forme = [(c, -l) for l, c in forme]
        ml, mc = min(l for l, _ in forme), min(c for _, c in forme)
        forme = [(l - ml, c - mc) for l, c in forme]
    return forme


ROTATIONS = [[tourner(f, r) for r in range(4)] for f in FORMES]
JETER = 4 * N * N


class Releve:
    """petit carnet d'heures du chantier"""

    def __init__(self):
        self.lignes, self.code, self.depuis = [], None, 0

    def passer(self, code):
        t = perf_counter_ns()
        avant = self.code
        if avant is not None:
            self.lignes.append((avant, self.depuis, t))
        self.code, self.depuis = code, t
        return avant

    def vider(self):
        lignes, self.lignes = self.lignes, []
        return lignes


class Chantier(gym.Env):
    """Poser des carreaux sur un sol ; une rangée ou une colonne pleine est livrée et libère la place."""

    def __init__(self, graine=0):
        self.observation_space = gym.spaces.Box(0, 1, (2 * N * N + 2 * len(FORMES) + 2,), np.float32)
        self.action_space = gym.spaces.Discrete(JETER + 1)
        self.hasard = np.random.default_rng(graine)
        self.carnet = Releve()

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        p = self.carnet.passer(0)
        self.sol = [[0] * N for _ in range(N)]
        for _ in range(6):
            self.sol[self.hasard.integers(N)][self.hasard.integers(N)] = 1
        self.piece, self.suivante = (int(x) for x in self.hasard.integers(len(FORMES), size=2))
        self.jetons, self.coups = 4, 0
        self.carnet.passer(p)
        return self.observer(), {}

    def tient(self, forme, l, c):
        for dl, dc in forme:
            if not (0 <= l + dl < N and 0 <= c + dc < N) or self.sol[l + dl][c + dc]:
                return False
        return True

    def laisse_un_trou(self, forme, l, c):
        sol = [rang[:] for rang in self.sol]
        for dl, dc in forme:
            sol[l + dl][c + dc] = 1
        for i in range(N):
            for j in range(N):
                if sol[i][j]:
                    continue
                sol[i][j] = 1
                pile, taille = [(i, j)], 0
                while pile:
                    a, b = pile.pop()
                    taille += 1
                    for x, y in ((a + 1, b), (a - 1, b), (a, b + 1), (a, b - 1)):
                        if 0 <= x < N and 0 <= y < N and not sol[x][y]:
                            sol[x][y] = 1
                            pile.append((x, y))
                if taille < 3:
                    return True
        return False

    def places_pour_la_suivante(self, forme, l, c):
        for dl, dc in forme:
            self.sol[l + dl][c + dc] = 1
        libres = sum(self.tient(f, i, j) for f in ROTATIONS[self.suivante] for i in range(N) for j in range(N))
        for dl, dc in forme:
            self.sol[l + dl][c + dc] = 0
        return libres

    def action_masks(self):
        p = self.carnet.passer(1)
        masque = np.zeros(JETER + 1, dtype=bool)
        repli = []
        for r, forme in enumerate(ROTATIONS[self.piece]):
            for l in range(N):
                for c in range(N):
                    if self.tient(forme, l, c):
                        a = (r * N + l) * N + c
                        repli.append(a)
                        if not self.laisse_un_trou(forme, l, c) and self.places_pour_la_suivante(forme, l, c) >= 4:
                            masque[a] = True
        if not masque.any():
            masque[repli] = True
        masque[JETER] = self.jetons > 0 or not repli
        self.carnet.passer(p)
        return masque

    def step(self, action):
        p = self.carnet.passer(2)
        action = int(action)
        self.coups += 1
        livrees, fini = 0, False
        if action == JETER:
            self.jetons -= 1
            fini = self.jetons < 0
        else:
            r, l, c = action // (N * N), action // N % N, action % N
            forme = ROTATIONS[self.piece][r]
            if not self.tient(forme, l, c):
                fini = True
            else:
                for dl, dc in forme:
                    self.sol[l + dl][c + dc] = 1
                livrees = self.livrer()
        self.piece, self.suivante = self.suivante, int(self.hasard.integers(len(FORMES)))
        self.carnet.passer(3)
        gain = self.recompense(action, livrees, fini)
        self.carnet.passer(p)
        obs = self.observer()
        return obs, gain, fini, self.coups >= 150, {"heures": self.carnet.vider(), "livrees": livrees}

    def livrer(self):
        rangs = [l for l in range(N) if all(self.sol[l])]
        cols = [c for c in range(N) if all(self.sol[l][c] for l in range(N))]
        for l in rangs:
            self.sol[l] = [0] * N
        for c in cols:
            for l in range(N):
                self.sol[l][c] = 0
        return len(rangs) + len(cols)

    def recompense(self, action, livrees, fini):
        contact = 0
        for l in range(N):
            for c in range(N):
                if self.sol[l][c]:
                    contact += (l == 0 or self.sol[l - 1][c]) + (c == 0 or self.sol[l][c - 1])
        plein = sum(map(sum, self.sol))
        return 2.0 * livrees + .1 * (action != JETER) + .05 * contact / max(1, plein) - 2.0 * fini

    def observer(self):
        p = self.carnet.passer(4)
        o = np.zeros(self.observation_space.shape, np.float32)
        for l in range(N):
            for c in range(N):
                o[l * N + c] = self.sol[l][c]
                o[N * N + l * N + c] = sum(
                    self.sol[i][j] for i in range(max(0, l - 1), min(N, l + 2)) for j in range(max(0, c - 1), min(N, c + 2))) / 9
        k = 2 * N * N
        o[k + self.piece] = 1
        o[k + len(FORMES) + self.suivante] = 1
        o[-2], o[-1] = self.jetons / 4, self.coups / 150
        self.carnet.passer(p)
        return o

    def solde(self):
        return self.carnet.vider()
