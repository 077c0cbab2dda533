import numpy as np


class LectorRasgos:
    def __init__(self, cfg):
        self.rasgos = []
        for r in cfg['rasgos']:
            for k in range(r.get('cada', 1)):
                r2 = dict(r)
                r2['ruta'] = r['ruta'].replace('#', str(k))
                if isinstance(r2.get('uno_de'), str):
                    r2['uno_de'] = cfg[r2['uno_de']]
                self.rasgos.append(r2)
        self.largo = sum(len(r['uno_de']) if 'uno_de' in r else 1 for r in self.rasgos)

    def seguir(self, obj, ruta):
        for trozo in ruta.split('.'):
            if trozo.isdigit():
                obj = obj[int(trozo)]
            else:
                obj = getattr(obj, trozo)
        return obj

    def vector(self, combate):
        v = []
        for r in self.rasgos:
            x = self.seguir(combate, r['ruta'])
            if 'uno_de' in r:
                v.extend(1.0 if x == o else 0.0 for o in r['uno_de'])
            else:
                v.append(x / r['escala'])
        return np.array(v, dtype=np.float32)


def hacienda(c):
    """lo que vale la situacion, para la recompensa"""
    total = 0.0
    for signo, bando in ((1, c.yo), (-1, c.rival)):
        for b in bando.equipo:
            total += signo * b.vida / b.vida_max
            if b.vivo():
                total += signo * 0.4
            if b.estado is not None:
                total -= signo * 0.1
    return total


def recompensa(c, antes):
    ahora = hacienda(c)
    r = ahora - antes
    if c.ganador == 'yo':
        r += 2.0
    elif c.ganador == 'rival':
        r -= 2.0
    return r, ahora
