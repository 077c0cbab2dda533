"""Arbeiterprozesse: jeder haelt ein paar Partien und redet ueber eine Pipe."""
import multiprocessing as mp
from time import perf_counter as jetzt

import numpy as np

from partie import Partie

POSTEN = ("env.step", "env.opponent", "env.reward", "env.reset", "env.observe", "env.mask")


def _soldat(rohr, nummer, wieviele):
    partien = [Partie(1000 * nummer + i) for i in range(wieviele)]
    try:
        while True:
            wort, inhalt = rohr.recv()
            z = dict.fromkeys(POSTEN, 0.0)
            if wort == "befehle":
                blicke, masken, lohn, enden, siege = [], [], [], [], []
                for p, nr in zip(partien, inhalt):
                    p.gegnerzeit = 0.0
                    a = jetzt()
                    p.befehl(int(nr))
                    b = jetzt()
                    z["env.step"] += b - a - p.gegnerzeit
                    z["env.opponent"] += p.gegnerzeit
                    lohn.append(p.belohnung())
                    c = jetzt()
                    z["env.reward"] += c - b
                    enden.append(p.vorbei)
                    if p.vorbei:
                        siege.append(p.sieger == 0)
                        p.aufstellen()
                        d = jetzt()
                        z["env.reset"] += d - c
                        c = d
                    blicke.append(p.blick())
                    d = jetzt()
                    z["env.observe"] += d - c
                    masken.append(p.erlaubt())
                    z["env.mask"] += jetzt() - d
                rohr.send((np.stack(blicke), np.stack(masken), lohn, enden, siege, z))
            elif wort == "antreten":
                a = jetzt()
                for p in partien:
                    p.aufstellen()
                b = jetzt()
                blicke = np.stack([p.blick() for p in partien])
                c = jetzt()
                masken = np.stack([p.erlaubt() for p in partien])
                d = jetzt()
                z["env.reset"], z["env.observe"], z["env.mask"] = b - a, c - b, d - c
                rohr.send((blicke, masken, z))
            elif wort == "wegtreten":
                break
    except (EOFError, KeyboardInterrupt):
        pass
    rohr.close()


class Kaserne:
    def __init__(self, prozesse, partien_je, buch):
        self.je = partien_je
        self.buch = buch
        self.rohre, self.leute = [], []
        ctx = mp.get_context("fork")
        for n in range(prozesse):
            hier, dort = ctx.Pipe()
            l = ctx.Process(target=_soldat, args=(dort, n, partien_je), daemon=True)
            l.start()
            dort.close()
            self.rohre.append(hier)
            self.leute.append(l)

    @property
    def anzahl(self):
        return self.je * len(self.rohre)

    def _sammeln(self):
        t = jetzt()
        antworten = [r.recv() for r in self.rohre]
        gewartet = jetzt() - t
        # wer am laengsten zu tun hatte, auf den wurde gewartet
        zettel = max((a[-1] for a in antworten), key=lambda z: sum(z.values()))
        arbeit = sum(zettel.values())
        teil = min(gewartet, arbeit)
        for k, v in zettel.items():
            self.buch[k] += teil * v / arbeit
        self.buch["vec.wait"] += gewartet - teil
        return antworten

    def antreten(self):
        t = jetzt()
        for r in self.rohre:
            r.send(("antreten", None))
        self.buch["vec.send"] += jetzt() - t
        antw = self._sammeln()
        return np.concatenate([a[0] for a in antw]), np.concatenate([a[1] for a in antw])

    def befehle(self, nummern):
        t = jetzt()
        for i, r in enumerate(self.rohre):
            r.send(("befehle", nummern[i * self.je:(i + 1) * self.je]))
        self.buch["vec.send"] += jetzt() - t
        antw = self._sammeln()
        blick = np.concatenate([a[0] for a in antw])
        maske = np.concatenate([a[1] for a in antw])
        lohn = np.array([x for a in antw for x in a[2]], dtype=np.float32)
        ende = np.array([x for a in antw for x in a[3]], dtype=np.float32)
        siege = [x for a in antw for x in a[4]]
        return blick, maske, lohn, ende, siege

    def wegtreten(self):
        for r in self.rohre:
            r.send(("wegtreten", None))
        for l in self.leute:
            l.join(timeout=3)
