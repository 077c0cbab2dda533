# train.py : nouka wo kitaeru
import json
import os
import time

import tokei
from hatake import Noujou
from nouka import Nouka, tokuchou, houshuu, shisan

BYOU = float(os.environ.get("WILD_SECONDS", "20"))


@tokei.hakaru("eval", zenbu=True)
def tamesu(nouka, kaisuu=3):
    wa = 0.0
    for i in range(kaisuu):
        n = Noujou(1000 + i)
        n.hajimeru()
        owari = False
        while not owari:
            owari = n.susumu(nouka.erabu(tokuchou(n), ipushiron=0.05))
        wa += n.okane
    return wa / kaisuu


@tokei.hakaru("log")
def kaku(f, bangou, okane, nouka, heikin):
    f.write(json.dumps({"kai": bangou, "okane": round(okane, 1), "joutai": len(nouka.q)}) + "\n")
    f.flush()
    if bangou % 20 == 0:
        print(f"dai {bangou:5d} kai  heikin okane {heikin:8.1f}  joutai {len(nouka.q)}  eps {nouka.ipushiron:.3f}", flush=True)


def ichinen(n, nouka, shimekiri):
    """ichi nen asobu. modorichi: (tejun no kazu, owatta ka)"""
    n.hajimeru()
    j = tokuchou(n)
    k = nouka.erabu(j)
    mae = shisan(n)
    kazu = 0
    while True:
        owari = n.susumu(k)
        kazu += 1
        h, mae = houshuu(n, mae)
        j2 = tokuchou(n)
        k2 = nouka.erabu(j2)
        nouka.manabu(j, k, h, j2, k2, owari)
        j, k = j2, k2
        if owari:
            return kazu, True
        if time.perf_counter() > shimekiri:
            return kazu, False


def main():
    n = Noujou(1)
    nouka = Nouka()
    rireki = []
    tejun = kai = 0
    kiroku = open("kiroku.jsonl", "w")
    t0 = tokei.hajime()
    shimekiri = t0 + BYOU
    while time.perf_counter() < shimekiri:
        kazu, owatta = ichinen(n, nouka, shimekiri)
        tejun += kazu
        if not owatta:
            break
        kai += 1
        nouka.ipushiron = max(0.05, nouka.ipushiron * 0.998)
        rireki.append(n.okane)
        kaku(kiroku, kai, n.okane, nouka, sum(rireki[-20:]) / len(rireki[-20:]))
        if kai % 25 == 0:
            t = tamesu(nouka)
            print("  tameshi:", round(t, 1))
        if kai % 40 == 0:
            nouka.hozon("nouka.pkl")
    t1 = tokei.owari()
    kiroku.close()

    michi = os.environ.get("WILD_TRUTH")
    if michi:
        with open(michi, "w") as f:
            json.dump({"wall_seconds": t1 - t0, "stages": tokei.goukei, "env_steps": tejun, "episodes": kai}, f)
    for na, s in sorted(tokei.goukei.items(), key=lambda x: -x[1]):
        print(f"{na:14s} {s:7.3f}")


if __name__ == "__main__":
    main()
