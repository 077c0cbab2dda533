from time import perf_counter_ns as _sejchas

summa = {}
_stopka = ["ostalnoe"]
_metka = _sejchas()
_start = _metka


def pusk():
    global _metka, _start
    summa.clear()
    _metka = _start = _sejchas()


def nachat(delo):
    global _metka
    t = _sejchas()
    kto = _stopka[-1]
    summa[kto] = summa.get(kto, 0) + t - _metka
    _stopka.append(delo)
    _metka = t


def konchit():
    global _metka
    t = _sejchas()
    kto = _stopka.pop()
    summa[kto] = summa.get(kto, 0) + t - _metka
    _metka = t


def stop():
    global _metka
    t = _sejchas()
    summa["ostalnoe"] = summa.get("ostalnoe", 0) + t - _metka
    _metka = t
    return t - _start
