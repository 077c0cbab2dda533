"""zegar = clock. Nested measuring, the inner part is taken away from the outer one."""
import functools
import time


class Zegar:
    def __init__(self):
        self.suma = {}
        self.ramki = []      # [klucz, start, czas dzieci]
        self.wl = False      # wlaczony

    def wejdz(self, klucz):
        self.ramki.append([klucz, time.perf_counter(), 0.0])

    def wyjdz(self):
        klucz, t0, dzieci = self.ramki.pop()
        dt = time.perf_counter() - t0
        self.suma[klucz] = self.suma.get(klucz, 0.0) + dt - dzieci
        if self.ramki:
            self.ramki[-1][2] += dt
        return dt


Z = Zegar()


def mierz(klucz):
    def deko(f):
        @functools.wraps(f)
        def g(*a, **k):
            if not Z.wl:
                return f(*a, **k)
            Z.wejdz(klucz)
            try:
                return f(*a, **k)
            finally:
                Z.wyjdz()
        return g
    return deko
