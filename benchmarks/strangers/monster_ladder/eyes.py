import numpy as np

from dex import MOVES, SPECIES, TYPES, damage_guess

N_PICKS = 8  # four moves, four switches
N_LOOK = 8 * 13 + 8 + 8 + 80 + 1


class Eyes:
    """Feature vector with a damage table of everybody against everybody."""

    @staticmethod
    def one_hot(i, n):
        v = [0.0] * n
        v[i] = 1.0
        return v

    def mon_features(self, mon):
        _, typ, _, atk, dfn, spd, _ = SPECIES[mon["sid"]]
        f = self.one_hot(typ, len(TYPES))
        f += [mon["hp"] / mon["max"], atk / 100, dfn / 100, spd / 100]
        f += [1.0 if mon["status"] == s else 0.0 for s in ("burn", "numb")]
        f.append(float(mon["weak"]))
        return f

    def best_hits(self, a, d):
        _, atype, _, atk, _, _, moves = SPECIES[a["sid"]]
        _, dtype, _, _, dfn, _, _ = SPECIES[d["sid"]]
        if a["weak"]:
            atk *= 0.7
        hits = []
        for mv in moves:
            _, mtype, power, acc, _ = MOVES[mv]
            dmg = damage_guess(atk, dfn, power, mtype, atype, dtype)
            hits.append(min(1.0, dmg / max(1, d["hp"])) * acc)
        return hits

    def duel(self, a, d, ours, theirs):
        """who is left standing if these two slug it out (share of hp lost per turn in, sign and margin out)"""
        if a["hp"] <= 0 or d["hp"] <= 0:
            return 0.0
        x = y = 1.0
        first = SPECIES[a["sid"]][5] >= SPECIES[d["sid"]][5]
        for turn in range(25):
            if first:
                y -= ours
                if y > 0:
                    x -= theirs
            else:
                x -= theirs
                if x > 0:
                    y -= ours
            if a["status"] == "burn":
                x -= 0.06
            if d["status"] == "burn":
                y -= 0.06
            if x <= 0 or y <= 0:
                break
        return max(-1.0, min(1.0, x - y))

    def look(self, state):
        me, foe = state["me"], state["foe"]
        f = []
        for mon in me + foe:
            f += self.mon_features(mon)
        f += self.one_hot(state["out"][0], 4) + self.one_hot(state["out"][1], 4)
        mine, his = me[state["out"][0]], foe[state["out"][1]]
        f += self.best_hits(mine, his)
        f += self.best_hits(his, mine)
        for a in me:
            for d in foe:
                ours, theirs = self.best_hits(a, d), self.best_hits(d, a)
                f.append(max(ours) if a["hp"] > 0 else 0.0)
                f.append(max(theirs) if d["hp"] > 0 else 0.0)
                for luck in (0.85, 0.93, 1.0):
                    f.append(self.duel(a, d, luck * max(ours), (1.85 - luck) * max(theirs)))
        f.append(state["turn"] / 60)
        return np.array(f, dtype=np.float32)

    def allowed(self, state):
        ok = np.zeros(N_PICKS, dtype=bool)
        ok[:4] = True
        for j, mon in enumerate(state["me"]):
            ok[4 + j] = mon["hp"] > 0 and j != state["out"][0]
        return ok
