import random

import chasy

MASTI = ["piki", "trefy", "bubny", "chervi"]
RANGI = [6, 7, 8, 9, 10, 11, 12, 13, 14]
VZYAT_ILI_BITO = 36
VSEGO_HODOV = 37


def nomer(karta):
    return MASTI.index(karta["mast"]) * 9 + karta["rang"] - 6


def iz_nomera(n):
    return {"mast": MASTI[n // 9], "rang": n % 9 + 6}


class Durak:
    """Podkidnoj durak na dvoih. Vsyo sostoyanie lezhit v odnom slovare."""

    def __init__(self, zerno):
        self.kubik = random.Random(zerno)

    def razdat(self):
        koloda = [iz_nomera(n) for n in range(36)]
        self.kubik.shuffle(koloda)
        self.partiya = {
            "koloda": {"karty": koloda, "kozyr": {"mast": koloda[0]["mast"], "karta": koloda[0]}},
            "stol": {"pary": [], "kto_hodit": self.kubik.choice(["ya", "sosed"])},
            "igroki": {k: {"ruka": {m: {} for m in MASTI}, "vzyal": {m: [] for m in MASTI}, "ochki": {"bito": 0, "vzyatiya": 0}}
                       for k in ("ya", "sosed")},
            "otboj": {m: {} for m in MASTI},
            "zhurnal": [],
            "itog": None,
        }
        self.dobor()
        self.do_menya()

    # --- melochi
    def ruka(self, kto):
        return [k for mast in self.partiya["igroki"][kto]["ruka"].values() for k in mast.values()]

    def skolko(self, kto):
        return sum(len(m) for m in self.partiya["igroki"][kto]["ruka"].values())

    def dobor(self):
        koloda = self.partiya["koloda"]["karty"]
        pervyj = self.partiya["stol"]["kto_hodit"]
        for kto in (pervyj, self.drugoj(pervyj)):
            while koloda and self.skolko(kto) < 6:
                k = koloda.pop()
                self.partiya["igroki"][kto]["ruka"][k["mast"]][k["rang"]] = k
        if not koloda and self.partiya["itog"] is None:
            for kto in ("ya", "sosed"):
                if self.skolko(kto) == 0 and not self.partiya["stol"]["pary"]:
                    self.partiya["itog"] = kto

    @staticmethod
    def drugoj(kto):
        return "sosed" if kto == "ya" else "ya"

    def byot(self, chem, chto):
        if chem["mast"] == chto["mast"]:
            return chem["rang"] > chto["rang"]
        return chem["mast"] == self.partiya["koloda"]["kozyr"]["mast"]

    def zashchita_nuzhna(self):
        pary = self.partiya["stol"]["pary"]
        return bool(pary) and pary[-1]["zashchita"] is None

    def chej_vybor(self):
        atakuet = self.partiya["stol"]["kto_hodit"]
        return self.drugoj(atakuet) if self.zashchita_nuzhna() else atakuet

    def mozhno(self, kto):
        pary = self.partiya["stol"]["pary"]
        if self.zashchita_nuzhna():
            return [nomer(k) for k in self.ruka(kto) if self.byot(k, pary[-1]["ataka"])] + [VZYAT_ILI_BITO]
        if not pary:
            return [nomer(k) for k in self.ruka(kto)]
        hody = [VZYAT_ILI_BITO]
        if len(pary) < 6 and self.skolko(self.drugoj(kto)) > 0:
            rangi = {p[storona]["rang"] for p in pary for storona in ("ataka", "zashchita")}
            hody += [nomer(k) for k in self.ruka(kto) if k["rang"] in rangi]
        return hody

    # --- hod
    def primenit(self, kto, hod):
        p = self.partiya
        pary = p["stol"]["pary"]
        p["zhurnal"].append({"kto": kto, "hod": hod, "zashchita": self.zashchita_nuzhna(), "ostalos": len(p["koloda"]["karty"])})
        if hod != VZYAT_ILI_BITO:
            k = iz_nomera(hod)
            karta = p["igroki"][kto]["ruka"][k["mast"]].pop(k["rang"])
            if karta["rang"] in p["igroki"][kto]["vzyal"][karta["mast"]]:
                p["igroki"][kto]["vzyal"][karta["mast"]].remove(karta["rang"])
            if self.zashchita_nuzhna():
                pary[-1]["zashchita"] = karta
            else:
                pary.append({"ataka": karta, "zashchita": None})
            return
        karty = [para[s] for para in pary for s in ("ataka", "zashchita") if para[s]]
        pary.clear()
        if kto != p["stol"]["kto_hodit"]:
            for k in karty:
                p["igroki"][kto]["ruka"][k["mast"]][k["rang"]] = k
                p["igroki"][kto]["vzyal"][k["mast"]].append(k["rang"])
            p["igroki"][kto]["ochki"]["vzyatiya"] += 1
        else:
            for k in karty:
                p["otboj"][k["mast"]][k["rang"]] = k
            p["igroki"][self.drugoj(kto)]["ochki"]["bito"] += 1
            p["stol"]["kto_hodit"] = self.drugoj(kto)
        self.dobor()

    def proverit_konec(self):
        p = self.partiya
        if p["itog"] is None and not p["koloda"]["karty"] and not self.zashchita_nuzhna():
            for kto in (p["stol"]["kto_hodit"], self.drugoj(p["stol"]["kto_hodit"])):
                if self.skolko(kto) == 0:
                    p["itog"] = kto
                    break
        if p["itog"] is None and len(p["zhurnal"]) > 300:
            p["itog"] = "nichya"
        return p["itog"] is not None

    def hod_soseda(self):
        hody = self.mozhno("sosed")
        kozyr = self.partiya["koloda"]["kozyr"]["mast"]
        karty = [h for h in hody if h != VZYAT_ILI_BITO]

        def cena(h):
            k = iz_nomera(h)
            return k["rang"] + (12 if k["mast"] == kozyr else 0)

        if not karty:
            return VZYAT_ILI_BITO
        luchshaya = min(karty, key=cena)
        if VZYAT_ILI_BITO in hody and cena(luchshaya) > 21 and len(self.partiya["koloda"]["karty"]) > 6:
            return VZYAT_ILI_BITO
        return luchshaya

    def do_menya(self):
        while not self.proverit_konec() and self.chej_vybor() == "sosed":
            chasy.nachat("sosed")
            hod = self.hod_soseda()
            chasy.konchit()
            self.primenit("sosed", hod)

    def shodit(self, hod):
        ya = self.partiya["igroki"]["ya"]["ochki"]
        bylo = dict(ya)
        self.primenit("ya", hod)
        self.do_menya()
        nagrada = 0.05 * (ya["bito"] - bylo["bito"]) - 0.05 * (ya["vzyatiya"] - bylo["vzyatiya"])
        if self.partiya["itog"] == "ya":
            nagrada += 1.0
        elif self.partiya["itog"] == "sosed":
            nagrada -= 1.0
        return nagrada, self.partiya["itog"] is not None
