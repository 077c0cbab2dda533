# Zavod: malenkaya ekonomika. Vremya idyot tikami (10 minut), sobytiya v ocheredi.
# Upravlyayushchego sprashivayut tolko kogda nado reshat: nachalo smeny, polomka, pustoy sklad, krupny zakaz.
import heapq
import random
from collections import deque, namedtuple
import numpy as np
from chasy import zamer

Vopros = namedtuple('Vopros', 'tip konec')
TIPY = ['smena', 'polomka', 'sklad_pust', 'krupny_zakaz']
DEYSTVIYA = ['nichego', 'zakaz_malo', 'zakaz_mnogo', 'nanyat', 'uvolit', 'remont',
             'cena_vverh', 'cena_vniz', 'kupit_stanok', 'prinyat_zakaz']
N_DEYSTVIY = len(DEYSTVIYA)
TIKOV_V_SMENE = 48
DNEY = 40
N_TOVAROV = 3
RECEPTY = [(1, 0, 2), (2, 1, 0), (1, 2, 1)]
SYRYO_CENA = [4.0, 6.0, 5.0]

class Stanok:
    def __init__(self, tovar):
        self.tovar = tovar
        self.iznos = 0.0
        self.sloman = False
        self.gotovo = 0.0

class Rabochiy:
    def __init__(self):
        self.ustalost = 0.0
        self.umenie = random.uniform(0.6, 1.2)

class Zavod:
    @zamer('env.reset')
    def __init__(self):
        self.tik_nomer = 0
        self.dengi = 2500.0
        self.syryo = [60, 60, 60]
        self.sklad = [0, 0, 0]
        self.ceny = [30.0, 42.0, 38.0]
        self.stanki = [Stanok(i % N_TOVAROV) for i in range(4)]
        self.rabochie = [Rabochiy() for _ in range(4)]
        self.prodazhi = deque(maxlen=250)      # (tik, tovar, cena)
        self.otkazy = deque(maxlen=250)        # pokupatel ushyol ni s chem
        self.predlozhenie = None
        self.bankrot = False
        self.moda = [1.0] * N_TOVAROV
        self.istoriya_deneg = deque([self.dengi] * 20, maxlen=20)
        self.ochered = []
        self._n = 0
        for t in range(N_TOVAROV):
            self.dobavit(random.randint(1, 5), 'pokupatel', t)
        self.dobavit(TIKOV_V_SMENE * 3, 'zarplata')
        self.dobavit(TIKOV_V_SMENE * 21, 'nalog')
        self.dobavit(random.randint(60, 200), 'krupny_zakaz')
        self.proshly_kapital = self.kapital()

    def dobavit(self, cherez, tip, dannye=None):
        self._n += 1
        heapq.heappush(self.ochered, (self.tik_nomer + cherez, self._n, tip, dannye))

    # ---- glavny generator: zhizn zavoda, yield = vopros, send = otvet
    def zhizn(self):
        konec_igry = DNEY * 3 * TIKOV_V_SMENE
        while self.tik_nomer < konec_igry and not self.bankrot:
            if self.tik_nomer % TIKOV_V_SMENE == 0:
                self.vypolnit((yield Vopros('smena', False)))
            for vopros in self.tik():
                self.vypolnit((yield Vopros(vopros, False)))
        yield Vopros('smena', True)

    def tik(self):
        voprosy = []
        self.tik_nomer += 1
        while self.ochered and self.ochered[0][0] <= self.tik_nomer:
            _, _, tip, dannye = heapq.heappop(self.ochered)
            v = getattr(self, 'sobytie_' + tip)(dannye)
            if v:
                voprosy.append(v)
        # rabochie raspredelyayutsya po stankam
        svobodnye = sorted(self.rabochie, key=lambda r: r.ustalost)
        for st in self.stanki:
            if st.sloman or not svobodnye:
                continue
            r = svobodnye.pop(0)
            recept = RECEPTY[st.tovar]
            if any(self.syryo[k] < recept[k] for k in range(3)):
                continue
            st.gotovo += 0.22 * r.umenie * (1.0 - 0.5 * r.ustalost)
            r.ustalost = min(1.0, r.ustalost + 0.012)
            st.iznos += 0.0012
            if st.gotovo >= 1.0:
                st.gotovo -= 1.0
                for k in range(3):
                    self.syryo[k] -= recept[k]
                self.sklad[st.tovar] += 1
                if min(self.syryo) < 4 and random.random() < 0.15:
                    voprosy.append('sklad_pust')
            if random.random() < st.iznos * 0.01:
                st.sloman = True
                voprosy.append('polomka')
        for r in svobodnye:
            r.ustalost = max(0.0, r.ustalost - 0.03)
        for t in range(N_TOVAROV):
            self.moda[t] += random.gauss(0, 0.004) + 0.002 * (1.0 - self.moda[t])
        return voprosy

    def sobytie_pokupatel(self, t):
        verno = [30.0, 42.0, 38.0][t] * self.moda[t]
        if random.random() < 1.0 / (1.0 + np.exp((self.ceny[t] - verno) / 5.0)):
            if self.sklad[t] > 0:
                self.sklad[t] -= 1
                self.dengi += self.ceny[t]
                self.prodazhi.append((self.tik_nomer, t, self.ceny[t]))
            else:
                self.otkazy.append((self.tik_nomer, t, self.ceny[t]))
        self.dobavit(max(1, int(random.expovariate(self.moda[t] / 5.0))), 'pokupatel', t)

    def sobytie_postavka(self, kol):
        for k in range(3):
            self.syryo[k] += kol

    def sobytie_zarplata(self, _):
        self.dengi -= 55.0 * len(self.rabochie) + 20.0 * len(self.stanki)
        self.bankrot = self.dengi < -500
        self.istoriya_deneg.append(self.dengi)
        self.dobavit(TIKOV_V_SMENE * 3, 'zarplata')

    def sobytie_nalog(self, _):
        self.dengi -= max(0.0, self.dengi) * 0.05
        self.dobavit(TIKOV_V_SMENE * 21, 'nalog')

    def sobytie_krupny_zakaz(self, _):
        t = random.randrange(N_TOVAROV)
        self.predlozhenie = (t, random.randint(5, 20), self.ceny[t] * random.uniform(0.8, 1.3))
        self.dobavit(random.randint(100, 300), 'krupny_zakaz')
        return 'krupny_zakaz'

    def sobytie_pochinen(self, st):
        st.sloman, st.iznos = False, 0.0
    def vypolnit(self, d):
        imya = DEYSTVIYA[d]
        if imya.startswith('zakaz'):
            kol = 25 if imya == 'zakaz_malo' else 80
            self.dengi -= sum(SYRYO_CENA) * kol * (1.0 if kol < 50 else 0.9)
            self.dobavit(random.randint(10, 40), 'postavka', kol)
        elif imya == 'nanyat':
            self.dengi -= 40
            self.rabochie.append(Rabochiy())
        elif imya == 'uvolit':
            self.rabochie.remove(min(self.rabochie, key=lambda r: r.umenie))
        elif imya == 'remont':
            st = max(self.stanki, key=lambda s: (s.sloman, s.iznos))
            self.dengi -= 90
            st.sloman = True
            self.dobavit(12, 'pochinen', st)
        elif imya.startswith('cena'):
            for t in range(N_TOVAROV):
                self.ceny[t] *= 1.06 if imya == 'cena_vverh' else 0.94
        elif imya == 'kupit_stanok':
            self.dengi -= 700
            self.stanki.append(Stanok(len(self.stanki) % N_TOVAROV))
        elif imya == 'prinyat_zakaz':
            t, kol, cena = self.predlozhenie
            self.sklad[t] -= kol
            self.dengi += kol * cena
        self.predlozhenie = None

    def kapital(self):
        k = self.dengi
        for t in range(N_TOVAROV):
            nedavno = [c for (_, tt, c) in self.prodazhi if tt == t]
            k += self.sklad[t] * (0.6 * np.mean(nedavno) if nedavno else 15.0)
        k += sum(0.8 * SYRYO_CENA[i] * self.syryo[i] for i in range(3))
        for _, _, tip, dannye in self.ochered:
            if tip == 'postavka':
                k += 0.8 * sum(SYRYO_CENA) * dannye
        return k + sum(500 * (1 - min(0.5, s.iznos)) for s in self.stanki)

    @zamer('env.reward')
    def poschitat_nagradu(self):
        k = self.kapital()
        nagrada = (k - self.proshly_kapital) / 200.0
        self.proshly_kapital = k
        return float(np.clip(nagrada - (10.0 if self.bankrot else 0.0), -10, 10))

    @zamer('env.mask')
    def mozhno(self):
        m = np.ones(N_DEYSTVIY, dtype=bool)
        # prognoz deneg na zavtra: kak vchera prodali minus zarplata
        prognoz = self.dengi + sum(c for (tk, _, c) in self.prodazhi if tk > self.tik_nomer - 144)
        prognoz -= 55.0 * len(self.rabochie) + 20.0 * len(self.stanki)
        m[1] = self.dengi > 375
        m[2] = self.dengi > 1080 and prognoz > 1080
        m[3] = len(self.rabochie) < 10 and self.dengi > 40
        m[4] = len(self.rabochie) > 1
        m[5] = self.dengi > 90 and not all(s.sloman for s in self.stanki)
        m[6], m[7] = max(self.ceny) < 90, min(self.ceny) > 10
        m[8] = self.dengi > 900 and prognoz > 900 and len(self.stanki) < 9
        m[9] = self.predlozhenie is not None and self.sklad[self.predlozhenie[0]] >= self.predlozhenie[1]
        return m

    @zamer('env.observe')
    def snimok(self, vopros):
        x = [1.0 if vopros.tip == t else 0.0 for t in TIPY]
        x += [self.dengi / 3000, len(self.rabochie) / 10, len(self.stanki) / 9, self.tik_nomer / 5760]
        x += [s / 100 for s in self.syryo] + [s / 30 for s in self.sklad] + [c / 50 for c in self.ceny]
        x += [np.mean([r.ustalost for r in self.rabochie]), np.mean([r.umenie for r in self.rabochie]),
              np.mean([s.iznos for s in self.stanki]), sum(s.sloman for s in self.stanki) / 5]
        for t in range(N_TOVAROV):
            for spisok in (self.prodazhi, self.otkazy):
                for okno in (48, 144, 480):
                    poslednie = [c for (tk, tt, c) in spisok if tt == t and tk > self.tik_nomer - okno]
                    x += [len(poslednie) / okno * 5, np.mean(poslednie) / 50 if poslednie else 0.0]
        x += [d / 3000 for d in self.istoriya_deneg]
        p = self.predlozhenie
        x += [p[0] / 3, p[1] / 20, p[2] / 50] if p else [0.0, 0.0, 0.0]
        v_puti = sum(d for (_, _, tip, d) in self.ochered if tip == 'postavka')
        x.append(v_puti / 100)
        return np.array(x, dtype=np.float32)
