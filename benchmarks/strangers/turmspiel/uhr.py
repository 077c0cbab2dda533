"""Kleine Stoppuhr als Dekorator. Innere Messungen unterbrechen die äußere."""
import functools
import time

zeiten = {}
_stapel = []
_marke = 0.0


def _rein(name):
    global _marke
    jetzt = time.perf_counter()
    if _stapel:
        zeiten[_stapel[-1]] = zeiten.get(_stapel[-1], 0.0) + jetzt - _marke
    _stapel.append(name)
    _marke = jetzt


def _raus():
    global _marke
    jetzt = time.perf_counter()
    name = _stapel.pop()
    zeiten[name] = zeiten.get(name, 0.0) + jetzt - _marke
    _marke = jetzt


def gemessen(name):
    def aussen(funktion):
        @functools.wraps(funktion)
        def innen(*args, **kwargs):
            # innerhalb einer Probepartie zählt alles zur Probepartie
            if "eval" in _stapel:
                return funktion(*args, **kwargs)
            _rein(name)
            try:
                return funktion(*args, **kwargs)
            finally:
                _raus()
        return innen
    return aussen
