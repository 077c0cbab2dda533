# Yadro dvizhka: sushchnosti, komponenty, sistemy-plaginy
from .shina import ShinaSobytiy


class Sushchnost:
    _schyotchik = 0

    def __init__(self, *komponenty):
        Sushchnost._schyotchik += 1
        self.nomer = Sushchnost._schyotchik
        self.k = {type(x): x for x in komponenty}

    def __getitem__(self, tip):
        return self.k[tip]

    def est(self, *tipy):
        return all(t in self.k for t in tipy)


class Sistema:
    """Bazovyy klass plagina. poryadok - kogda vyzyvat v takte"""
    poryadok = 50
    etap = "env.step"       # kuda pisat vremya

    def podklyuchit(self, mir):
        self.mir = mir
        self.shina = mir.shina

    def sbros(self):
        pass

    def takt(self):
        pass


class Mir:
    def __init__(self, khronometr=None):
        self.shina = ShinaSobytiy()
        self.sushchnosti = {}
        self.sistemy = []
        self.khron = khronometr
        self.vremya = 0

    def ustanovit(self, sistema):
        sistema.podklyuchit(self)
        self.sistemy.append(sistema)
        self.sistemy.sort(key=lambda s: s.poryadok)
        return sistema

    def dobavit(self, s):
        self.sushchnosti[s.nomer] = s
        return s

    def ubrat(self, s):
        self.sushchnosti.pop(s.nomer, None)

    def vse(self, *tipy):
        return [s for s in self.sushchnosti.values() if s.est(*tipy)]

    def sbrosit(self):
        self.khron.nachat("env.reset")
        self.sushchnosti.clear()
        self.shina.ochered.clear()
        self.vremya = 0
        for s in self.sistemy:
            s.sbros()
        self.shina.razoslat()
        self.khron.konchit()

    def takt(self):
        self.khron.nachat("env.step")
        self.vremya += 1
        for s in self.sistemy:
            if s.etap == "env.step":
                s.takt()
            else:
                self.khron.nachat(s.etap)
                s.takt()
                self.khron.konchit()
            self.shina.razoslat()
        self.khron.konchit()
