import ast, dis, inspect, typing
class Game:
    def reset(self, *, seed: int | None = None, options: dict = {}) -> int:
        'Begin anew.'
        return 0
    def step(self, action: int, *more: str, fast: bool = False, **rest) -> tuple:
        'One step.'
        return action, 1.0, False, {}
for method in (Game.reset, Game.step, Game().step):
    print(inspect.signature(method), inspect.getfullargspec(method).annotations, method.__doc__, method.__name__)
    print(method.__qualname__, method.__module__, inspect.getsource(method).strip().splitlines()[0])
    print(typing.get_type_hints(method), callable(method), inspect.isfunction(method), inspect.ismethod(method))
    print(method.__defaults__, method.__kwdefaults__, method.__code__.co_varnames, method.__code__.co_name)
    print(method.__annotations__, inspect.getdoc(method), inspect.getmodule(method).__name__)
print(inspect.getsourcelines(Game)[1], sorted(name for name in vars(Game) if not name.startswith('__')))
print([name for name, _ in inspect.getmembers(Game, inspect.isfunction)], inspect.getattr_static(Game, 'step').__name__)
print(Game.step.__get__(Game(), Game)(3), Game.__dict__['step'].__name__, hash(Game.step) == hash(Game.step))
Game.step.note = 'mine'; print(Game.step.note, Game.step.__dict__); del Game.step.note
for call in (lambda: Game().step(), lambda: Game().step(1, speed=2) and Game().reset(1)):
    try: call()
    except TypeError as error: print(error)
