import copy
import os
import random
import tempfile
from time import perf_counter

import numpy as np
import torch
from torch import nn

from gedaechtnis import Gedaechtnis
from grube import Grube
from uhr import uhr

torch.set_num_threads(1)
torch.manual_seed(11)
random.seed(11)
np.random.seed(11)
DAUER = float(os.environ.get("WILD_SECONDS", 20))
BREITE = 49 * 8 + 16
VORLAUF = 600


def steiger_vormachen(anzahl):
    grube, blicke, zuege = Grube(1), [], []
    b = grube.neue_schicht()
    while len(zuege) < anzahl:
        rat = grube.steiger_raet()
        blicke.append(b)
        zuege.append(rat)
        b, _, ende = grube.zug(rat if random.random() > .15 else random.randrange(6))
        if ende:
            b = grube.neue_schicht()
    return torch.from_numpy(np.stack(blicke)), torch.tensor(zuege)


class Bergmann:
    def __init__(self):
        self.netz = nn.Sequential(nn.Linear(BREITE, 64), nn.ReLU(), nn.Linear(64, 6))
        self.traege = copy.deepcopy(self.netz)
        self.opt = torch.optim.Adam(self.netz.parameters(), 1e-3)

    def entscheiden(self, blick, neugier):
        if random.random() < neugier:
            return random.randrange(6)
        with torch.no_grad():
            return int(self.netz(torch.from_numpy(blick)).argmax())

    def nachahmen(self, blicke, zuege):
        verlust = nn.functional.cross_entropy(4 * self.netz(blicke), zuege)
        self.schritt(verlust)
        return verlust.item()

    def lernen(self, gewicht, o, a, r, o2, e):
        with torch.no_grad():
            bester = self.netz(o2).argmax(1, keepdim=True)
            soll = r + .97 * (1 - e) * self.traege(o2).gather(1, bester)[:, 0]
        fehler = self.netz(o).gather(1, a[:, None])[:, 0] - soll
        self.schritt((gewicht * nn.functional.smooth_l1_loss(fehler, torch.zeros_like(fehler), reduction="none")).mean())
        return fehler.detach().numpy()

    def schritt(self, verlust):
        self.opt.zero_grad()
        verlust.backward()
        nn.utils.clip_grad_norm_(self.netz.parameters(), 5.0)
        self.opt.step()


def pruefung(mann, runden=2):
    uhr.um(10)
    uhr.sperre = True
    summe = 0
    for n in range(runden):
        grube = Grube(500 + n)
        b, ende = grube.neue_schicht(), False
        while not ende:
            b, lohn, ende = grube.zug(mann.entscheiden(b, .02))
            summe += lohn
    uhr.sperre = False
    uhr.um(0)
    return summe / runden


ordner = tempfile.mkdtemp(prefix="schlagwetter")
zaehler = {"env_steps": 0, "episodes": 0, "updates": 0}
uhr.start(zaehler)
alle_blicke, alle_zuege = steiger_vormachen(4000)
mann, speicher, grube = Bergmann(), Gedaechtnis(8192, BREITE), Grube(2)

uhr.start(zaehler)
anfang = perf_counter()
durchgang = 0
while perf_counter() - anfang < DAUER * .25:
    reihe, verluste = torch.randperm(len(alle_zuege)), []
    for k in range(0, len(reihe), 128):
        uhr.um(7)
        blicke, zuege = alle_blicke[reihe[k:k + 128]], alle_zuege[reihe[k:k + 128]]
        uhr.um(9)
        verluste.append(mann.nachahmen(blicke, zuege))
        uhr.um(0)
        zaehler["updates"] += 1
    durchgang += 1
    if durchgang % 20 == 0:
        uhr.um(12)
        print(f"Lehre {durchgang}: Verlust {np.mean(verluste):.3f}")
        uhr.um(0)
uhr.abschnitt("offline")

mann.traege.load_state_dict(mann.netz.state_dict())
mann.opt = torch.optim.Adam(mann.netz.parameters(), 2e-4)
neugier, verlauf, erstes = .3, [], True
while perf_counter() - anfang < DAUER or erstes:
    blick, ende, summe = grube.neue_schicht(), False, 0
    while not ende:
        uhr.um(5)
        a = mann.entscheiden(blick, 1.0 if zaehler["env_steps"] < VORLAUF else neugier)
        uhr.um(0)
        neu, lohn, ende = grube.zug(a)
        uhr.um(6)
        speicher.merken(blick, a, lohn, neu, float(ende))
        uhr.um(0)
        blick = neu
        summe += lohn
        zaehler["env_steps"] += 1
        if zaehler["env_steps"] >= VORLAUF and zaehler["env_steps"] % 2 == 0:
            uhr.um(7)
            wo, *stapel = speicher.ziehen(96)
            uhr.um(9)
            fehler = mann.lernen(*stapel)
            uhr.um(8)
            speicher.neu_gewichten(wo, fehler)
            uhr.um(9)
            zaehler["updates"] += 1
            if zaehler["updates"] % 200 == 0:
                mann.traege.load_state_dict(mann.netz.state_dict())
            uhr.um(0)
            if erstes:
                erstes = False
                uhr.abschnitt("prefill")
    zaehler["episodes"] += 1
    verlauf.append(summe)
    neugier = max(.05, neugier * .98)
    if zaehler["episodes"] % 10 == 0:
        note = pruefung(mann)
        uhr.um(11)
        torch.save({"netz": mann.netz.state_dict(), "opt": mann.opt.state_dict()}, os.path.join(ordner, "bergmann.pt"))
        uhr.um(12)
        print(f"Schicht {zaehler['episodes']}: Lohn {np.mean(verlauf[-10:]):.2f} Pruefung {note:.2f}")
        uhr.um(0)
uhr.abschnitt("online")
wand, ganz = uhr.niederschrift()
print(f"{wand:.1f} s", {k: f"{100 * v / wand:.1f}%" for k, v in ganz.items()})
