"""Dammen op een klein bord (8x8, 32 velden), met Nederlandse regels:
achteruit slaan mag, meerslag gaat voor, dammen vliegen."""
from collections import namedtuple

VELDEN = 32
WIT, ZWART = 1, -1
Zet = namedtuple("Zet", "van naar geslagen")


def _maak_stralen():
    plek = {}
    for v in range(VELDEN):
        rij = v // 4
        kolom = (v % 4) * 2 + (1 if rij % 2 == 0 else 0)
        plek[(rij, kolom)] = v
    stralen = [None] * VELDEN
    for (rij, kolom), v in plek.items():
        vier = []
        for dr, dk in ((-1, -1), (-1, 1), (1, -1), (1, 1)):   # wit speelt naar boven
            r, k, lijn = rij + dr, kolom + dk, []
            while (r, k) in plek:
                lijn.append(plek[(r, k)])
                r += dr
                k += dk
            vier.append(tuple(lijn))
        stralen[v] = tuple(vier)
    return stralen


STRALEN = _maak_stralen()


class Dambord:
    def __init__(self):
        self.opzetten()

    def opzetten(self):
        self.stukken = [ZWART] * 12 + [0] * 8 + [WIT] * 12
        self.stil = 0           # zetten met een dam zonder slag

    def kopie(self):
        b = Dambord.__new__(Dambord)
        b.stukken = self.stukken[:]
        b.stil = self.stil
        return b

    def _sla_verder(self, begin, veld, dam, kleur, geslagen, uit):
        st = self.stukken
        verder = False
        for lijn in STRALEN[veld]:
            if not dam:
                if len(lijn) > 1 and st[lijn[0]] * kleur < 0 and lijn[0] not in geslagen \
                        and st[lijn[1]] == 0:
                    verder = True
                    self._sla_verder(begin, lijn[1], dam, kleur, geslagen + (lijn[0],), uit)
                continue
            prooi = None
            for v in lijn:
                s = st[v]
                if s == 0:
                    if prooi is not None:
                        verder = True
                        self._sla_verder(begin, v, dam, kleur, geslagen + (prooi,), uit)
                elif s * kleur < 0 and prooi is None and v not in geslagen:
                    prooi = v
                else:
                    break
        if not verder and geslagen:
            uit.append(Zet(begin, veld, geslagen))

    def slagen(self, kleur):
        uit = []
        st = self.stukken
        for v in range(VELDEN):
            s = st[v]
            if s * kleur > 0:
                st[v] = 0
                self._sla_verder(v, v, abs(s) == 2, kleur, (), uit)
                st[v] = s
        if uit:
            meest = max(len(z.geslagen) for z in uit)
            uit = [z for z in uit if len(z.geslagen) == meest]
        return uit

    def mogelijke_zetten(self, kleur):
        uit = self.slagen(kleur)
        if uit:
            return uit
        st = self.stukken
        vooruit = (0, 1) if kleur == WIT else (2, 3)
        for v in range(VELDEN):
            s = st[v]
            if s * kleur <= 0:
                continue
            if abs(s) == 1:
                for r in vooruit:
                    lijn = STRALEN[v][r]
                    if lijn and st[lijn[0]] == 0:
                        uit.append(Zet(v, lijn[0], ()))
            else:
                for lijn in STRALEN[v]:
                    for n in lijn:
                        if st[n]:
                            break
                        uit.append(Zet(v, n, ()))
        return uit

    def doe(self, zet):
        st = self.stukken
        s = st[zet.van]
        st[zet.van] = 0
        for v in zet.geslagen:
            st[v] = 0
        if s == WIT and zet.naar < 4:
            s = 2
        elif s == ZWART and zet.naar >= VELDEN - 4:
            s = -2
        st[zet.naar] = s
        if abs(s) == 2 and not zet.geslagen:
            self.stil += 1
        else:
            self.stil = 0

    def materiaal(self, kleur):
        som = 0
        for s in self.stukken:
            if s:
                som += (3 if s == 2 else -3 if s == -2 else s)
        return som * kleur
