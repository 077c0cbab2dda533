import copy
import operator
import pickle
import types
import typing
import weakref


class Game:
    """A game."""

    def reset(self):
        return 0

    def step(self, action: int, *, twice: bool = False, **more: str) -> tuple:
        """One move."""
        return action * (1 + twice), 1.0, False, more


game = Game()
print(game.step == game.step, game.step is game.step, hash(game.step) == hash(game.step))
print(game.step.__self__ is game, game.step.__func__ is Game.step, game.step.__name__, Game.step.__qualname__)
print(operator.methodcaller("step", 3, twice=True)(game), list(map(game.step, range(3))))
print(getattr(Game, "step")(game, 1, a="b"), types.MethodType(Game.step, game)(2))
print(typing.get_type_hints(Game.step), Game.step.__doc__, Game.step.__module__, Game.step.__annotations__)
method = weakref.WeakMethod(game.step)
print(method()(5), weakref.ref(Game.step)() is Game.step)
print(pickle.loads(pickle.dumps(game)).step(4), copy.deepcopy(game).step(5), copy.copy(game.step)(6))
Game.step.tag = "mine"
print(game.step.tag, "tag" in vars(Game.step))
for wrong in ((), (1, 2)):
    try:
        game.step(*wrong)
    except TypeError as error:
        print(error)
try:
    Game.step()
except TypeError as error:
    print(error)
game.step = lambda action: ("own", action)
print(game.step(7), Game().step(7))
Game.step = lambda self, action: ("late", action)
print(Game().step(8))
del game.step
print(game.step(9))
