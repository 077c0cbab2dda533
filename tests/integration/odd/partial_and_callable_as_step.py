import functools


def play(how, action):
    return action, how, False, {}


class Rules:
    def __call__(self, action):
        return action, 2.0, False, {}


class Bound:
    def __init__(self, function):
        self.function = function

    def __get__(self, owner, kind=None):
        return functools.partial(self.function, owner)


class Game:
    step = functools.partial(play, 1.0)

    def reset(self):
        return 0


class Other:
    step = Rules()
    reset = functools.partial(int, "7")


class Third:
    step = Bound(lambda self, action: (action, 3.0, False, {"me": type(self).__name__}))
    reset = staticmethod(functools.partial(int, "8"))


class Fourth:
    reset = functools.partialmethod(lambda self, number: number, 9)
    step = functools.partialmethod(lambda self, how, action: (action, how, True, {}), 4.0)


for kind in (Game, Other, Third, Fourth):
    game = kind()
    print(game.reset(), game.step(5), type(kind.__dict__["step"]).__name__)
