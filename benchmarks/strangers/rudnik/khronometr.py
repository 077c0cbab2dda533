import time
from collections import Counter


class Khronometr:
    """Sekundomer so stekom: vlozhennoe vremya vychitaetsya iz vneshnego"""

    def __init__(self):
        self.itog = Counter()
        self.stek = []
        self.rabotaet = False

    def pusk(self):
        self.rabotaet = True
        self.stek = ["other"]
        self.nachalo = self.metka = time.perf_counter()

    def stop(self):
        t = time.perf_counter()
        self.itog[self.stek[-1]] += t - self.metka
        self.rabotaet = False
        return t - self.nachalo

    def nachat(self, etap):
        if not self.rabotaet:
            return
        t = time.perf_counter()
        self.itog[self.stek[-1]] += t - self.metka
        self.stek.append(etap)
        self.metka = t

    def konchit(self):
        if not self.rabotaet:
            return
        t = time.perf_counter()
        self.itog[self.stek.pop()] += t - self.metka
        self.metka = t

    def proshlo(self):
        return time.perf_counter() - self.nachalo


class Nemoy(Khronometr):
    """Dlya ekzamena: nichego ne schitaet"""
    def nachat(self, etap):
        pass

    def konchit(self):
        pass
