"""Das Rennen selbst. Eine Entscheidung pro Runde: Tempo oder Box. Alles in Sekunden."""
import random
import time

SPAREN, NORMAL, PUSH, BOX_SOFT, BOX_MEDIUM, BOX_HARD, BOX_REGEN = range(7)
N_AKTIONEN = 7
MISCHUNGEN = ("soft", "medium", "hard", "regen")
#            Tempo, Verschleiss/Runde, Klippe
REIFEN = {"soft": (-0.9, 0.085, 0.72), "medium": (-0.35, 0.055, 0.78), "hard": (0.15, 0.036, 0.84), "regen": (3.2, 0.05, 0.8)}
BOX_ZEIT = 17.0
SEKTOREN = 14


class Reifensatz:
    __slots__ = ("art", "abrieb", "alter")

    def __init__(self, art):
        self.art, self.abrieb, self.alter = art, 0.0, 0

    def zeitverlust(self, naesse):
        basis, _, klippe = REIFEN[self.art]
        z = basis + 2.2 * self.abrieb
        if self.abrieb > klippe:
            z += 14.0 * (self.abrieb - klippe)
        if self.art == "regen":
            z -= 5.5 * min(naesse, 0.6) - (0.0 if naesse > 0.2 else 1.5)
        else:
            z += 11.0 * naesse * naesse + 2.5 * naesse
        return z


class Strecke:
    def __init__(self, rng):
        self.laengen = [rng.uniform(4.0, 7.6) for _ in range(SEKTOREN)]
        self.ueberhol = [rng.random() for _ in range(SEKTOREN)]
        self.reifenmord = rng.uniform(0.8, 1.25)


class Wetter:
    def __init__(self, rng, regenrisiko):
        self.rng, self.risiko = rng, regenrisiko
        self.naesse = 0.0
        self.regen_ab = [rng.random() < 0.5 * regenrisiko for _ in range(1)][0]
        self.plan = []
        stand = 0.0
        while len(self.plan) < 60:
            if rng.random() < regenrisiko:
                for _ in range(rng.randint(3, 7)):
                    self.plan.append(rng.uniform(0.4, 0.9))
            else:
                self.plan.append(0.0)
        del stand

    def runde(self, n):
        self.naesse += 0.35 * (self.plan[n] - self.naesse)
        return self.naesse

    def vorhersage(self, n, weit):
        # je weiter, desto mehr Nebel
        return [min(1.0, max(0.0, self.plan[n + i] + self.rng.gauss(0, 0.05 * i))) for i in range(1, weit + 1)]


class Auto:
    def __init__(self, nr, staerke, stratege=None):
        self.nr, self.staerke, self.stratege = nr, staerke, stratege
        self.reifen = Reifensatz("medium")
        self.benutzt = {"medium"}
        self.vorrat = {"soft": 2, "medium": 2, "hard": 2, "regen": 2}
        self.zeit = 0.4 * nr
        self.sprit = 1.0
        self.tempo = NORMAL
        self.boxen = 0
        self.platz = nr + 1
        self.letzte_runde = 80.0
        self.schaden = 0.0


class Rennen:
    def __init__(self, stufe, saat, uhr):
        self.uhr = uhr
        self.rng = random.Random(saat)
        self.stufe = stufe
        self.runden = stufe["runden"]
        self.strecke = Strecke(self.rng)
        self.wetter = Wetter(self.rng, stufe["regen"])
        self.nr = 0
        self.safety = 0
        self.autos = []
        start = list(range(stufe["gegner"] + 1))
        self.rng.shuffle(start)
        for i, platz in enumerate(start):
            a = Auto(platz, self.rng.gauss(0.0, 0.18) + (0.0 if i == 0 else stufe["handicap"]),
                     None if i == 0 else stufe["stratege"](self.rng))
            self.autos.append(a)
        self.ich = self.autos[0]
        self.ich.staerke = 0.0
        self._plaetze()

    # ---------- Regeln
    def erlaubt(self, a):
        m = [True] * N_AKTIONEN
        rest = self.runden - self.nr
        for i, art in enumerate(MISCHUNGEN):
            if a.vorrat[art] <= 0 or rest <= 1 or self.nr == 0 or a.reifen.alter == 0:
                m[3 + i] = False
        if a.sprit < 0.04:
            m[PUSH] = False
        return m

    def _plaetze(self):
        self.reihe = sorted(self.autos, key=lambda a: a.zeit)
        for p, a in enumerate(self.reihe):
            a.platz = p + 1

    def _box(self, a, aktion):
        art = MISCHUNGEN[aktion - 3]
        a.vorrat[art] -= 1
        a.reifen = Reifensatz(art)
        a.benutzt.add(art)
        a.boxen += 1
        a.zeit += (BOX_ZEIT * (0.6 if self.safety else 1.0)) + abs(self.rng.gauss(0, 0.6))

    def _sektor(self, s):
        naesse = self.wetter.naesse
        laenge = self.strecke.laengen[s]
        gesamt = sum(self.strecke.laengen)
        vor = None
        for a in sorted(self.autos, key=lambda x: x.zeit):
            anteil = laenge / gesamt
            t = laenge + anteil * (a.reifen.zeitverlust(naesse) + a.staerke + 1.6 * a.sprit + a.schaden)
            t += anteil * (0.7 if a.tempo == SPAREN else (-0.75 if a.tempo == PUSH else 0.0))
            t += self.rng.gauss(0, 0.025)
            if self.safety:
                t *= 1.35
            neu = a.zeit + t
            if vor is not None and not self.safety:
                abstand = neu - vor.zeit
                if abstand < 0.25:       # haengt dahinter oder kommt vorbei
                    chance = 0.25 + 0.5 * self.strecke.ueberhol[s] + (0.2 if a.tempo == PUSH else 0.0)
                    if self.rng.random() > chance:
                        neu = vor.zeit + 0.25
                        a.reifen.abrieb += 0.002
            if self.safety and vor is not None and neu - vor.zeit > 2.0:
                neu -= min(1.2, neu - vor.zeit - 1.0)   # Feld rueckt zusammen
            a.zeit = neu
            vor = a
            f = 1.35 if a.tempo == PUSH else (0.72 if a.tempo == SPAREN else 1.0)
            trocken = 2.2 if a.reifen.art == "regen" and naesse < 0.15 else 1.0
            a.reifen.abrieb += REIFEN[a.reifen.art][1] / SEKTOREN * f * trocken * self.strecke.reifenmord
            if a.reifen.abrieb > 0.95 and self.rng.random() < 0.03:
                a.schaden += 0.6

    def runde(self, aktion):
        """Eine Runde fahren. Liefert (Belohnung, fertig)."""
        t = time.perf_counter()
        wahl = {}
        for a in self.autos[1:]:
            wahl[a.nr] = a.stratege.entscheide(self, a)
        jetzt = time.perf_counter()
        self.uhr["env.opponent"] += jetzt - t

        t = jetzt
        wahl[self.ich.nr] = aktion
        vorher = self._abstand_mittel()
        platz = self.ich.platz
        for a in self.autos:
            w = wahl[a.nr]
            alt = a.zeit
            if w >= BOX_SOFT:
                self._box(a, w)
                a.tempo = NORMAL
            else:
                a.tempo = w
            a.letzte_runde = -alt
        self.wetter.runde(self.nr)
        if self.safety:
            self.safety -= 1
        elif self.rng.random() < self.stufe["safety"]:
            self.safety = 2
        for s in range(SEKTOREN):
            self._sektor(s)
        for a in self.autos:
            a.letzte_runde += a.zeit
            a.reifen.alter += 1
            verbrauch = 1.0 / self.runden
            a.sprit = max(0.0, a.sprit - verbrauch * (1.15 if a.tempo == PUSH else (0.85 if a.tempo == SPAREN else 1.0)))
            if a.sprit <= 0.0 and self.nr < self.runden - 1:
                a.zeit += 4.0
        self.nr += 1
        fertig = self.nr >= self.runden
        if fertig:
            for a in self.autos:
                if len(a.benutzt) < 2:
                    a.zeit += 25.0      # zwei Mischungen sind Pflicht
        self._plaetze()
        lohn = 0.05 * (self._abstand_mittel() - vorher) + 0.05 * (platz - self.ich.platz)
        lohn = max(-1.5, min(1.0, lohn))
        if fertig:
            n = len(self.autos)
            lohn += 1.5 * (n - self.ich.platz) / (n - 1) + (0.5 if self.ich.platz == 1 else 0.0)
        self.uhr["env.step"] += time.perf_counter() - t
        return lohn, fertig

    def _abstand_mittel(self):
        andere = self.autos[1:]
        return sum(a.zeit for a in andere) / len(andere) - self.ich.zeit
