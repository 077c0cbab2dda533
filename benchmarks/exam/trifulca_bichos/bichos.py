import random


class Ataque:
    def __init__(self, nombre, d):
        self.nombre = nombre
        self.tipo = d['tipo']
        self.potencia = d['potencia']
        self.punteria = d['punteria']
        self.estado = d.get('estado')
        self.sube = d.get('sube')


class Bicho:
    def __init__(self, especie, cfg):
        d = cfg['especies'][especie]
        self.especie = especie
        self.tipo = d['tipo']
        self.vida_max = self.vida = d['vida'] + random.randint(-8, 8)
        self.ataque = d['ataque']
        self.defensa = d['defensa']
        self.rapidez = d['rapidez'] + random.randint(-5, 5)
        self.estado = None
        self.siesta = 0
        self.ataques = [Ataque(n, cfg['ataques'][n]) for n in d['ataques']]

    def vivo(self):
        return self.vida > 0


class Bando:
    def __init__(self, nombre, cfg):
        self.nombre = nombre
        especies = random.sample(list(cfg['especies']), cfg['equipo'])
        self.equipo = [Bicho(e, cfg) for e in especies]
        self.i = 0

    @property
    def activo(self):
        return self.equipo[self.i]

    def banquillo(self):
        return [j for j in range(len(self.equipo)) if j != self.i]

    def vivos(self):
        return sum(b.vivo() for b in self.equipo)


class Combate:
    """acciones 0-3: ataques, 4-5: cambiar por el primero/segundo del banquillo"""

    def __init__(self, cfg):
        self.cfg = cfg
        self.yo = Bando('yo', cfg)
        self.rival = Bando('rival', cfg)
        self.turno = 0
        self.cronica = []
        self.ganador = None

    def otro(self, bando):
        return self.rival if bando is self.yo else self.yo

    def eficacia(self, tipo, contra):
        if contra in self.cfg['fuerte'].get(tipo, []):
            return 2.0
        if tipo in self.cfg['fuerte'].get(contra, []) or tipo == contra:
            return 0.5
        return 1.0

    def dano(self, a, de, contra, azar=True):
        if not a.potencia:
            return 0
        base = a.potencia * de.ataque / max(20, contra.defensa) * 0.55
        base *= self.eficacia(a.tipo, contra.tipo)
        if a.tipo == de.tipo:
            base *= 1.3
        if azar:
            base *= random.uniform(0.85, 1.0)
        return int(base) + 1

    def legales(self, bando):
        r = [False] * 6
        if bando.activo.vivo():
            for k in range(4):
                r[k] = True
        for n, j in enumerate(bando.banquillo()):
            r[4 + n] = bando.equipo[j].vivo()
        return r

    def _cambiar(self, bando, n):
        j = bando.banquillo()[n]
        if bando.equipo[j].vivo():
            self.cronica.append(f"{bando.nombre}: vuelve {bando.activo.especie}, sale {bando.equipo[j].especie}")
            bando.i = j

    def _atacar(self, bando, k):
        b, c = bando.activo, self.otro(bando).activo
        if not b.vivo() or not c.vivo():
            return
        if b.estado == 'dormido':
            b.siesta -= 1
            self.cronica.append(f"{b.especie} ronca...")
            if b.siesta <= 0:
                b.estado = None
            return
        a = b.ataques[k]
        self.cronica.append(f"{b.especie} usa {a.nombre}")
        if random.random() > a.punteria:
            self.cronica.append("... y falla")
            return
        if a.sube:
            setattr(b, a.sube, min(110, int(getattr(b, a.sube) * 1.25)))
            return
        d = self.dano(a, b, c)
        c.vida = max(0, c.vida - d)
        self.cronica.append(f"{c.especie} pierde {d} ({c.vida}/{c.vida_max})")
        if a.estado and c.estado is None and c.vivo():
            c.estado = a.estado
            c.siesta = random.randint(1, 3)

    def jugar_turno(self, mia, suya):
        self.turno += 1
        self.cronica.append(f"--- turno {self.turno}")
        for bando, acc in ((self.yo, mia), (self.rival, suya)):
            if acc >= 4:
                self._cambiar(bando, acc - 4)
        orden = [(self.yo, mia), (self.rival, suya)]
        orden.sort(key=lambda x: x[0].activo.rapidez + random.random(), reverse=True)
        for bando, acc in orden:
            if acc < 4:
                self._atacar(bando, acc)
        for bando in (self.yo, self.rival):
            b = bando.activo
            if b.estado == 'veneno' and b.vivo():
                b.vida = max(0, b.vida - b.vida_max // 12)
                self.cronica.append(f"{b.especie} sufre por el veneno")
        if not self.yo.vivos():
            self.ganador = 'rival'
        elif not self.rival.vivos():
            self.ganador = 'yo'
        elif self.turno >= self.cfg['turnos_max']:
            self.ganador = 'nadie'


class RivalListo:
    """Mira para cada accion que puede pasar despues, un turno y la replica."""

    def __init__(self, torpeza=0.15):
        self.torpeza = torpeza

    def elegir(self, com):
        leg = com.legales(com.rival)
        posibles = [i for i, x in enumerate(leg) if x]
        if random.random() < self.torpeza:
            return random.choice(posibles)
        mejor, nota_mejor = posibles[0], -1e9
        for a in posibles:
            nota = self.nota(com, a) - 0.3 * self.replica(com, a)
            if nota > nota_mejor:
                mejor, nota_mejor = a, nota
        return mejor

    def nota(self, com, acc):
        r, y = com.rival, com.yo.activo
        if acc >= 4:
            b = r.equipo[r.banquillo()[acc - 4]]
            peor = max(com.dano(q, y, b, False) * q.punteria for q in y.ataques)
            bueno = max(com.dano(q, b, y, False) * q.punteria for q in b.ataques)
            return bueno - 1.5 * peor - 12
        b = r.activo
        q = b.ataques[acc]
        peor = max(com.dano(z, y, b, False) * z.punteria for z in y.ataques)
        n = min(y.vida, com.dano(q, b, y, False)) * q.punteria - 0.5 * peor
        if q.estado and y.estado is None:
            n += 10
        if q.sube:
            n += 8 if b.vida > 0.7 * b.vida_max else 0
        return n

    def replica(self, com, acc):
        """lo peor que nos puede hacer el otro, tambien si cambia de bicho"""
        r = com.rival
        b = r.activo if acc < 4 else r.equipo[r.banquillo()[acc - 4]]
        peor = 0.0
        for i, ok in enumerate(com.legales(com.yo)):
            if not ok:
                continue
            if i < 4:
                q = com.yo.activo.ataques[i]
                d = com.dano(q, com.yo.activo, b, False) * q.punteria
            else:
                otro = com.yo.equipo[com.yo.banquillo()[i - 4]]
                d = 0.6 * max(com.dano(q, otro, b, False) * q.punteria for q in otro.ataques)
            if d >= b.vida:
                d *= 1.5
            peor = max(peor, d)
        return peor
