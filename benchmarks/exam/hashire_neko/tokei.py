# tokei = clock.  osu() = push, hanasu() = release
import time


class Tokei:
    ugoku, mae, tsumi = False, 0.0, ["other"]

    def start(self):
        self.bako = {}
        self.tsumi = ["other"]
        self.ugoku = True
        self.mae = self.hajime = time.perf_counter()

    def _kugiri(self):
        ima = time.perf_counter()
        if self.ugoku:
            k = self.tsumi[-1]
            self.bako[k] = self.bako.get(k, 0.0) + ima - self.mae
        self.mae = ima

    def osu(self, namae):
        self._kugiri()
        self.tsumi.append(namae)

    def hanasu(self):
        self._kugiri()
        self.tsumi.pop()

    def stop(self):
        self._kugiri()
        self.ugoku = False
        return self.mae - self.hajime

    def keika(self):
        return time.perf_counter() - self.hajime


tokei = Tokei()
