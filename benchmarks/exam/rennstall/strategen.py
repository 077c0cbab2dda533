"""Die Boxenmauer der Konkurrenz, drei Klassen."""
from rennen import (SPAREN, NORMAL, PUSH, BOX_SOFT, BOX_MEDIUM, BOX_HARD, BOX_REGEN, BOX_ZEIT, MISCHUNGEN, REIFEN)


class Stur:
    """Faehrt zur geplanten Runde an die Box, egal was passiert."""

    def __init__(self, rng):
        self.wann = rng.uniform(0.35, 0.65)
        self.rng = rng

    def entscheide(self, rennen, a):
        m = rennen.erlaubt(a)
        if a.boxen == 0 and rennen.nr >= self.wann * rennen.runden and m[BOX_HARD]:
            return BOX_HARD
        return NORMAL


class Schwelle(Stur):
    """Achtet auf Abrieb und Regen."""

    def entscheide(self, rennen, a):
        m = rennen.erlaubt(a)
        n = rennen.wetter.naesse
        if n > 0.35 and a.reifen.art != "regen" and m[BOX_REGEN]:
            return BOX_REGEN
        if n < 0.15 and a.reifen.art == "regen" and m[BOX_MEDIUM]:
            return BOX_MEDIUM
        if a.reifen.abrieb > 0.7:
            for w in (BOX_HARD, BOX_MEDIUM, BOX_SOFT):
                if m[w]:
                    return w
        return PUSH if self.rng.random() < 0.15 and m[PUSH] else NORMAL


class Rechner(Schwelle):
    """Rechnet die naechsten Runden fuer jede Moeglichkeit durch und nimmt die schnellste."""
    WEIT = 7

    def entscheide(self, rennen, a):
        m = rennen.erlaubt(a)
        rest = rennen.runden - rennen.nr
        weit = min(self.WEIT, rest)
        regen = rennen.wetter.vorhersage(rennen.nr, weit)
        bestes, wahl = 1e9, NORMAL
        for w in (NORMAL, PUSH, BOX_SOFT, BOX_MEDIUM, BOX_HARD, BOX_REGEN):
            if not m[w]:
                continue
            k = self.kosten(rennen, a, w, weit, regen)
            if w >= BOX_SOFT:
                # der Stopp zahlt sich ueber das ganze Restrennen aus
                k += BOX_ZEIT * (0.6 if rennen.safety else 1.0) * weit / max(weit, rest)
                if len(a.benutzt) < 2 and MISCHUNGEN[w - 3] not in a.benutzt:
                    k -= 25.0 * weit / max(weit, rest)
            if k < bestes:
                bestes, wahl = k, w
        return wahl

    def kosten(self, rennen, a, w, weit, regen):
        art = MISCHUNGEN[w - 3] if w >= BOX_SOFT else a.reifen.art
        abrieb = 0.0 if w >= BOX_SOFT else a.reifen.abrieb
        basis, rate, klippe = REIFEN[art]
        rate *= rennen.strecke.reifenmord * (1.35 if w == PUSH else 1.0)
        naesse, summe = rennen.wetter.naesse, 0.0
        for i in range(weit):
            naesse += 0.35 * (regen[i] - naesse)
            abrieb += rate
            z = basis + 2.2 * abrieb + (-0.75 if w == PUSH else 0.0)
            if abrieb > klippe:
                z += 14.0 * (abrieb - klippe)
            if art == "regen":
                z -= 5.5 * min(naesse, 0.6)
            else:
                z += 11.0 * naesse * naesse + 2.5 * naesse
            summe += z
        return summe
