"""Macht aus dem Rennen Zahlen fuer das Netz (so, wie ein Renningenieur auf seinen Bildschirm schaut)."""
import numpy as np
from rennen import MISCHUNGEN, REIFEN

MAX_AUTOS = 10
LAENGE = 14 + 5 + 4 + 9 * 4 + 4 * 3 + 7


def telemetrie(rennen, maske):
    a = rennen.ich
    x = [rennen.nr / rennen.runden, (rennen.runden - rennen.nr) / 20.0, a.platz / MAX_AUTOS, a.sprit,
         a.reifen.abrieb, a.reifen.alter / 10.0, a.boxen / 3.0, float(len(a.benutzt) > 1), a.schaden,
         rennen.safety / 2.0, rennen.wetter.naesse, rennen.strecke.reifenmord - 1.0,
         (a.letzte_runde - 85.0) / 10.0, a.staerke]
    x += rennen.wetter.vorhersage(rennen.nr, 5)
    x += [float(a.reifen.art == m) for m in MISCHUNGEN]
    andere = sorted((b for b in rennen.autos if b is not a), key=lambda b: abs(b.zeit - a.zeit))
    for i in range(9):
        if i < len(andere):
            b = andere[i]
            x += [max(-1.5, min(1.5, (b.zeit - a.zeit) / 15.0)), b.reifen.alter / 10.0,
                  float(b.reifen.art == a.reifen.art), (b.letzte_runde - a.letzte_runde) / 5.0]
        else:
            x += [0.0, 0.0, 0.0, 0.0]
    # was waere wenn: Zeit der naechsten 2/5/9 Runden mit jeder Mischung, gegenueber draussen bleiben
    def stint(art, abrieb, runden):
        basis, rate, klippe = REIFEN[art]
        n, z = rennen.wetter.naesse, 0.0
        for i in range(runden):
            n += 0.35 * (rennen.wetter.plan[rennen.nr] - n)
            abrieb += rate * rennen.strecke.reifenmord
            z += basis + 2.2 * abrieb + (14.0 * (abrieb - klippe) if abrieb > klippe else 0.0)
            z += -5.5 * min(n, 0.6) if art == "regen" else 11.0 * n * n + 2.5 * n
        return z
    for runden in (2, 5, 9):
        bleib = stint(a.reifen.art, a.reifen.abrieb, runden)
        for art in MISCHUNGEN:
            x.append(max(-1.5, min(1.5, (stint(art, 0.0, runden) - bleib) / 20.0)))
    x += [float(m) for m in maske]
    return np.asarray(x, dtype=np.float32)
