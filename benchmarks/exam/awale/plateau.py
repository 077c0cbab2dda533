# Awalé : 12 maisons, 48 graines, on sème, on capture par 2 ou 3.
# Maisons 0..5 au Sud (joueur 0), 6..11 au Nord (joueur 1).

class Plateau:
    LIMITE = 140          # demi-coups

    def __init__(self):
        self.raz()

    def raz(self):
        self.maisons = [4] * 12
        self.greniers = [0, 0]
        self.trait = 0
        self.nbCoups = 0
        self.fini = False
        self.gagnant = None

    def camp(self, j):
        return range(0, 6) if j == 0 else range(6, 12)

    def _semer(self, maisons, depart):
        n = maisons[depart]
        maisons[depart] = 0
        i = depart
        while n > 0:
            i = (i + 1) % 12
            if i == depart:
                continue
            maisons[i] += 1
            n -= 1
        return i

    def _rafler(self, maisons, i, j):
        adverse = self.camp(1 - j)
        prises = 0
        while i in adverse and maisons[i] in (2, 3):
            prises += maisons[i]
            maisons[i] = 0
            i = (i - 1) % 12
        return prises

    def coupsPermis(self):
        """Maisons (0..5, vues du joueur au trait) qu'on a le droit de jouer."""
        j = self.trait
        base = 6 * j
        affame = sum(self.maisons[k] for k in self.camp(1 - j)) == 0
        permis = []
        for c in range(6):
            if self.maisons[base + c] == 0:
                continue
            copie = list(self.maisons)
            fin = self._semer(copie, base + c)
            nourri = sum(copie[k] for k in self.camp(1 - j))
            if affame and nourri == 0:
                continue
            if self._rafler(copie, fin, j) == nourri and nourri > 0:
                continue                      # pas de grand chelem
            permis.append(c)
        return permis

    def jouer(self, c):
        """Joue le coup c et rend le nombre de graines gagnées par celui qui joue."""
        j = self.trait
        fin = self._semer(self.maisons, 6 * j + c)
        prises = self._rafler(self.maisons, fin, j)
        self.greniers[j] += prises
        self.trait = 1 - j
        self.nbCoups += 1
        if max(self.greniers) > 24:
            self._finir()
        elif self.nbCoups >= self.LIMITE or not self.coupsPermis():
            for k in range(12):               # chacun ramasse son camp
                self.greniers[k // 6] += self.maisons[k]
                self.maisons[k] = 0
            self._finir()
        return prises

    def _finir(self):
        self.fini = True
        a, b = self.greniers
        self.gagnant = None if a == b else (0 if a > b else 1)

    def __str__(self):
        n = self.maisons
        haut = " ".join(f"{g:2d}" for g in reversed(n[6:]))
        bas = " ".join(f"{g:2d}" for g in n[:6])
        return f"[{self.greniers[1]:2d}] {haut}\n     {bas} [{self.greniers[0]:2d}]"
