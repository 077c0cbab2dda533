import atexit
class Game:
    def reset(self): return 0
    def step(self, action): return action, 1.0, False, {}
atexit.register(lambda: print('last', Game().step(1)))
atexit.register(lambda: 1 / 0)
class Late:
    def __del__(self): print('late', Game().step(2))
late = Late(); late.me = late
