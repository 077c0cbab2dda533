# Karten und Kampf fuer "Tavernenkampf" (mein kleiner Autobattler)
import copy
import random


class Karte:
    def __init__(self, name, stufe, angriff, leben, stamm, faehigkeit=None):
        self.name = name
        self.stufe = stufe
        self.angriff = angriff
        self.leben = leben
        self.stamm = stamm
        self.faehigkeit = faehigkeit
        self.schild = faehigkeit == "schild"
        self.spott = faehigkeit == "spott"

    def __repr__(self):
        return f"{self.name}({self.angriff}/{self.leben})"


ALLE_KARTEN = [
    Karte("Kobold", 1, 2, 1, "kobold"),
    Karte("Wachhund", 1, 1, 3, "tier", "spott"),
    Karte("Ratte", 1, 2, 2, "tier", "brut"),
    Karte("Lehrling", 1, 1, 2, "magier", "funke"),
    Karte("Plattenknecht", 2, 2, 3, "ritter", "schild"),
    Karte("Wolf", 2, 3, 2, "tier", "rudel"),
    Karte("Koboldkoenig", 2, 2, 4, "kobold", "rudel"),
    Karte("Feuerhexe", 2, 3, 3, "magier", "funke"),
    Karte("Torwaechter", 3, 3, 6, "ritter", "spott"),
    Karte("Baer", 3, 5, 5, "tier"),
    Karte("Brutmutter", 3, 3, 4, "tier", "brut"),
    Karte("Erzmagier", 4, 4, 6, "magier", "funke"),
    Karte("Paladin", 4, 6, 6, "ritter", "schild"),
    Karte("Drache", 5, 8, 9, "drache", "funke"),
]
STAEMME = ["kobold", "tier", "magier", "ritter", "drache"]
FAEHIGKEITEN = ["schild", "spott", "brut", "funke", "rudel"]


def rudel_bonus(trupp):
    for k in trupp:
        if k.faehigkeit == "rudel":
            for anderer in trupp:
                if anderer is not k and anderer.stamm == k.stamm:
                    anderer.angriff += 1
                    anderer.leben += 1


def waehle_ziel(trupp, zufall):
    spotter = [k for k in trupp if k.spott]
    return zufall.choice(spotter or trupp)


def schaden(karte, menge):
    if menge <= 0:
        return
    if karte.schild:
        karte.schild = False
        return
    karte.leben -= menge


def aufraeumen(trupp):
    neu = []
    for k in trupp:
        if k.leben > 0:
            neu.append(k)
        elif k.faehigkeit == "brut":
            neu.append(Karte("Welpe", 1, 1, 1, "tier"))
    return neu


def kampf(trupp_a, trupp_b, zufall):
    """Ein ganzer Kampf. Rueckgabe: >0 A gewinnt (uebrige Stufen), <0 B gewinnt."""
    a = copy.deepcopy(trupp_a)      # damit die Originale heil bleiben
    b = copy.deepcopy(trupp_b)
    rudel_bonus(a)
    rudel_bonus(b)
    seiten = [a, b]
    dran = 0 if len(a) > len(b) else 1 if len(b) > len(a) else zufall.randrange(2)
    zeiger = [0, 0]
    for _ in range(80):
        if not seiten[0] or not seiten[1]:
            break
        meine, andere = seiten[dran], seiten[1 - dran]
        angreifer = meine[zeiger[dran] % len(meine)]
        ziel = waehle_ziel(andere, zufall)
        if angreifer.faehigkeit == "funke":
            schaden(zufall.choice(andere), 1 + angreifer.stufe // 2)
        schaden(ziel, angreifer.angriff)
        schaden(angreifer, ziel.angriff)
        zeiger[dran] += 1
        seiten[0] = aufraeumen(seiten[0])
        seiten[1] = aufraeumen(seiten[1])
        dran = 1 - dran
    return sum(k.stufe for k in seiten[0]) - sum(k.stufe for k in seiten[1])


def ziehe_angebot(stufe, zufall):
    topf = []
    for k in ALLE_KARTEN:
        if k.stufe <= stufe:
            topf += [k] * (7 - k.stufe)
    return [copy.deepcopy(zufall.choice(topf)) for _ in range(4)]
