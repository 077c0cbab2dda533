"""Łowcy i ofiary - DQN uczy jednego łowcę. Uruchom: python train.py"""
import json
import os
import time

import torch

from mozg import Mozg, Pamiec
from swiat import Swiat

torch.set_num_threads(1)

PACZKA = 64
START_NAUKI = 300
CO_ILE_UCZYC = 2
CZAS = float(os.environ.get("WILD_SECONDS", "20"))

zegary = {}


def mierz(nazwa, funkcja, *argumenty):
    t = time.perf_counter()
    wynik = funkcja(*argumenty)
    zegary[nazwa] = zegary.get(nazwa, 0.0) + time.perf_counter() - t
    return wynik


def zagraj_pokazowa(mozg):
    """gra bez losowości na osobnym świecie, zwraca ile złapał agent"""
    swiat = Swiat(ziarno=777)
    stare_eps, mozg.eps = mozg.eps, 0.0
    while not swiat.koniec():
        swiat.ruch_agenta(mozg.wybierz(swiat.obserwacja(), swiat.mozliwe_ruchy()))
        swiat.ruch_swiata()
    mozg.eps = stare_eps
    return swiat.zlapane_przez_agenta


def trenuj():
    mozg = Mozg()
    pamiec = Pamiec(20000)
    kroki = gry = 0
    wyniki = []
    poczatek = time.perf_counter()
    swiat = mierz("env.reset", Swiat)
    s = mierz("env.observe", swiat.obserwacja)
    maska = mierz("env.mask", swiat.mozliwe_ruchy)
    suma = 0.0
    while time.perf_counter() - poczatek < CZAS:
        a = mierz("act", mozg.wybierz, s, maska)
        mierz("env.step", swiat.ruch_agenta, a)
        mierz("env.opponent", swiat.ruch_swiata)
        r = mierz("env.reward", swiat.nagroda)
        s2 = mierz("env.observe", swiat.obserwacja)
        maska2 = mierz("env.mask", swiat.mozliwe_ruchy)
        koniec = swiat.koniec()
        pamiec.zapisz(s, a, r, s2, koniec, maska2)
        s, maska = s2, maska2
        suma += r
        kroki += 1
        mozg.eps = max(0.05, 1.0 - kroki / 4000)

        if len(pamiec) > START_NAUKI and kroki % CO_ILE_UCZYC == 0:
            paczka = mierz("replay.sample", pamiec.losuj, PACZKA)
            mierz("learn.update", mozg.ucz, paczka)

        if koniec:
            gry += 1
            wyniki.append((suma, swiat.zlapane_przez_agenta, swiat.zlapane_przez_innych))
            if gry % 10 == 0:
                o = wyniki[-10:]
                mierz("log", print, "gra %d  krok %d  eps %.2f  nagroda %.2f  agent %.1f  inni %.1f" % (
                    gry, kroki, mozg.eps, *[sum(w[i] for w in o) / 10 for i in range(3)]))
            if gry % 25 == 0:
                print("   pokazowa: złapał", mierz("eval", zagraj_pokazowa, mozg))
                mierz("checkpoint", torch.save, mozg.siec.state_dict(), "lowca.pt")
            suma = 0.0
            mierz("env.reset", swiat.nowa_gra)
            s = mierz("env.observe", swiat.obserwacja)
            maska = mierz("env.mask", swiat.mozliwe_ruchy)
    calosc = time.perf_counter() - poczatek
    zegary["other"] = calosc - sum(zegary.values())
    for k, v in sorted(zegary.items(), key=lambda z: -z[1]):
        print("%-14s %6.2f s  %4.1f %%" % (k, v, 100 * v / calosc))
    print("kroków/s:", round(kroki / calosc))
    if "WILD_TRUTH" in os.environ:
        with open(os.environ["WILD_TRUTH"], "w") as f:
            json.dump({"wall_seconds": calosc, "stages": zegary, "env_steps": kroki, "episodes": gry,
                       "updates": mozg.ile_uczen}, f)


if __name__ == "__main__":
    trenuj()
