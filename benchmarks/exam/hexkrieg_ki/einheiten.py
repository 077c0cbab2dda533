from dataclasses import dataclass
from karte import BREITE, HOEHE, DECKUNG, NACHBAR, ABSTAND, WASSER, STADT


@dataclass(frozen=True)
class Typ:
    kurz: str
    angriff: float
    abwehr: float
    reichweite: int
    tempo: int
    wald: float


INFANTERIE = Typ("I", 3.2, 1.2, 1, 1, 1.0)
PANZER = Typ("P", 5.0, 1.8, 1, 2, 1.8)
ARTILLERIE = Typ("A", 4.0, 0.5, 3, 1, 1.2)
AUFSTELLUNG = [INFANTERIE, PANZER, INFANTERIE, ARTILLERIE]
N_BEFEHLE = 8   # 0 halten, 1..6 Richtung (Marsch oder Nahkampf), 7 Feuer


class Einheit:
    __slots__ = ("typ", "seite", "ort", "hp", "nr", "nachschub")

    def __init__(self, typ, seite, ort, nr):
        self.typ, self.seite, self.ort, self.nr = typ, seite, ort, nr
        self.hp = 10.0
        self.nachschub = True

    @property
    def lebt(self):
        return self.hp > 0


def erwarteter_schaden(a, b, karte, von=None):
    deckung = DECKUNG[karte.gelaende[b.ort]]
    roh = a.typ.angriff * (0.4 + 0.6 * a.hp / 10.0) - b.typ.abwehr
    if not a.nachschub:
        roh *= 0.6
    return max(0.3, roh * (1.0 - deckung))


class Gefecht:
    """Regeln: fuehrt einen Befehl aus, fuer beide Seiten gleich."""

    def __init__(self, karte, einheiten, rng):
        self.karte, self.einheiten, self.rng = karte, einheiten, rng

    def wer_auf(self, z):
        for e in self.einheiten:
            if e.ort == z and e.hp > 0:
                return e
        return None

    def ziele(self, e, ort=None):
        ort = e.ort if ort is None else ort
        r = e.typ.reichweite
        return [f for f in self.einheiten if f.seite != e.seite and f.hp > 0 and ABSTAND[ort][f.ort] <= r]

    def nachschub_legen(self):
        """Versorgung ab der eigenen Grundlinie, feindliche Zonen (Feind + Nachbarn) sperren."""
        k = self.karte
        for seite in (0, 1):
            spalte = 0 if seite == 0 else BREITE - 1
            sperre = set()
            for f in self.einheiten:
                if f.seite != seite and f.hp > 0:
                    sperre.add(f.ort)
                    sperre.update(NACHBAR[f.ort])
            quellen = [y * BREITE + spalte for y in range(HOEHE)]
            quellen += [s for s, b in k.besitzer.items() if b == seite]
            d = k.entfernungen(quellen, 1.0, sperre)
            for e in self.einheiten:
                if e.seite == seite:
                    e.nachschub = d[e.ort] < 9.0

    def schlagen(self, a, b):
        s = erwarteter_schaden(a, b, self.karte) * self.rng.uniform(0.75, 1.25)
        b.hp = max(0.0, b.hp - s)
        if b.hp > 0 and ABSTAND[a.ort][b.ort] <= b.typ.reichweite:
            g = 0.5 * erwarteter_schaden(b, a, self.karte) * self.rng.uniform(0.75, 1.25)
            a.hp = max(0.0, a.hp - g)
        return s

    def befehl(self, e, b):
        """True, wenn der Befehl sinnvoll war."""
        k = self.karte
        if b == 0:
            if k.gelaende[e.ort] == STADT:
                e.hp = min(10.0, e.hp + 0.8)
            return True
        if b == 7:
            z = self.ziele(e)
            if not z:
                return False
            self.schlagen(e, min(z, key=lambda f: f.hp))
            return True
        gezogen = False
        for _ in range(e.typ.tempo):
            n = NACHBAR[e.ort][b - 1]
            if n < 0 or k.gelaende[n] == WASSER:
                break
            da = self.wer_auf(n)
            if da is not None:
                if da.seite != e.seite:
                    self.schlagen(e, da)
                    gezogen = True
                break
            e.ort = n
            gezogen = True
            if n in k.besitzer:
                k.besitzer[n] = e.seite
                break
        return gezogen
