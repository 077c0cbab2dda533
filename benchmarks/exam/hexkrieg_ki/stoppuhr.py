"""Zwei Uhren: Stoppuhr (Hauptprozess, mit Stapel) und Marken (im Worker, nur Zeitpunkte)."""
import time
from collections import defaultdict

jetzt = time.perf_counter


class Stoppuhr:
    """Was oben auf dem Stapel liegt, bekommt die Zeit. Unten liegt immer 'other'."""

    def __init__(self):
        self.konto = defaultdict(float)
        self.stapel = ["other"]
        self.beginn = None
        self.letzte = None
        self.ende = None

    def start(self):
        self.beginn = self.letzte = jetzt()

    def laeuft(self):
        return self.beginn is not None and self.ende is None

    def rein(self, key):
        t = jetzt()
        if self.laeuft():
            self.konto[self.stapel[-1]] += t - self.letzte
        self.letzte = t
        self.stapel.append(key)
        return t

    def raus(self):
        t = jetzt()
        key = self.stapel.pop()
        if self.laeuft():
            self.konto[key] += t - self.letzte
        self.letzte = t
        return t

    def stop(self):
        t = jetzt()
        self.konto[self.stapel[-1]] += t - self.letzte
        self.ende = t
        return self.ende - self.beginn

    def zeit(self):
        return 0.0 if self.beginn is None else jetzt() - self.beginn

    def umwickeln(self, objekt, methode, key):
        alt = getattr(objekt, methode)

        def neu(*a, **k):
            self.rein(key)
            try:
                return alt(*a, **k)
            finally:
                self.raus()
        setattr(objekt, methode, neu)

    def warten_aufteilen(self, a, b, marken_der_worker):
        """[a,b] war Warten. Zuerst bekommt der Worker, der zuletzt fertig war, seine Abschnitte;
        Luecken fuellen die anderen; was dann uebrig ist, bleibt vec.wait."""
        if not self.laeuft():
            return
        frei = [(a, b)]
        for marken in sorted(marken_der_worker, key=lambda m: -m[-1][0]):
            for (t0, key), (t1, _) in zip(marken, marken[1:]):
                if key is None or t1 <= a or t0 >= b:
                    continue
                rest = []
                for f0, f1 in frei:
                    u, o = max(t0, f0), min(t1, f1)
                    if o <= u:
                        rest.append((f0, f1))
                        continue
                    self.konto[key] += o - u
                    self.konto["vec.wait"] -= o - u
                    if u > f0:
                        rest.append((f0, u))
                    if f1 > o:
                        rest.append((o, f1))
                frei = rest
            if not frei:
                break


class Marken:
    def __init__(self):
        self.liste = []

    def neu(self, key):
        self.liste = [(jetzt(), key)]

    def zu(self, key):
        self.liste.append((jetzt(), key))
