# laeuft in den Prozessen des Pools
import os
from time import perf_counter as uhr
import numpy as np
from partie import Partie, ANZAHL_AKTIONEN

EINGANG = 16 * 13 + 5 + 2
VERSTECKT = 32
GROESSE = EINGANG * VERSTECKT + VERSTECKT + VERSTECKT * ANZAHL_AKTIONEN + ANZAHL_AKTIONEN
SIGMA = 0.08
PARTIEN_JE_AUFTRAG = 2


def zerlege(theta):
    i = EINGANG * VERSTECKT
    w1 = theta[:i].reshape(EINGANG, VERSTECKT)
    b1 = theta[i:i + VERSTECKT]
    i += VERSTECKT
    w2 = theta[i:i + VERSTECKT * ANZAHL_AKTIONEN].reshape(VERSTECKT, ANZAHL_AKTIONEN)
    b2 = theta[i + VERSTECKT * ANZAHL_AKTIONEN:]
    return w1, b1, w2, b2


def waehle(theta, beob, maske):
    w1, b1, w2, b2 = zerlege(theta)
    h = np.tanh(beob @ w1 + b1)
    punkte = h @ w2 + b2
    punkte[~maske] = -1e9
    return int(np.argmax(punkte))


def rauschen(samen):
    return np.random.default_rng(samen).standard_normal(GROESSE).astype(np.float32)


def spiele(theta, samen, zeiten):
    t = uhr()
    p = Partie(samen)
    t2 = uhr(); zeiten["env.reset"] += t2 - t; t = t2
    summe, schritte = 0.0, 0
    while not p.vorbei:
        fertig = False
        while not fertig:
            b = p.beobachtung()
            t2 = uhr(); zeiten["env.observe"] += t2 - t; t = t2
            m = p.erlaubt()
            t2 = uhr(); zeiten["env.mask"] += t2 - t; t = t2
            a = waehle(theta, b, m)
            t2 = uhr(); zeiten["act"] += t2 - t; t = t2
            fertig = p.fuehre_aus(a)
            schritte += 1
            t2 = uhr(); zeiten["env.step"] += t2 - t; t = t2
        p.wirt_zug()
        t2 = uhr(); zeiten["env.opponent"] += t2 - t; t = t2
        summe += p.abrechnung()
        t2 = uhr(); zeiten["env.step"] += t2 - t; t = t2
    return summe, schritte


def leere_zeiten():
    return {"env.reset": 0.0, "env.observe": 0.0, "env.mask": 0.0, "act": 0.0, "env.step": 0.0, "env.opponent": 0.0, "other": 0.0}


def auftrag_ausfuehren(auftrag):
    nummer, theta, samen, vorzeichen, spielsamen = auftrag
    von = uhr()
    zeiten = leere_zeiten()
    theta = theta + vorzeichen * SIGMA * rauschen(samen)
    gesamt, schritte = 0.0, 0
    for i in range(PARTIEN_JE_AUFTRAG):
        s, n = spiele(theta, spielsamen + i, zeiten)
        gesamt += s
        schritte += n
    bis = uhr()
    zeiten["other"] = (bis - von) - sum(zeiten.values())
    return nummer, gesamt / PARTIEN_JE_AUFTRAG, schritte, PARTIEN_JE_AUFTRAG, os.getpid(), von, bis, zeiten
