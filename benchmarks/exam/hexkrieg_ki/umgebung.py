import random
import gymnasium as gym
import numpy as np
from gymnasium import spaces

from karte import HexKarte, N, BREITE, ABSTAND, DECKUNG, NACHBAR, WASSER
from einheiten import Einheit, AUFSTELLUNG, Gefecht, N_BEFEHLE, erwarteter_schaden
from gegner import GegnerKI
from stoppuhr import Marken

RUNDEN = 13


class Beobachter:
    """Baut aus der Lage einen flachen Vektor: 8 Ebenen + Zahlen zur aktiven Einheit."""
    EBENEN = 8
    EXTRA = 8 * 5 + 12

    def __init__(self):
        self.raum = spaces.Box(-2.0, 2.0, (self.EBENEN * N + self.EXTRA,), np.float32)

    def bauen(self, gefecht, aktiv, runde):
        k = gefecht.karte
        p = np.zeros((self.EBENEN, N), np.float32)
        for z in range(N):
            g = k.gelaende[z]
            p[0, z] = DECKUNG[g]
            if g == WASSER:
                p[1, z] = 1.0
        for s, b in k.besitzer.items():
            p[2, s] = 1.0 if b == 0 else (-1.0 if b == 1 else 0.3)
        for e in gefecht.einheiten:
            if e.hp <= 0:
                continue
            p[3 if e.seite == 0 else 4, e.ort] = e.hp / 10.0
            if e.seite == 1:                       # Bedrohung durch den Feind
                r = e.typ.reichweite + e.typ.tempo - (e.typ.reichweite > 1)
                zeile = ABSTAND[e.ort]
                for z in range(N):
                    if zeile[z] <= r:
                        p[5, z] += 0.25 * e.hp / 10.0
        if aktiv is not None:
            p[6, aktiv.ort] = 1.0
            ziele = [s for s, b in k.besitzer.items() if b != 0] or list(k.besitzer)
            d = k.entfernungen(ziele, aktiv.typ.wald)
            p[7] = np.minimum(np.asarray(d, np.float32) / 12.0, 1.5)
        x = []
        for e in gefecht.einheiten:
            x += [e.hp / 10.0, (e.ort % BREITE) / BREITE, (e.ort // BREITE) / BREITE, float(e is aktiv), float(e.nachschub)]
        if aktiv is not None:
            d0 = p[7, aktiv.ort]
            for n in NACHBAR[aktiv.ort]:
                if n < 0 or k.gelaende[n] == WASSER:
                    x.append(-1.0)
                else:
                    x.append(float(np.clip((d0 - p[7, n]) * 6.0, -1, 1)))
            ziele = gefecht.ziele(aktiv)
            x.append(min(1.0, max((erwarteter_schaden(aktiv, z, k) for z in ziele), default=0.0) / 4))
            x += [aktiv.typ.kurz == "I", aktiv.typ.kurz == "P", aktiv.typ.kurz == "A"]
        else:
            x += [0.0] * 10
        x += [runde / RUNDEN, sum(b == 0 for b in k.besitzer.values()) / 3]
        return np.concatenate([p.ravel(), np.asarray(x, np.float32)])


class Belohnung:
    """Differenz einer Lagebewertung vor/nach dem Zug, dazu Sieg und Niederlage."""

    def __init__(self):
        self.alt = 0.0

    def lage(self, gefecht):
        k = gefecht.karte
        w = 0.0
        weg = k.entfernungen([s for s, b in k.besitzer.items() if b != 0] or k.staedte)
        for e in gefecht.einheiten:
            w += (0.06 if e.seite == 0 else -0.06) * e.hp
            if e.seite == 0 and e.hp > 0:
                w -= 0.03 * min(15.0, weg[e.ort])
                nah = [ABSTAND[e.ort][f.ort] for f in gefecht.einheiten if f.seite == 1 and f.hp > 0]
                if nah and e.typ.kurz == "A":
                    w -= 0.02 * abs(min(nah) - 3)      # Artillerie auf Abstand
        # wer kann wen schlagen?
        for a in gefecht.einheiten:
            if a.hp > 0:
                for z in gefecht.ziele(a):
                    s = min(z.hp, erwarteter_schaden(a, z, k))
                    w += 0.015 * s if a.seite == 0 else -0.015 * s
        for b in k.besitzer.values():
            w += 0.6 if b == 0 else (-0.4 if b == 1 else 0.0)
        return w

    def anfang(self, gefecht):
        self.alt = self.lage(gefecht)

    def rechnen(self, gefecht, gut, sieger):
        neu = self.lage(gefecht)
        r = neu - self.alt - (0.0 if gut else 0.03)
        self.alt = neu
        if sieger is not None:
            r += {0: 2.0, 1: -2.0, -1: 0.0}[sieger]
        return r


class HexKriegEnv(gym.Env):
    metadata = {"render_modes": ["ansi"]}

    def __init__(self, saat=0, patzer=0.25):
        self.rng = random.Random(saat)
        self.beobachter = Beobachter()
        self.belohnung = Belohnung()
        self.ki = GegnerKI(1, self.rng, patzer)
        self.observation_space = self.beobachter.raum
        self.action_space = spaces.Discrete(N_BEFEHLE)
        self.marken = Marken()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.marken.zu("env.reset")
        if seed is not None:
            self.rng.seed(seed)
        self.karte = HexKarte(self.rng)
        self.karte.wuerfeln()
        self.einheiten = []
        for seite, x in ((0, 0), (1, BREITE - 1)):
            for i, typ in enumerate(AUFSTELLUNG):
                self.einheiten.append(Einheit(typ, seite, (1 + 2 * i) * BREITE + x, i))
        self.gefecht = Gefecht(self.karte, self.einheiten, self.rng)
        self.runde = 0
        self.dran = 0
        self.belohnung.anfang(self.gefecht)
        self.marken.zu("env.observe")
        obs = self.beobachter.bauen(self.gefecht, self.einheiten[0], 0)
        self.marken.zu(None)
        return obs, {}

    def _naechste(self, ab):
        for i in range(ab, 4):
            if self.einheiten[i].hp > 0:
                return i
        return None

    def _sieger(self):
        lebt = [any(e.hp > 0 for e in self.einheiten if e.seite == s) for s in (0, 1)]
        if not lebt[1]:
            return 0 if lebt[0] else -1
        if not lebt[0]:
            return 1
        if self.runde >= RUNDEN:
            st = [sum(b == s for b in self.karte.besitzer.values()) for s in (0, 1)]
            if st[0] != st[1]:
                return 0 if st[0] > st[1] else 1
            hp = [sum(e.hp for e in self.einheiten if e.seite == s) for s in (0, 1)]
            return 0 if hp[0] > hp[1] else 1
        return None

    def step(self, action):
        m = self.marken
        m.neu("env.step")
        e = self.einheiten[self.dran]
        gut = self.gefecht.befehl(e, int(action))
        self.gefecht.nachschub_legen()
        sieger = self._sieger()
        nr = self._naechste(self.dran + 1)
        if nr is None and sieger is None:
            m.zu("env.opponent")
            self.ki.zug(self.gefecht)
            m.zu("env.step")
            self.gefecht.nachschub_legen()
            self.runde += 1
            sieger = self._sieger()
            nr = self._naechste(0)
        m.zu("env.reward")
        r = self.belohnung.rechnen(self.gefecht, gut, sieger)
        m.zu("env.observe")
        self.dran = nr if nr is not None else 0
        obs = self.beobachter.bauen(self.gefecht, self.einheiten[nr] if nr is not None else None, self.runde)
        m.zu(None)
        info = {"marken": m.liste}     # dieselbe Liste: ein reset() danach schreibt noch hinein
        if sieger is not None:
            info["sieger"] = sieger
            info["runden"] = self.runde
        return obs, r, sieger is not None, False, info

    def render(self):
        return self.karte.zeichnen(self.einheiten)
