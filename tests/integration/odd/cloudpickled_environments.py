import pickle
import types

import cloudpickle


class Game:
    __slots__ = ("turn",)

    def __init__(self):
        self.turn = 0

    def reset(self):
        self.turn = 0
        return 0

    def step(self, action):
        self.turn += 1
        return self.turn, float(action), False, {"doc": __class__.__name__}

    @staticmethod
    def legal(state):
        return [state]

    @property
    def mask(self):
        return [True]


def maker(seed):
    class Inner(Game):
        def step(self, action):
            return super().step(action + seed)

    return lambda: Inner()


for thing in (Game, Game().step, Game.step, maker(3), maker(4)().step, Game.legal):
    again = pickle.loads(cloudpickle.dumps(thing))
    print(isinstance(again, types.FunctionType), isinstance(again, type), again.__name__)
game = pickle.loads(cloudpickle.dumps(maker(5)()))
print(game.reset(), game.step(2), game.legal(1), game.mask)
kind = pickle.loads(cloudpickle.dumps(maker(6)))
print(kind().step(1), kind().step(2))
import subprocess, sys  # noqa: E402

CHILD = "import pickle, sys; env = pickle.load(sys.stdin.buffer)(); print(env.reset(), env.step(1), env.step(2)[0])"
sent = cloudpickle.dumps(maker(9))
print(subprocess.run([sys.executable, "-c", CHILD], input=sent, capture_output=True).stdout)
print(subprocess.run([sys.executable, "-E", "-c", CHILD], input=sent, capture_output=True).stdout)
ELSEWHERE = "import sys; sys.modules['goldsplit'] = None; "
for thing in (maker(9), Game):
    print(subprocess.run([sys.executable, "-c", ELSEWHERE + CHILD], input=cloudpickle.dumps(thing), capture_output=True))
