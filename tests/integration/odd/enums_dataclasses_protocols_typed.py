import collections, dataclasses, enum, typing
class Move(enum.Enum):
    LEFT = 1
    def step(self, by): return self.value + by
    def reset(self): return 0
class Flags(enum.IntFlag): A = enum.auto(); B = enum.auto()
@dataclasses.dataclass(slots=True, frozen=True)
class Game:
    size: int = 3
    def reset(self): return 0
    def step(self, action): return self.size, 1.0, False, {}
class Env(typing.Protocol):
    def reset(self): ...
    def step(self, action): ...
class Generic(typing.Generic[typing.TypeVar('T')]):
    def reset(self): return 0
    def step(self, action): return 0, 1.0, False, {}
class Row(typing.NamedTuple):
    a: int
    def step(self, by): return self.a + by, 1, True
    def reset(self): return 0
class Typed(typing.TypedDict): a: int
print(list(Move), Move.LEFT.step(2), Flags.A | Flags.B, Game(), Game().step(1), Row(1).step(2), Typed(a=1), Generic[int]().step(1))
print(dataclasses.asdict(Game()), Row.__annotations__, isinstance(Game(), object), dataclasses.replace(Game(), size=4).step(0))
