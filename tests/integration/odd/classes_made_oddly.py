import abc
import collections
import contextlib
import dataclasses
import enum
import functools
import types
import typing


def loud(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        print("before", function.__name__)
        return function(*args, **kwargs)

    return inner


@dataclasses.dataclass(slots=True, frozen=True)
class Frozen:
    seed: int = 3

    def reset(self):
        return self.seed

    @loud
    def step(self, action):
        return action, float(self.seed), False, {}


class Turn(typing.NamedTuple):
    number: int = 0

    def reset(self):
        return self.number

    def step(self, action):
        return self._replace(number=action), 1.0, True, {}


class Kind(enum.Enum):
    A = 1

    def reset(self):
        return self.value

    def step(self, action):
        return self, action, False, {}


T = typing.TypeVar("T")


class Generic(typing.Generic[T]):
    def reset(self):
        return 0

    def step(self, action: T):
        return action, 1.0, False, {}


class Table(dict):
    def reset(self):
        self.clear()

    def step(self, action):
        self[action] = len(self)
        return dict(self), 1.0, False, {}


class Static:
    @staticmethod
    def reset():
        return "static"

    @classmethod
    def step(cls, action):
        return cls.__name__, action, False, {}


class Lazy:
    def __getattr__(self, name):
        if name == "step":
            return lambda action: (action, 2.0, False, {})
        if name == "reset":
            return lambda: 1
        raise AttributeError(name)


class Property:
    @property
    def step(self):
        return lambda action: (action, 3.0, False, {})

    def reset(self):
        return 2


class Abstract(abc.ABC):
    @abc.abstractmethod
    def step(self, action): ...

    def reset(self):
        return 3


class Real(Abstract):
    def step(self, action):
        super().step(action)
        return action, 1.0, False, {"cell": __class__.__name__}


class Counted(contextlib.ContextDecorator):
    def __enter__(self):
        print("enter")

    def __exit__(self, *failed):
        print("exit", failed[0])


class Guarded:
    def reset(self):
        return 4

    @Counted()
    def step(self, action):
        return action / 0


Made = types.new_class("Made", (), {}, lambda names: names.update(reset=lambda self: 5, step=lambda self, a: (a, 1, 0, {})))
Called = type("Called", (), {"reset": lambda self: 6, "step": type("S", (), {"__call__": lambda self, a: (a, 2, 0, {})})()})
for kind in (Frozen, Turn, Generic[int], Table, Static, Lazy, Property, Real, Guarded, Made, Called):
    game = kind()
    with contextlib.suppress(ZeroDivisionError):
        print(game.reset(), game.step(2))
print(Kind.A.reset(), Kind.A.step(1), list(Kind), Frozen.__slots__, Turn._fields, Generic.__parameters__)
print(collections.Counter(name for name in vars(Real) if not name.startswith("_")), Real.__abstractmethods__)
with contextlib.suppress(TypeError):
    Abstract()
print(isinstance(Real(), Abstract), Frozen() == Frozen(3), hash(Frozen()) == hash(Frozen()))
