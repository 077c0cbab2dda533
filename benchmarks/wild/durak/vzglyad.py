"""Prevrashchaet slovar partii v vektor chisel."""
import numpy as np

from igra import MASTI, RANGI, VSEGO_HODOV, nomer

PRIZNAKOV_KARTY = 12
DLINA = 36 * PRIZNAKOV_KARTY + 36 + 8 * 5 + 12


def gde_karta(partiya, mast, rang):
    if rang in partiya["igroki"]["ya"]["ruka"][mast]:
        return "ruka"
    if rang in partiya["otboj"][mast]:
        return "otboj"
    for para in partiya["stol"]["pary"]:
        for storona in ("ataka", "zashchita"):
            karta = para[storona]
            if karta is not None and karta["mast"] == mast and karta["rang"] == rang:
                return storona
    if rang in partiya["igroki"]["sosed"]["vzyal"][mast]:
        return "u_soseda"
    vidna = partiya["koloda"]["kozyr"]["karta"]
    if partiya["koloda"]["karty"] and vidna["mast"] == mast and vidna["rang"] == rang:
        return "pod_kolodoj"
    return "neizvestno"


def karta_mest(partiya):
    return {mast: {rang: gde_karta(partiya, mast, rang) for rang in RANGI} for mast in MASTI}


def ugrozy(partiya, mesta, mast, rang):
    kozyr = partiya["koloda"]["kozyr"]["mast"]
    tochno = vozmozhno = 0
    for m in (mast,) if mast == kozyr else (mast, kozyr):
        for r, mesto in mesta[m].items():
            if m == mast and r <= rang:
                continue
            if mesto == "u_soseda":
                tochno += 1
            elif mesto == "neizvestno":
                vozmozhno += 1
    return tochno, vozmozhno


def otvety(partiya, mast, rang):
    kozyr = partiya["koloda"]["kozyr"]["mast"]
    svoi = 0
    for m, ryad in partiya["igroki"]["ya"]["ruka"].items():
        for r, karta in ryad.items():
            if karta["mast"] == mast and karta["rang"] > rang or m == kozyr and mast != kozyr:
                svoi += 1
    return svoi


def davnost(partiya, n):
    """Skolko zapisej nazad etu kartu videli i kto eyu hodil."""
    for nazad, zapis in enumerate(reversed(partiya["zhurnal"])):
        if nazad >= 24:
            break
        if zapis["hod"] == n:
            return nazad / 24, zapis["kto"] == "sosed"
    return 1.0, False


def pary_ranga(mesta, rang, gde):
    return sum(1 for mast in MASTI if mesta[mast][rang] == gde)


def posmotret(partiya):
    mesta = karta_mest(partiya)
    v = []
    kozyr = partiya["koloda"]["kozyr"]["mast"]
    for mast, ryad in mesta.items():
        for rang, mesto in ryad.items():
            tochno, vozmozhno = ugrozy(partiya, mesta, mast, rang)
            kogda, chuzhoj = davnost(partiya, nomer({"mast": mast, "rang": rang}))
            v += [mesto == "ruka", mesto == "otboj", mesto == "ataka", mesto == "zashchita", mesto == "u_soseda",
                  mesto == "neizvestno", mast == kozyr, tochno / 4, vozmozhno / 9,
                  otvety(partiya, mast, rang) / 6, kogda, chuzhoj]
    for rang in RANGI:
        for gde in ("ruka", "otboj", "u_soseda", "neizvestno"):
            v.append(pary_ranga(mesta, rang, gde) / 4)
    poslednie = partiya["zhurnal"][-8:]
    for zapis in poslednie:
        karta = zapis["hod"] if zapis["hod"] < 36 else None
        v += [zapis["kto"] == "ya", zapis["zashchita"], karta is None, 0 if karta is None else (karta % 9) / 8, zapis["ostalos"] / 24]
    v += [0.0] * (5 * (8 - len(poslednie)))
    for kto in ("ya", "sosed"):
        igrok = partiya["igroki"][kto]
        v += [sum(len(m) for m in igrok["ruka"].values()) / 12, igrok["ochki"]["bito"] / 8, igrok["ochki"]["vzyatiya"] / 8]
    v += [len(partiya["koloda"]["karty"]) / 24, len(partiya["stol"]["pary"]) / 6, partiya["stol"]["kto_hodit"] == "ya"]
    moi = [k["rang"] for m in partiya["igroki"]["ya"]["ruka"].values() for k in m.values()]
    v += [sum(moi) / max(1, len(moi)) / 14, max(moi, default=0) / 14, len(partiya["igroki"]["ya"]["ruka"][kozyr]) / 9]
    return np.array(v, dtype=np.float32)


def maska(hody):
    m = np.zeros(VSEGO_HODOV, dtype=bool)
    m[hody] = True
    return m
