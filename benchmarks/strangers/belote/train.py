# -*- coding: utf-8 -*-
# Belote simplifiée (sans annonces, sans prise : l'atout est tiré au sort)
# Notre joueur est en place 0, son partenaire en 2, les adversaires en 1 et 3.
# REINFORCE "à la main" avec numpy. Tout est dans ce fichier, c'est plus simple.

import json
import os
import pickle
import random
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")   # sinon numpy chauffe les deux coeurs pour rien
import numpy as np

DUREE = float(os.environ.get("WILD_SECONDS", "20"))
FICHIER_VERITE = os.environ.get("WILD_TRUTH")

COULEURS = "PCKT"          # pique coeur carreau trèfle
VALEURS = ["7", "8", "9", "10", "V", "D", "R", "A"]
POINTS_ATOUT = [0, 0, 14, 10, 20, 3, 4, 11]
POINTS_PLAIN = [0, 0, 0, 10, 2, 3, 4, 11]
FORCE_ATOUT = [0, 1, 6, 4, 7, 2, 3, 5]
FORCE_PLAIN = [0, 1, 2, 6, 3, 4, 5, 7]

NB_ENTREES = 32 * 4 + 4 + 4 + 8
NB_CACHE = 128
TAUX = 0.002
PARTIES_PAR_LOT = 16

chrono = {}


def compte(cle, depuis):
    """ajoute le temps passé depuis `depuis` et renvoie l'heure"""
    t = time.perf_counter()
    chrono[cle] = chrono.get(cle, 0.0) + t - depuis
    return t


# ---------------------------------------------------------------- les cartes

def couleur(c):
    return c // 8


def rang(c):
    return c % 8


def points(c, atout):
    return POINTS_ATOUT[c % 8] if c // 8 == atout else POINTS_PLAIN[c % 8]


def force(c, atout, demandee):
    if c // 8 == atout:
        return 100 + FORCE_ATOUT[c % 8]
    if c // 8 == demandee:
        return 50 + FORCE_PLAIN[c % 8]
    return FORCE_PLAIN[c % 8]


def maitre_du_pli(pli, atout):
    """pli = liste de (joueur, carte)"""
    demandee = couleur(pli[0][1])
    meilleur = pli[0]
    for jc in pli[1:]:
        if force(jc[1], atout, demandee) > force(meilleur[1], atout, demandee):
            meilleur = jc
    return meilleur


def cartes_permises(main, pli, atout, joueur):
    if not pli:
        return list(main)
    demandee = couleur(pli[0][1])
    maitre, carte_maitre = maitre_du_pli(pli, atout)
    atouts = [c for c in main if couleur(c) == atout]
    if demandee != atout:
        fournies = [c for c in main if couleur(c) == demandee]
        if fournies:
            return fournies
        if maitre % 2 == joueur % 2:      # partenaire maître : on se défausse
            return list(main)
    if atouts:
        if couleur(carte_maitre) == atout:
            plus_fort = [c for c in atouts if FORCE_ATOUT[rang(c)] > FORCE_ATOUT[rang(carte_maitre)]]
            return plus_fort or atouts
        return atouts
    return list(main)


# ---------------------------------------------------------------- les robots

def robot_joue(etat, joueur):
    """compte les cartes qui restent et joue la carte la plus rentable"""
    main = etat["mains"][joueur]
    pli = etat["pli"]
    atout = etat["atout"]
    permises = cartes_permises(main, pli, atout, joueur)
    if len(permises) == 1:
        return permises[0]
    cachees = [c for c in range(32) if c not in etat["tombees"] and c not in main]
    meilleure, note_max = permises[0], -1e9
    for c in permises:
        essai = pli + [(joueur, c)]
        demandee = couleur(essai[0][1])
        maitre, cm = maitre_du_pli(essai, atout)
        enjeu = sum(points(x[1], atout) for x in essai)
        restent = 4 - len(essai)
        if restent:
            f = force(cm, atout, demandee)
            battent = 0
            for x in cachees:
                if force(x, atout, demandee) > f:
                    battent += 1
            p = (1.0 - battent / max(1, len(cachees))) ** restent
        else:
            p = 1.0
        if maitre % 2 != joueur % 2:
            p = 1.0 - p
        note = p * enjeu - (1 - p) * enjeu - 0.2 * points(c, atout)
        if couleur(c) == atout:
            note -= 3
        if note > note_max:
            meilleure, note_max = c, note
    return meilleure


# ---------------------------------------------------------------- la partie

def nouvelle_donne():
    jeu = list(range(32))
    random.shuffle(jeu)
    return {
        "mains": [sorted(jeu[8 * i:8 * i + 8]) for i in range(4)],
        "atout": random.randrange(4),
        "pli": [],
        "tombees": set(),
        "a_jouer": random.randrange(4),
        "score": [0, 0],
        "numero": 0,
    }


def poser(etat, joueur, carte):
    etat["mains"][joueur].remove(carte)
    etat["pli"].append((joueur, carte))
    etat["tombees"].add(carte)
    etat["a_jouer"] = (joueur + 1) % 4
    if len(etat["pli"]) == 4:
        gagnant, _ = maitre_du_pli(etat["pli"], etat["atout"])
        pts = sum(points(c, etat["atout"]) for _, c in etat["pli"])
        etat["numero"] += 1
        if etat["numero"] == 8:
            pts += 10                      # dix de der
        etat["score"][gagnant % 2] += pts
        etat["pli"] = []
        etat["a_jouer"] = gagnant


def faire_jouer_les_autres(etat):
    while etat["a_jouer"] != 0 and etat["numero"] < 8:
        t = time.perf_counter()
        j = etat["a_jouer"]
        c = robot_joue(etat, j)
        t = compte("env.opponent", t)
        poser(etat, j, c)
        compte("env.step", t)


def avancer(etat, carte):
    """pose notre carte, fait jouer les autres, renvoie (points gagnés, fini)"""
    t = time.perf_counter()
    avant = etat["score"][0] - etat["score"][1]
    poser(etat, 0, carte)
    compte("env.step", t)
    faire_jouer_les_autres(etat)
    gain = (etat["score"][0] - etat["score"][1] - avant) / 50.0
    return gain, etat["numero"] >= 8


def encoder(etat):
    x = np.zeros(NB_ENTREES)
    a = etat["atout"]
    # on tourne les couleurs pour que l'atout soit toujours la première
    def place(c):
        return ((c // 8 - a) % 4) * 8 + c % 8
    for c in etat["mains"][0]:
        x[place(c)] = 1
    for c in etat["tombees"]:
        x[32 + place(c)] = 1
    for j, c in etat["pli"]:
        x[64 + place(c)] = 1
    if etat["pli"]:
        j, c = maitre_du_pli(etat["pli"], a)
        x[96 + place(c)] = 1
        x[128 + j] = 1
    x[132 + len(etat["pli"])] = 1
    x[136 + min(etat["numero"], 7)] = 1
    return x


def masque_permis(etat):
    m = np.zeros(32)
    a = etat["atout"]
    for c in cartes_permises(etat["mains"][0], etat["pli"], a, 0):
        m[((c // 8 - a) % 4) * 8 + c % 8] = 1
    return m


def vraie_carte(indice, atout):
    return ((indice // 8 + atout) % 4) * 8 + indice % 8


# ---------------------------------------------------------------- le réseau

def creer_reseau(graine=0):
    g = np.random.default_rng(graine)
    return {
        "W1": g.normal(0, 1 / np.sqrt(NB_ENTREES), (NB_ENTREES, NB_CACHE)),
        "b1": np.zeros(NB_CACHE),
        "W2": g.normal(0, 0.05, (NB_CACHE, 32)),
        "b2": np.zeros(32),
    }


def probas(res, X, M):
    H = np.tanh(X @ res["W1"] + res["b1"])
    Z = H @ res["W2"] + res["b2"]
    Z = np.where(M > 0, Z, -1e9)
    Z = Z - Z.max(axis=-1, keepdims=True)
    E = np.exp(Z)
    return E / E.sum(axis=-1, keepdims=True), H


def choisir(res, x, m):
    p, _ = probas(res, x, m)
    return int(np.searchsorted(np.cumsum(p), np.random.random() * 0.999999))


def retours(gains, gamma=0.98):
    R, sortie = 0.0, []
    for g in reversed(gains):
        R = g + gamma * R
        sortie.append(R)
    sortie.reverse()
    return sortie


def apprendre(res, adam, X, M, A, G):
    """un pas de gradient de politique (REINFORCE + petite entropie) avec Adam"""
    P, H = probas(res, X, M)
    n = len(A)
    d = P.copy()
    d[np.arange(n), A] -= 1.0
    d *= G[:, None]
    logp = np.log(P + 1e-12)
    ent = -(P * logp).sum(1, keepdims=True)
    d += 0.01 * P * (logp + ent)
    d /= n
    grad = {"W2": H.T @ d, "b2": d.sum(0)}
    dh = (d @ res["W2"].T) * (1 - H ** 2)
    grad["W1"] = X.T @ dh
    grad["b1"] = dh.sum(0)
    adam["t"] += 1
    for k in res:
        adam["m"][k] = 0.9 * adam["m"][k] + 0.1 * grad[k]
        adam["v"][k] = 0.999 * adam["v"][k] + 0.001 * grad[k] ** 2
        mh = adam["m"][k] / (1 - 0.9 ** adam["t"])
        vh = adam["v"][k] / (1 - 0.999 ** adam["t"])
        res[k] -= TAUX * mh / (np.sqrt(vh) + 1e-8)


# ---------------------------------------------------------------- entraînement

def jouer_une_partie(res):
    t = time.perf_counter()
    etat = nouvelle_donne()
    compte("env.reset", t)
    faire_jouer_les_autres(etat)
    xs, ms, acts, gains = [], [], [], []
    fini = False
    while not fini:
        t = time.perf_counter()
        x = encoder(etat)
        t = compte("env.observe", t)
        m = masque_permis(etat)
        t = compte("env.mask", t)
        a = choisir(res, x, m)
        compte("act", t)
        gain, fini = avancer(etat, vraie_carte(a, etat["atout"]))
        xs.append(x)
        ms.append(m)
        acts.append(a)
        gains.append(gain)
    return xs, ms, acts, gains, etat["score"]


def main():
    random.seed(11)
    np.random.seed(11)
    res = creer_reseau(11)
    adam = {"t": 0, "m": {k: 0 * v for k, v in res.items()}, "v": {k: 0 * v for k, v in res.items()}}
    parties = coups = lots = 0
    gagnees = []
    moyenne, ecart = 0.0, 1.0
    debut = time.perf_counter()
    while time.perf_counter() - debut < DUREE:
        X, M, A, G = [], [], [], []
        for _ in range(PARTIES_PAR_LOT):
            xs, ms, acts, gains, score = jouer_une_partie(res)
            t = time.perf_counter()
            G += retours(gains)
            compte("learn.returns", t)
            X += xs
            M += ms
            A += acts
            parties += 1
            coups += len(acts)
            gagnees.append(score[0] > score[1])
        t = time.perf_counter()
        X = np.array(X)
        M = np.array(M)
        A = np.array(A)
        G = np.array(G)
        moyenne = 0.9 * moyenne + 0.1 * G.mean()
        ecart = 0.9 * ecart + 0.1 * G.std()
        t = compte("learn.returns", t)
        apprendre(res, adam, X, M, A, (G - moyenne) / (ecart + 1e-6))
        t = compte("learn.pas", t)
        lots += 1
        if lots % 10 == 0:
            print("lot %4d | %6d parties | gagnées %.1f%% | écart-type %.2f"
                  % (lots, parties, 100 * np.mean(gagnees[-500:]), ecart), flush=True)
            t = compte("log", t)
        if lots % 50 == 0:
            with open("belote.pkl", "wb") as f:
                pickle.dump(res, f)
            compte("checkpoint", t)
    total = time.perf_counter() - debut

    etapes = dict(chrono)
    etapes["other"] = total - sum(chrono.values())
    if FICHIER_VERITE:
        with open(FICHIER_VERITE, "w") as f:
            json.dump({"wall_seconds": total, "stages": etapes, "env_steps": coups,
                       "episodes": parties, "updates": lots}, f, indent=2)
    print("fini :", parties, "parties")


if __name__ == "__main__":
    main()
