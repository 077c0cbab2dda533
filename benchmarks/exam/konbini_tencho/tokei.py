import time


class Tokei:
    """A lap clock. There is always ONE stage running; to() switches it and
    returns the one before, so a callee can switch back."""

    def __init__(self):
        self.kiroku = {}
        self.ima = None
        self.mark = 0.0
        self.tomatta = True      # stopped

    def hajime(self, stage="other"):
        self.ima = stage
        self.tomatta = False
        self.start = self.mark = time.perf_counter()

    def to(self, stage):
        mae = self.ima
        if self.tomatta:
            return mae
        t = time.perf_counter()
        self.kiroku[mae] = self.kiroku.get(mae, 0.0) + (t - self.mark)
        self.mark = t
        self.ima = stage
        return mae

    def keika(self):
        return time.perf_counter() - self.start

    def owari(self):
        self.to("owari")
        self.tomatta = True
        return self.mark - self.start
