import functools


class Game:
    def __init__(self, seed):
        self.seed = seed

    def reset(self):
        return 0

    @functools.lru_cache(maxsize=32)
    def step(self, action):
        print("played", action)
        return action + self.seed, 1.0, False, {}

    @functools.cache
    def observe(self):
        return [self.seed]

    @functools.cached_property
    def board(self):
        return object()


game = Game(3)
print([game.step(action) for action in (1, 2, 1, 1)], Game.step.cache_info(), Game.step.cache_parameters())
Game.step.cache_clear()
print(game.step(1), Game.step.cache_info(), game.step.__wrapped__.__name__)
print(game.observe() is game.observe(), Game.observe.cache_info(), game.board is game.board)


@functools.singledispatch
def step(action):
    return "any", action


@step.register
def _(action: int):
    return "int", action


class Dispatching:
    def reset(self):
        return 0

    @functools.singledispatchmethod
    def step(self, action):
        return "any", 0.0, False, {}

    @step.register
    def _(self, action: str):
        return "text", 0.0, False, {}


print(step(1), step("x"), Dispatching().step(1), Dispatching().step("x"), sorted(map(str, step.registry)))
