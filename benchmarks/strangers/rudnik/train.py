# Zapusk: python train.py
import json
import os
import random

import torch

from khronometr import Khronometr, Nemoy
from plaginy import sobrat_mir, Igrok, Gruz, SistemaNablyudeniya
from uchenik import Pamyat, Uchenik

SEKUND = float(os.environ.get("WILD_SECONDS", "20"))
PACHKA = 32
RAZOGREV = 32
KAZHDYE = 16


class Obuchenie:
    def __init__(self):
        self.khron = Khronometr()
        self.mir = sobrat_mir(self.khron, zerno=1)
        self.mir_ekzamena = sobrat_mir(Nemoy(), zerno=77)
        self.uchenik = Uchenik(SistemaNablyudeniya.RAZMER)
        self.pamyat = Pamyat(8192, SistemaNablyudeniya.RAZMER)
        self.shagov = self.igr = 0
        self.istoriya = []

    def vid_nachala(self, mir):
        mir.khron.nachat("env.observe")
        v = mir.glaza.sobrat()
        mir.khron.konchit()
        return v

    def igra(self):
        kh, mir = self.khron, self.mir
        mir.sbrosit()
        vid = self.vid_nachala(mir)
        summa = 0.0
        while True:
            kh.nachat("act")
            a = self.uchenik.reshit(vid)
            kh.konchit()
            mir.igrok[Igrok].zhelanie = a
            mir.takt()
            self.shagov += 1
            summa += mir.nagrada
            kh.nachat("replay.add")
            self.pamyat.zapomnit(vid, a, mir.nagrada, mir.vid, mir.konets)
            kh.konchit()
            vid = mir.vid
            self.uchenik.eps = max(0.05, self.uchenik.eps * 0.9995)
            if self.shagov > RAZOGREV and self.shagov % KAZHDYE == 0:
                self.uchit()
            if mir.konets:
                self.igr += 1
                self.istoriya.append((summa, mir.igrok[Gruz].schyot, mir.sopernik[Gruz].schyot))
                return True
            if kh.proshlo() > SEKUND:
                return False

    def uchit(self):
        kh = self.khron
        kh.nachat("replay.sample")
        nomera, pachka = self.pamyat.vybrat(PACHKA)
        kh.konchit()
        kh.nachat("learn.*")
        oshibki = self.uchenik.urok(pachka)
        kh.konchit()
        kh.nachat("replay.update")
        self.pamyat.popravit(nomera, oshibki)
        kh.konchit()

    def ekzamen(self):
        self.khron.nachat("eval")
        mir = self.mir_ekzamena
        mir.sbrosit()
        vid = self.vid_nachala(mir)
        mir.konets = False
        while not mir.konets:
            mir.igrok[Igrok].zhelanie = self.uchenik.reshit(vid, eps=0.02)
            mir.takt()
            vid = mir.vid
        ochki = mir.igrok[Gruz].schyot, mir.sopernik[Gruz].schyot
        self.khron.konchit()
        return ochki

    def otchyot(self, ekz=None):
        self.khron.nachat("log")
        h = self.istoriya[-10:]
        print("igra %4d  shag %6d  nagrada %6.2f  my %.1f : %.1f on  eps %.2f%s" % (
            self.igr, self.shagov, sum(x[0] for x in h) / len(h), sum(x[1] for x in h) / len(h),
            sum(x[2] for x in h) / len(h), self.uchenik.eps, "  ekzamen %d:%d" % ekz if ekz else ""), flush=True)
        self.khron.konchit()

    def vpered(self):
        self.khron.pusk()
        while self.khron.proshlo() < SEKUND and self.igra():
            ekz = self.ekzamen() if self.igr % 10 == 0 else None
            if self.igr % 5 == 0:
                self.otchyot(ekz)
            if self.igr % 15 == 0:
                self.khron.nachat("checkpoint")
                torch.save(self.uchenik.set.state_dict(), "rudnik.pt")
                self.khron.konchit()
        return self.khron.stop()


if __name__ == "__main__":
    torch.set_num_threads(1)
    random.seed(5)
    torch.manual_seed(5)
    o = Obuchenie()
    stena = o.vpered()
    kuda = os.environ.get("WILD_TRUTH")
    if kuda:
        with open(kuda, "w", encoding="utf-8") as f:
            json.dump({"wall_seconds": stena, "stages": dict(o.khron.itog), "env_steps": o.shagov, "episodes": o.igr,
                       "updates": o.uchenik.urokov}, f)
    for e, s in o.khron.itog.most_common():
        print("%-14s %7.2f" % (e, s))
