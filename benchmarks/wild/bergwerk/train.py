import json
import os
import time
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import nn

from grube import RICHTUNGEN, ZUSTANDSGROESSE, Grube
from steiger import Steiger

torch.set_num_threads(1)
torch.manual_seed(1517)


@dataclass
class Vorgaben:
    laenge: int = 256
    durchgaenge: int = 3
    stapel: int = 64
    gamma: float = 0.97
    lambda_: float = 0.92
    lernrate: float = 7e-4
    sekunden: float = float(os.environ.get("WILD_SECONDS", 20))


@dataclass
class Stoppuhr:
    zeiten: dict = field(default_factory=dict)
    anfang: int = 0
    zuletzt: int = 0

    def los(self):
        self.anfang = self.zuletzt = time.perf_counter_ns()

    def bis_hier(self, wofuer):
        jetzt = time.perf_counter_ns()
        self.zeiten[wofuer] = self.zeiten.get(wofuer, 0) + jetzt - self.zuletzt
        self.zuletzt = jetzt


class Lehrbetrieb:
    def __init__(self, v):
        self.v, self.uhr = v, Stoppuhr()
        self.grube, self.probegrube = Grube(1), Grube(2)
        self.netz = Steiger(ZUSTANDSGROESSE, len(RICHTUNGEN))
        self.optimierer = torch.optim.Adam(self.netz.parameters(), lr=v.lernrate, eps=1e-5)
        self.schritte = self.fahrten = self.updates = 0
        self.ausbeute, self.summe = [], 0.0

    def neue_fahrt(self):
        self.grube.neu_graben()
        self.uhr.bis_hier("graben")
        self.zustand = self.grube.umschau()
        self.uhr.bis_hier("umschau")

    def sammeln(self):
        v, uhr, netz = self.v, self.uhr, self.netz
        z = np.zeros((v.laenge, ZUSTANDSGROESSE), np.float32)
        a = np.zeros(v.laenge, np.int64)
        lp, w, r, e = (np.zeros(v.laenge, np.float32) for _ in range(4))
        for t in range(v.laenge):
            uhr.bis_hier("rest")
            with torch.no_grad():
                aktion, logp, _, wert, _ = netz.get_action_and_value(torch.from_numpy(self.zustand).unsqueeze(0))
            gewaehlt = int(aktion)
            z[t], a[t], lp[t], w[t] = self.zustand, gewaehlt, float(logp), float(wert)
            uhr.bis_hier("waehlen")
            r[t], e[t] = self.grube.schicht_fahren(gewaehlt)
            uhr.bis_hier("fahren")
            self.summe += r[t]
            self.schritte += 1
            if e[t]:
                self.ausbeute.append((self.summe, self.grube.erz))
                self.summe = 0.0
                self.fahrten += 1
                uhr.bis_hier("rest")
                self.neue_fahrt()
            else:
                self.zustand = self.grube.umschau()
                uhr.bis_hier("umschau")
        return z, a, lp, w, r, e

    def vorteile(self, w, r, e):
        v = self.v
        self.uhr.bis_hier("rest")
        with torch.no_grad():
            x = torch.from_numpy(self.zustand).unsqueeze(0)
            naechster = float((self.netz.policy_for(x).probs * self.netz.evaluate(x)).sum())
        self.uhr.bis_hier("endwert")
        vorteil, lauf = np.zeros_like(r), 0.0
        for t in reversed(range(len(r))):
            lebt = 1.0 - e[t]
            lauf = r[t] + v.gamma * naechster * lebt - w[t] + v.gamma * v.lambda_ * lebt * lauf
            vorteil[t], naechster = lauf, w[t]
        self.uhr.bis_hier("vorteile")
        return vorteil

    def lernen(self, z, a, lp, vorteil, ziel):
        v, netz = self.v, self.netz
        z, a, lp, vorteil, ziel = (torch.from_numpy(x) for x in (z, a, lp, vorteil, ziel))
        with torch.no_grad():
            alt = netz.policy_for(z)
        for _ in range(v.durchgaenge):
            for teil in torch.randperm(v.laenge).split(v.stapel):
                _, logp, entropie, wert, guete = netz.get_action_and_value(z[teil], a[teil])
                norm = (vorteil[teil] - vorteil[teil].mean()) / (vorteil[teil].std() + 1e-6)
                quotient = (logp - lp[teil]).exp()
                akteur = -torch.min(quotient * norm, quotient.clamp(0.8, 1.2) * norm).mean()
                kritiker = (guete.gather(1, a[teil, None])[:, 0] - ziel[teil]).pow(2).mean() + 0.5 * (wert - ziel[teil]).pow(2).mean()
                verlust = akteur + 0.5 * kritiker - 0.01 * entropie.mean()
                self.optimierer.zero_grad()
                verlust.backward()
                nn.utils.clip_grad_norm_(netz.parameters(), 0.5)
                self.optimierer.step()
                self.updates += 1
            with torch.no_grad():
                kl = torch.distributions.kl_divergence(alt, netz.policy_for(z)).mean().item()
                fehler = (netz.evaluate(z).gather(1, a[:, None])[:, 0] - ziel).abs().mean().item()
            if kl > 0.03:
                break
        self.uhr.bis_hier("lernen")
        return verlust.item(), kl, fehler

    def probefahrt(self):
        g, summe, ende = self.probegrube, 0.0, False
        g.neu_graben()
        while not ende:
            with torch.no_grad():
                x = torch.from_numpy(g.umschau()).unsqueeze(0)
                wahl = int((self.netz.policy_for(x).probs + 0.01 * self.netz.evaluate(x)).argmax())
            lohn, ende = g.schicht_fahren(wahl)
            summe += lohn
        self.uhr.bis_hier("probe")
        return summe

    def betreiben(self):
        uhr, runde = self.uhr, 0
        uhr.los()
        self.neue_fahrt()
        while (time.perf_counter_ns() - uhr.anfang) < self.v.sekunden * 1e9:
            z, a, lp, w, r, e = self.sammeln()
            vorteil = self.vorteile(w, r, e)
            verlust, kl, fehler = self.lernen(z, a, lp, vorteil, vorteil + w)
            runde += 1
            if runde % 20 == 0:
                uhr.bis_hier("rest")
                probe = self.probefahrt()
                m = np.mean(self.ausbeute[-50:], axis=0)
                print(f"Runde {runde}: Lohn {m[0]:.2f}, Erz {m[1]:.1f}, Probe {probe:.2f}, Verlust {verlust:.3f}, KL {kl:.4f}, Fehler {fehler:.2f}",
                      flush=True)
                uhr.bis_hier("bericht")
        uhr.bis_hier("rest")
        return uhr.zuletzt - uhr.anfang


if __name__ == "__main__":
    betrieb = Lehrbetrieb(Vorgaben())
    dauer = betrieb.betreiben()
    namen = {"graben": "env.reset", "umschau": "env.observe", "waehlen": "act", "fahren": "env.step+env.reward", "endwert": "act.value",
             "vorteile": "learn.returns", "lernen": "learn.*", "probe": "eval", "bericht": "log", "rest": "other"}
    if os.environ.get("WILD_TRUTH"):
        with open(os.environ["WILD_TRUTH"], "w") as datei:
            json.dump({"wall_seconds": dauer / 1e9, "stages": {namen[k]: t / 1e9 for k, t in betrieb.uhr.zeiten.items()},
                       "env_steps": betrieb.schritte, "episodes": betrieb.fahrten, "updates": betrieb.updates,
                       "note": "The network has no forward; it is entered by policy_for, evaluate, get_action_and_value. act = get_action_and_value in "
                               "sammeln, with storing the row into the rollout arrays; act.value = policy_for and evaluate once per rollout (last "
                               "value); learn.* = lernen (get_action_and_value with actions, loss, backward, Adam, KL and error check after each "
                               "pass); eval = probefahrt; env.step+env.reward = schicht_fahren; env.observe = umschau."}, datei, indent=1)
