# zmeyka: evolucionnaya strategiya, mnogo dosok, vse v odnom fayle
import json, os, random, sys
from time import perf_counter as pora
import numpy as np

SEKUND = float(os.environ.get("WILD_SECONDS", 20))
KUDA = os.environ.get("WILD_TRUTH")
DOSOK = 64            # chetnoe: pary +shum / -shum
POLE = 12
VZGLYAD = 3           # okno 7x7 vokrug golovy
PREDEL = 160          # shagov v odnoy igre
SIGMA = 0.08
LR = 0.04
VHOD = 2 * 49 + 6
SKRYT = 24
HODY = [(0, -1), (1, 0), (0, 1), (-1, 0)]
N = VHOD * SKRYT + SKRYT + SKRYT * 3 + 3
gsch = np.random.default_rng(7)
random.seed(7)

vesa = gsch.normal(0, 0.1, N)
m_adam = np.zeros(N); v_adam = np.zeros(N)


def razlozhit(w):
    a = VHOD * SKRYT
    return (w[:a].reshape(SKRYT, VHOD), w[a:a + SKRYT],
            w[a + SKRYT:a + SKRYT + 3 * SKRYT].reshape(3, SKRYT), w[-3:])


class Doska:
    pass


def kinut_edu(d):
    while True:
        e = (random.randrange(POLE), random.randrange(POLE))
        if e not in d.telo and e not in d.kamni:
            d.eda = e
            return


doski = [Doska() for _ in range(DOSOK)]
chasy = {k: 0.0 for k in ("env.reset", "env.observe", "act", "env.step", "learn.returns", "learn.update",
                          "eval", "env.render", "log", "checkpoint", "other")}
shagov = igr = pokolenie = 0
luchshiy = -1e9
istoriya = []

nachalo = pora()
while pora() - nachalo < SEKUND:
    pokolenie += 1

    # ---- shum i novye vesa
    t = pora()
    polovina = gsch.normal(0, 1, (DOSOK // 2, N))
    shum = np.concatenate([polovina, -polovina])
    mozgi = [razlozhit(vesa + SIGMA * s) for s in shum]
    t2 = pora(); chasy["learn.update"] += t2 - t

    # ---- rasstavit doski
    for d in doski:
        x, y = random.randrange(4, POLE - 4), random.randrange(4, POLE - 4)
        d.telo = [(x, y), (x - 1, y), (x - 2, y)]
        d.kamni = set()
        while len(d.kamni) < 6:
            k = (random.randrange(POLE), random.randrange(POLE))
            if abs(k[0] - x) + abs(k[1] - y) > 4:
                d.kamni.add(k)
        d.napr = 1
        d.golod = 0
        d.ochki = 0.0
        d.syeli = 0
        d.zhiva = True
        kinut_edu(d)
    t = pora(); chasy["env.reset"] += t - t2

    for takt in range(PREDEL):
        zhivye = [i for i in range(DOSOK) if doski[i].zhiva]
        if not zhivye:
            break

        # ---- posmotret
        t = pora()
        vidy = []
        for i in zhivye:
            d = doski[i]
            vid = np.zeros(VHOD)
            gx, gy = d.telo[0]
            n = 0
            for dy in range(-VZGLYAD, VZGLYAD + 1):
                for dx in range(-VZGLYAD, VZGLYAD + 1):
                    # povernut okno po napravleniyu zmei
                    if d.napr == 0: p = (gx + dx, gy + dy)
                    elif d.napr == 1: p = (gx - dy, gy + dx)
                    elif d.napr == 2: p = (gx - dx, gy - dy)
                    else: p = (gx + dy, gy - dx)
                    if not (0 <= p[0] < POLE and 0 <= p[1] < POLE) or p in d.kamni or p in d.telo:
                        vid[n] = 1.0
                    elif p == d.eda:
                        vid[49 + n] = 1.0
                    n += 1
            fx, fy = HODY[d.napr]
            ex, ey = d.eda[0] - gx, d.eda[1] - gy
            vpered, vbok = ex * fx + ey * fy, -ex * fy + ey * fx
            vid[98:104] = (vpered > 0, vpered < 0, vbok > 0, vbok < 0, d.golod / 60, len(d.telo) / 20)
            vidy.append(vid)
        t2 = pora(); chasy["env.observe"] += t2 - t

        # ---- podumat, kazhdaya svoim mozgom
        povoroty = []
        for i, vid in zip(zhivye, vidy):
            w1, b1, w2, b2 = mozgi[i]
            povoroty.append(int(np.argmax(w2 @ np.tanh(w1 @ vid + b1) + b2)) - 1)
        t = pora(); chasy["act"] += t - t2

        # ---- popolzli
        for i, pov in zip(zhivye, povoroty):
            d = doski[i]
            d.napr = (d.napr + pov) % 4
            dx, dy = HODY[d.napr]
            g = d.telo[0]
            nov = (g[0] + dx, g[1] + dy)
            d.golod += 1
            staroe = abs(g[0] - d.eda[0]) + abs(g[1] - d.eda[1])
            novoe = abs(nov[0] - d.eda[0]) + abs(nov[1] - d.eda[1])
            d.ochki += 0.03 if novoe < staroe else -0.04
            if not (0 <= nov[0] < POLE and 0 <= nov[1] < POLE) or nov in d.kamni or nov in d.telo[:-1]:
                d.zhiva = False
                d.ochki -= 1.0
            elif d.golod > 60:
                d.zhiva = False
                d.ochki -= 0.5
            else:
                d.telo.insert(0, nov)
                if nov == d.eda:
                    d.syeli += 1
                    d.ochki += 1.0
                    d.golod = 0
                    kinut_edu(d)
                else:
                    d.telo.pop()
            if not d.zhiva:
                igr += 1
        shagov += len(zhivye)
        chasy["env.step"] += pora() - t
    igr += sum(d.zhiva for d in doski)      # dozhivshie do predela

    # ---- rangi vmesto ochkov
    t = pora()
    ochki = np.array([d.ochki for d in doski])
    rangi = np.empty(DOSOK)
    rangi[ochki.argsort()] = np.linspace(-0.5, 0.5, DOSOK)
    t2 = pora(); chasy["learn.returns"] += t2 - t

    # ---- shag vverh
    grad = np.zeros(N)
    for r, s in zip(rangi, shum):
        grad += r * s
    grad = grad / (DOSOK * SIGMA) - 0.002 * vesa
    m_adam = 0.9 * m_adam + 0.1 * grad
    v_adam = 0.99 * v_adam + 0.01 * grad ** 2
    vesa = vesa + LR * (m_adam / (1 - 0.9 ** pokolenie)) / (np.sqrt(v_adam / (1 - 0.99 ** pokolenie)) + 1e-8)
    t = pora(); chasy["learn.update"] += t - t2

    istoriya.append(ochki.mean())
    if pokolenie % 5 == 0:
        t = pora()
        print("pokolenie %4d  shagov %7d  igr %6d  sredn %+.2f  luchsh %+.2f  syeli %d" % (
            pokolenie, shagov, igr, np.mean(istoriya[-5:]), ochki.max(), max(d.syeli for d in doski)))
        sys.stdout.flush()
        t2 = pora(); chasy["log"] += t2 - t
        if ochki.mean() > luchshiy:
            luchshiy = ochki.mean()
            np.savez("vesa.npz", vesa=vesa, pokolenie=pokolenie)
            chasy["checkpoint"] += pora() - t2
    if pokolenie % 20 == 0:
        # kartinka luchshey doski, kakoy ona umerla
        t = pora()
        d = doski[int(ochki.argmax())]
        for y in range(POLE):
            stroka = ""
            for x in range(POLE):
                p = (x, y)
                stroka += ("@" if p == d.telo[0] else "o" if p in d.telo else "#" if p in d.kamni
                           else "*" if p == d.eda else ".")
            print("    " + stroka)
        chasy["env.render"] += pora() - t
vsego = pora() - nachalo

del chasy["eval"]      # otdelnyh proverochnyh igr net
chasy["other"] = vsego - sum(chasy.values())
print("konec: %d pokoleniy, %.0f shagov v sekundu" % (pokolenie, shagov / vsego))
for k in sorted(chasy, key=chasy.get, reverse=True):
    print("  %-14s %7.3f" % (k, chasy[k]))
if KUDA:
    with open(KUDA, "w") as f:
        json.dump({"wall_seconds": vsego, "stages": chasy, "env_steps": shagov, "episodes": igr,
                   "updates": pokolenie}, f)
