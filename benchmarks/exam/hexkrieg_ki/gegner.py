"""Der Computergegner: bewertet fuer jede seiner Einheiten alle acht Befehle."""
from karte import NACHBAR, DECKUNG, ABSTAND, WASSER
from einheiten import erwarteter_schaden


class GegnerKI:
    def __init__(self, seite, rng, patzer=0.25):
        self.seite, self.rng, self.patzer = seite, rng, patzer

    def ziel_feld(self, gefecht, e):
        karte = gefecht.karte
        ziele = [s for s, b in karte.besitzer.items() if b != self.seite]
        if not ziele or e.typ.kurz == "A":
            ziele = ziele + [f.ort for f in gefecht.einheiten if f.seite != self.seite and f.hp > 0]
        return karte.entfernungen(ziele, e.typ.wald)

    def gefahr(self, gefecht, e, ort):
        s = 0.0
        for f in gefecht.einheiten:
            if f.seite != self.seite and f.hp > 0:
                if ABSTAND[f.ort][ort] <= f.typ.reichweite + f.typ.tempo - (f.typ.reichweite > 1):
                    s += erwarteter_schaden(f, e, gefecht.karte)
        return s * (1.0 - DECKUNG[gefecht.karte.gelaende[ort]])

    def bewerten(self, gefecht, e, b, feld):
        karte = gefecht.karte
        if b == 0:
            wert = -feld[e.ort] - 0.3 * self.gefahr(gefecht, e, e.ort)
            if e.ort in karte.besitzer and e.hp < 7:
                wert += 1.5
            return wert
        if b == 7:
            ziele = gefecht.ziele(e)
            if not ziele:
                return -1e9
            z = min(ziele, key=lambda f: f.hp)
            return self.angriff(gefecht, e, z) - feld[e.ort]
        ort = e.ort
        for _ in range(e.typ.tempo):
            n = NACHBAR[ort][b - 1]
            if n < 0 or karte.gelaende[n] == WASSER:
                break
            da = gefecht.wer_auf(n)
            if da is not None:
                if da.seite != self.seite:
                    return self.angriff(gefecht, e, da) - feld[ort]
                break
            ort = n
            if n in karte.besitzer:
                break
        if ort == e.ort:
            return -1e9
        wert = -feld[ort] - 0.3 * self.gefahr(gefecht, e, ort) + 0.3 * self.weiter(gefecht, e, ort, feld)
        if karte.besitzer.get(ort, self.seite) != self.seite:
            wert += 2.5
        if karte.besitzer.get(e.ort) == self.seite and self.gefahr(gefecht, e, e.ort) > 0:
            wert -= 1.0      # Stadt nicht unnoetig raeumen
        return wert

    def weiter(self, gefecht, e, ort, feld):
        """Ein Blick auf den naechsten Schritt: wie gut steht man danach?"""
        bestes = -20.0
        for n in NACHBAR[ort]:
            if n >= 0 and gefecht.karte.gelaende[n] != WASSER and gefecht.wer_auf(n) is None:
                bestes = max(bestes, feld[ort] - feld[n] - 0.3 * self.gefahr(gefecht, e, n))
        return bestes

    def angriff(self, gefecht, e, z):
        raus = erwarteter_schaden(e, z, gefecht.karte)
        rein = 0.0
        if raus < z.hp and ABSTAND[e.ort][z.ort] <= z.typ.reichweite:
            rein = 0.5 * erwarteter_schaden(z, e, gefecht.karte)
        return raus - 0.8 * rein + (2.5 if raus >= z.hp else 0.0) + 0.5

    def zug(self, gefecht):
        """Immer die Einheit zuerst, die gerade den besten Befehl hat; danach neu rechnen."""
        offen = [e for e in gefecht.einheiten if e.seite == self.seite and e.hp > 0]
        while offen:
            beste, befehl, top = None, 0, -1e18
            for e in offen:
                feld = self.ziel_feld(gefecht, e)
                stehen = self.bewerten(gefecht, e, 0, feld)
                for b in range(1, 8):
                    w = self.bewerten(gefecht, e, b, feld) - stehen    # Gewinn gegenueber Halten
                    if w > top:
                        beste, befehl, top = e, b, w
            if top < 0:
                befehl = 0
            if self.rng.random() < self.patzer:
                befehl = self.rng.randrange(8)
            gefecht.befehl(beste, befehl)
            offen = [e for e in offen if e is not beste and e.hp > 0]
