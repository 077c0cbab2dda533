import json
import os
import time

import torch

import uhr
from einstellungen import Einstellungen
from ppoAgent import PpoAgent, Speicher
from turmSpiel import TurmSpiel
from uhr import gemessen

laufZeit = float(os.environ.get("WILD_SECONDS", 20))


class Training:
    def __init__(self):
        torch.manual_seed(7)
        torch.set_num_threads(1)
        self.ein = Einstellungen()
        self.spiel = TurmSpiel(self.ein, samen=7)
        self.probeSpiel = TurmSpiel(self.ein, samen=1234)
        sicht, _ = self.spiel.neuStarten()
        self.agent = PpoAgent(len(sicht), self.spiel.anzahlAktionen, self.ein)
        self.speicher = Speicher()
        self.zuege = 0
        self.spiele = 0
        self.ergebnisse = []

    def starten(self):
        uhr.zeiten.clear()
        self.startZeit = time.perf_counter()
        self.sicht, self.maske = self.spiel.neuStarten()
        self.summe = 0.0
        runde = 0
        while not self.zeitUm():
            self.sammeln()
            if len(self.speicher) < 2:
                break
            _, _, letzterWert = self.agent.waehle(self.sicht, self.maske)
            vorteil, ziel = self.agent.vorteile(self.speicher, letzterWert)
            verlust = self.agent.lerne(self.speicher, vorteil, ziel)
            self.speicher.leeren()
            runde += 1
            if runde % 4 == 0:
                self.melden(runde, verlust)
            if runde % 10 == 0:
                self.probePartie()
                self.sichern()
        self.gesamt = time.perf_counter() - self.startZeit

    def zeitUm(self):
        return time.perf_counter() - self.startZeit >= laufZeit

    def sammeln(self):
        for _ in range(self.ein.rollLaenge):
            aktion, logWahr, wert = self.agent.waehle(self.sicht, self.maske)
            neueSicht, neueMaske, lohn, vorbei = self.spiel.ziehen(aktion)
            self.speicher.merken(self.sicht, self.maske, aktion, logWahr, wert, lohn, vorbei)
            self.zuege += 1
            self.summe += lohn
            if vorbei:
                self.spiele += 1
                self.ergebnisse.append((self.summe, self.spiel.welle))
                self.summe = 0.0
                neueSicht, neueMaske = self.spiel.neuStarten()
            self.sicht, self.maske = neueSicht, neueMaske
            if self.zeitUm():
                break

    @gemessen("eval")
    def probePartie(self):
        sicht, maske = self.probeSpiel.neuStarten()
        vorbei = False
        while not vorbei:
            aktion, _, _ = self.agent.waehle(sicht, maske, gierig=True)
            sicht, maske, _, vorbei = self.probeSpiel.ziehen(aktion)
        print("   Probepartie: Welle", self.probeSpiel.welle, "Leben", self.probeSpiel.leben, flush=True)

    @gemessen("log")
    def melden(self, runde, verlust):
        letzte = self.ergebnisse[-20:]
        if letzte:
            lohn = sum(e[0] for e in letzte) / len(letzte)
            welle = sum(e[1] for e in letzte) / len(letzte)
            print(f"Runde {runde:4d}  Züge {self.zuege:6d}  Spiele {self.spiele:4d}  Lohn {lohn:7.2f}  Welle {welle:4.1f}  Verlust {verlust:.3f}", flush=True)

    @gemessen("checkpoint")
    def sichern(self):
        torch.save({"netz": self.agent.netz.state_dict(), "zuege": self.zuege}, "turm.pt")

    def wahrheitSchreiben(self):
        pfad = os.environ.get("WILD_TRUTH")
        if not pfad:
            return
        stufen = dict(uhr.zeiten)
        stufen["other"] = self.gesamt - sum(stufen.values())
        with open(pfad, "w") as f:
            json.dump({"wall_seconds": self.gesamt, "stages": stufen, "env_steps": self.zuege,
                       "episodes": self.spiele, "updates": self.agent.schritte}, f, indent=2)


if __name__ == "__main__":
    training = Training()
    training.starten()
    training.wahrheitSchreiben()
