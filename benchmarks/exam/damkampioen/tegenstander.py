import random


class OmeJoop:
    """Kijkt twee zetten vooruit (zijn zet, het beste antwoord daarop).  Let niet altijd op."""

    def __init__(self, slordig=0.25, zaad=11):
        self.slordig = slordig
        self.rnd = random.Random(zaad)

    def kies(self, bord, kleur):
        zetten = bord.mogelijke_zetten(kleur)
        if not zetten:
            return None
        if len(zetten) == 1 or self.rnd.random() < self.slordig:
            return self.rnd.choice(zetten)
        beste, hoogste = None, -999
        for z in zetten:
            b = bord.kopie()
            b.doe(z)
            cijfer = self._na_antwoord(b, kleur) + self.rnd.random() * 0.5
            if cijfer > hoogste:
                beste, hoogste = z, cijfer
        return beste

    def _na_antwoord(self, bord, kleur):
        ergste = 50          # de ander zit vast: gewonnen
        for z in bord.mogelijke_zetten(-kleur):
            b = bord.kopie()
            b.doe(z)
            m = b.materiaal(kleur)
            straks = b.slagen(kleur)
            if straks:
                m += 0.8 * len(straks[0].geslagen)
            ergste = min(ergste, m)
        return ergste


class Willekeur:
    def __init__(self, zaad=3):
        self.rnd = random.Random(zaad)

    def kies(self, bord, kleur):
        zetten = bord.mogelijke_zetten(kleur)
        return self.rnd.choice(zetten) if zetten else None
