import functools, operator, types, abc
class Logged:
    def __init__(self, function): self.function = function; self.names = []
    def __set_name__(self, owner, name): self.names.append((owner.__name__, name))
    def __get__(self, one, owner=None): return self if one is None else functools.partial(self.function, one)
class Game:
    def reset(self): return 0
    @Logged
    def step(self, action): return action, 1.0, False, {}
print(Game().step(1), Game.step.names, type(vars(Game)["step"]).__name__)
class Single:
    def reset(self): return 0
    @functools.singledispatchmethod
    def step(self, action): return "any", 1.0, False, {}
    @step.register
    def _(self, action: int): return "int", 1.0, False, {}
    @step.register(str)
    def _text(self, action): return "str", 1.0, False, {}
print(Single().step(1), Single().step("x"), Single().step(2.0))
class Partial:
    def reset(self): return 0
    def act(self, action, times): return action * times, 1.0, False, {}
    step = functools.partialmethod(act, times=3)
print(Partial().step(2))
class Cached:
    def reset(self): return 0
    @functools.cached_property
    def step(self): print("made"); return lambda action: (action, 1.0, False, {})
c = Cached(); print(c.step(1), c.step(2), "step" in vars(c))
class Setter:
    def reset(self): return 0
    @property
    def step(self): return self._step
    @step.setter
    def step(self, value): self._step = value
s = Setter(); s.step = lambda a: (a, 1, False, {}); print(s.step(3), Setter.step.fset is not None)
class Operator:
    reset = operator.methodcaller("__hash__"); step = operator.attrgetter("__class__.__name__")
print(Operator().step(Operator()))
class Native:
    reset = len; step = print
Native().step("native")
class Both(abc.ABC):
    @property
    @abc.abstractmethod
    def step(self): ...
    def reset(self): return 0
class Child(Both):
    step = staticmethod(lambda action: (action, 1.0, False, {}))
print(Child().step(4), Child.step(5), Child.__abstractmethods__)
class Classy:
    @classmethod
    def reset(cls): return cls.__name__
    @classmethod
    @functools.lru_cache
    def step(cls, action): return cls.__name__, action, False, {}
class Sub(Classy): pass
print(Classy.step(1), Sub.step(1), Sub().step(2), Classy.step.__func__.cache_info(), Sub.reset())
class Dispatch:
    def __init_subclass__(cls): cls.step = lambda self, action: (cls.__name__, action, False, {})
    def reset(self): return 0
class D(Dispatch): pass
print(D().step(1), D.__dict__["step"].__qualname__)
class Inst:
    def __init__(self): self.step = types.MethodType(lambda self, a: (a, 1.0, False, {}), self); self.reset = lambda: 0
print(Inst().step(6), Inst().reset())
class Vars:
    def reset(self): return 0
    step = vars(Game)["reset"]
print(Vars().step())
class Wrapper:
    def __init__(self, env): self.env = env
    def __getattr__(self, name): return getattr(self.env, name)
w = Wrapper(Wrapper(Single())); print(w.step(1), w.reset())
class Changes:
    def reset(self): return 0
    def step(self, action): self.__class__ = Other; return action, 1.0, False, {}
class Other(Changes):
    def step(self, action): return "other", 1.0, False, {}
ch = Changes(); print(ch.step(1), ch.step(2))
