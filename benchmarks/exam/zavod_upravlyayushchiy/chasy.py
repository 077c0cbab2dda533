# chasy: dekorator @zamer('klyuch'), vlozhennye zamery vychitayutsya iz vneshnih
import time
import functools
itogo = {}
_stek = []          # [klyuch, vremya_detey]
tishina = False     # vo vremya proverki nichego ne schitaem
def nachat(klyuch):
    _stek.append([klyuch, 0.0, time.perf_counter()])
def zakonchit():
    klyuch, deti, t0 = _stek.pop()
    dlit = time.perf_counter() - t0
    itogo[klyuch] = itogo.get(klyuch, 0.0) + dlit - deti
    if _stek:
        _stek[-1][1] += dlit
def zamer(klyuch):
    def obertka(f):
        @functools.wraps(f)
        def vnutri(*a, **kw):
            if tishina:
                return f(*a, **kw)
            nachat(klyuch)
            try:
                return f(*a, **kw)
            finally:
                zakonchit()
        return vnutri
    return obertka
