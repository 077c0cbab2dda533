"""Programs that do odd things: hostile objects, things that only look like environments, odd endings and odd ways
to be started. Each runs bare and recorded, and must write the same and end the same."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Odd:
    """One program; `command` follows the interpreter, `{file}` is the program's file."""

    text: str
    command: tuple[str, ...] = ("{file}",)
    files: dict[str, str] = field(default_factory=dict)
    stdin: str = ""


#: Plays a game whose class is `Game`, made by the program.
PLAY = """
def play(game, steps=300):
    seen = [repr(game.reset())]
    for number in range(steps):
        result = game.step(number)
        if number in (0, 1, 40, 41, 255, 296):
            seen.append(type(result).__name__)
    return seen
"""

HOSTILE_RESULT = """
class Odd{base}:
    {what}
class Game:
    def reset(self): return Odd()
    def step(self, action): return {result}
print([line.split(' at ')[0] for line in play(Game())])
"""


def hostile(what: str, result: str = "Odd()", base: str = "") -> Odd:
    return Odd(PLAY + HOSTILE_RESULT.format(base=base, what=what, result=result))


IN_PROCESS = {
    # Objects that refuse to be looked at.
    "getattr raises KeyError": hostile("def __getattr__(self, name): return self[name]", base="(dict)"),
    "getattr raises RuntimeError": hostile("def __getattr__(self, name): raise RuntimeError(name)"),
    "getattribute raises": hostile(
        "def __getattribute__(self, name):\n        if name == '__class__': return Odd\n        raise OSError(name)"
    ),
    "bool raises": hostile(
        "def __bool__(self): raise ValueError('no truth')", "(0, 1.0, Odd(), Odd(), {})"
    ),
    "len raises": hostile(
        "def __len__(self): raise ValueError('no length')", "(0, 1.0, Odd(), False, {})"
    ),
    "eq raises": hostile("def __eq__(self, other): raise ValueError('no equal')", "(Odd(), Odd(), Odd())"),
    "hash raises": hostile("def __hash__(self): raise ValueError('no hash')", "(0, 1.0, {1: Odd()}, False, {})"),
    "class lies": hostile("__class__ = property(lambda self: tuple)", "Odd()"),
    "class raises": hostile("__class__ = property(lambda self: 1 / 0)", "Odd()"),
    "ndim lies": hostile("ndim = 3\n    def sum(self): raise SystemError", "(0, 1.0, Odd(), Odd(), {})"),
    "exit in getattr of a result": Odd(
        PLAY
        + """
class Odd:
    def __getattr__(self, name):
        if name.startswith('__'): raise AttributeError(name)
        raise KeyError(name)
class Game:
    def reset(self): return 1
    def step(self, action): return Odd()
try:
    play(Game())
finally:
    print('through')
raise SystemExit(7)
"""
    ),
    "results of all shapes": Odd(
        PLAY
        + """
import collections, dataclasses
Point = collections.namedtuple('Point', 'state reward done info')
@dataclasses.dataclass
class Data:
    state: int
    done: bool
def made(result):
    class Game:
        def reset(self): return None
        def step(self, action): return result() if callable(result) else result
    return Game()
for result in (None, {}, {'done': True}, Point(1, 2.0, True, {}), Data(1, True), 3, 'text', [1, 2, 3], (), (1,),
               (1, 2), (1, 2, 3), (1, 2, None), (1, 2, 'done'), (1, 2, {}, {}, {}), lambda: iter('ab'),
               lambda: (number for number in range(3)), (1, 2, [True, 'x'], [0], {}), float('nan'), ...,
               (1, 2, [True], [False, False], {}), (0, 0, b'x', b'y', 0)):
    print(play(made(result), 45))
"""
    ),
    "results of numpy": Odd(
        PLAY
        + """
import numpy as np
def made(*result):
    class Game:
        def reset(self): return 0
        def step(self, action): return result
    return Game()
for done in (np.bool_(True), np.array(True), np.array([True, False]), np.zeros((2, 2), bool), np.array([1.5]),
             np.array(['a']), np.array([None], dtype=object), np.ma.masked_array([True], [True]),
             np.zeros(4, bool)[::2], np.zeros(0, bool)):
    print(play(made(0, 1.0, done, done, {}), 45), play(made(0, 1.0, done), 45), done)
"""
    ),
    "metaclass, slots, init_subclass": Odd(
        PLAY
        + """
class Meta(type):
    made = []
    def __new__(meta, name, bases, space, **more):
        Meta.made.append((name, sorted(space), more))
        return super().__new__(meta, name, bases, space)
    def __init__(cls, name, bases, space, **more): super().__init__(name, bases, space)
    def __hash__(cls): raise TypeError('no hash')
    def __eq__(cls, other): raise TypeError('no equal')
    def __setattr__(cls, name, value): raise AttributeError('frozen')
    def __getattribute__(cls, name):
        if name == '__module__': return 5
        return super().__getattribute__(name)
class Game(metaclass=Meta, key=1):
    __slots__ = ('turn',)
    def reset(self): self.turn = 0
    def step(self, action): self.turn += 1; return self.turn, 1.0, False, False, {}
class Other(Game):
    def step(self, action): return super().step(action)
class Registered:
    kinds = []
    def __init_subclass__(cls, **more): Registered.kinds.append((cls.__name__, sorted(vars(cls)), more))
class Third(Registered, kind='x'):
    def reset(self): return 0
    def step(self, action): return 0, 1.0, False, {}
print(play(Game()), play(Other()), play(Third()), Meta.made, Registered.kinds)
"""
    ),
    "not environments at all": Odd(
        PLAY
        + """
import functools
class Scheduler:
    def reset(self): self.rate = 1.0
    def step(self, epoch): self.rate /= 2; return self.rate
class Sequencer:
    def __init__(self): self.beat = 0
    def reset(self): self.beat = 0
    def step(self): self.beat += 1; return 'note'
class Properties:
    reset = property(lambda self: 1)
    step = property(lambda self: 2)
class Statics:
    @staticmethod
    def reset(*given): return given
    @staticmethod
    def step(action): return action, 1.0, False, {}
class Classes:
    @classmethod
    def reset(cls): return cls.__name__
    @classmethod
    def step(cls, action): return cls.__name__, 1.0, False, {}
class Partial:
    def _step(self, how, action): return how, action
    step = functools.partialmethod(_step, 'partly')
    def reset(self): return 0
class Cached:
    @functools.lru_cache
    def step(self, action): return action, 0, False, {}
    def reset(self): return 0
class Descriptor:
    def __get__(self, owner, kind): return lambda action: (action, kind.__name__)
class Described:
    step = Descriptor()
    def reset(self): return 0
class Called:
    class step:
        def __init__(self, action): self.action = action
    def reset(self): return 0
for kind in (Scheduler, Statics, Classes, Partial, Cached, Described, Called):
    print(kind.__name__, play(kind(), 45))
sequencer = Sequencer()
print([sequencer.step() for _ in range(3)], Properties().step, Cached.step.cache_info(), Statics.step(4))
"""
    ),
    "async and generator steps": Odd(
        """
import asyncio, inspect
class Game:
    def reset(self): return 0
    async def step(self, action):
        await asyncio.sleep(0)
        if action == 3: raise ValueError('three')
        return action, 1.0, False, {}
class Lazy:
    def reset(self): return 0
    def step(self, action):
        got = yield action
        try:
            yield got
        finally:
            print('closed')
        return 'end'
class Stream:
    def reset(self): return 0
    async def step(self, action):
        for number in range(action): yield number
async def main():
    game = Game()
    print(await asyncio.gather(*(game.step(number) for number in range(5)), return_exceptions=True))
    try:
        await asyncio.wait_for(game.step(1), 5)
        task = asyncio.create_task(game.step(2)); task.cancel(); await task
    except asyncio.CancelledError as error: print(repr(error))
    print([x async for x in Stream().step(3)])
print(inspect.iscoroutinefunction(Game.step), inspect.isgeneratorfunction(Lazy.step), inspect.isasyncgenfunction(Stream.step))
asyncio.run(main())
lazy = Lazy().step(5)
print(next(lazy), lazy.send('x')); lazy.close()
print(list(Lazy().step(1)))
never = Game().step(1); never.close()
"""
    ),
    "contextvars and tasks": Odd(
        """
import asyncio, contextvars
who = contextvars.ContextVar('who', default='nobody')
class Game:
    def reset(self): return 0
    async def step(self, action):
        who.set(action); await asyncio.sleep(0); return who.get(), 1.0, False, {}
async def main():
    print(await asyncio.gather(*(Game().step(n) for n in range(4))), who.get())
    print(await asyncio.get_running_loop().run_in_executor(None, lambda: 5))
asyncio.run(main())
print(contextvars.copy_context().run(lambda: who.get()))
"""
    ),
    "recursion to the limit": Odd(
        """
import sys
class Game:
    def reset(self): return 0
    def step(self, depth): return (depth, 1.0, False, {}) if not depth else self.step(depth - 1)
game = Game()
print(game.step(900))
def deepest(n=0):
    try: return deepest(n + 1)
    except RecursionError: return n
print(deepest() > 900)
try: game.step(10**6)
except RecursionError as error: print(type(error).__name__, error)
print(game.step(10))
"""
    ),
    "recursion far beyond the usual limit": Odd(
        """
import sys
sys.setrecursionlimit(400_000)
class Game:
    def reset(self): return 0
    def step(self, depth): return (depth, 1.0, False, {}) if not depth else self.step(depth - 1)
class Search:
    def select_action(self, depth): return 0 if not depth else 1 + self.select_action(depth - 1)
print(Game().step(100_000), Search().select_action(100_000))
"""
    ),
    "pickling": Odd(
        """
import copy, pickle
class Game:
    def __init__(self): self.turn = 0
    def reset(self): self.turn = 0; return 0
    def step(self, action): self.turn += 1; return self.turn, 1.0, False, False, {}
    @staticmethod
    def select_action(state): return state
game = Game(); game.step(0)
for protocol in range(2, 6):
    again = pickle.loads(pickle.dumps([game, Game, game.step, Game.step, Game.select_action], protocol))
    print(again[0].step(1), again[1] is Game, again[2](1), again[3] is Game.step, again[4](3))
for made in (copy.copy(game), copy.deepcopy(game), copy.deepcopy([game.step])[0].__self__):
    print(made.step(0), made is game)
print(copy.copy(Game.step) is Game.step, copy.deepcopy(Game.step) is Game.step)
print(len(pickle.dumps(game)), pickle.dumps(game.step)[:40])
"""
    ),
    "spawn and fork": Odd(
        """
import multiprocessing as mp, sys
class Game:
    def reset(self): return 0
    def step(self, action): return action * 2, 1.0, False, False, {}
def work(game, pipe):
    game.reset()
    while (action := pipe.recv()) is not None: pipe.send(game.step(action))
    sys.exit(4)
if __name__ == '__main__':
    for method in ('fork', 'spawn', 'forkserver'):
        context = mp.get_context(method)
        near, far = context.Pipe()
        process = context.Process(target=work, args=(Game(), far)); process.start()
        answers = []
        for action in range(3): near.send(action); answers.append(near.recv())
        near.send(None); process.join(); print(method, answers, process.exitcode)
    with mp.get_context('fork').Pool(2) as pool: print(pool.map(Game().step, range(3)))
"""
    ),
    "inspect": Odd(
        """
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
"""
    ),
    "super, multiple inheritance, abstract": Odd(
        PLAY
        + """
import abc
class Base(abc.ABC):
    def reset(self): return 'base'
    @abc.abstractmethod
    def step(self, action): return [action]
class Left(Base):
    def step(self, action): return ['left', *super().step(action)]
class Right(Base):
    def step(self, action): return ['right', *super().step(action)]
class Both(Left, Right):
    def step(self, action): return ('both', *super().step(action), False)
    def reset(self): return super().reset() + '!'
print(Both().step(1), Both().step(2), play(Both()), Both.__mro__, Both.__abstractmethods__, Base.__abstractmethods__)
try: Base()
except TypeError as error: print(error)
"""
    ),
    "patched, deleted, stored before": Odd(
        PLAY
        + """
import types, weakref
class Game:
    def reset(self): return 0
    def step(self, action): return action, 1.0, False, {}
game = Game()
stored, plain, weak = game.step, Game.step, weakref.WeakMethod(game.step)
print(stored(1), plain(game, 2), weak()(3), weakref.ref(Game.step)() is Game.step)
game.step = lambda action: ('own', action); print(game.step(4), play(game, 3)); del game.step
Game.step = lambda self, action: ('new', action); print(game.step(5), stored(6))
del Game.step
try: game.step(7)
except AttributeError as error: print(error)
Game.step = plain; print(game.step(8), Game.step is plain)
game.step = types.MethodType(lambda self, action: action, game); print(game.step(9))
class Child(Game): step = Game.step
class Named(Game):
    step = reset = lambda self, action=None: (0, 1.0, True, {})
    def __getattr__(self, name): return 'asked for ' + name
print(Child().step(1), play(Named(), 3), Named().other)
"""
    ),
    "settrace and setprofile": Odd(
        """
import sys, threading
class Game:
    def reset(self): return 0
    def step(self, action):
        return action, 1.0, False, {}
seen = []
def profile(frame, event, arg):
    if frame.f_code.co_filename == __file__: seen.append((event, frame.f_code.co_name))
def trace(frame, event, arg):
    if frame.f_code.co_filename == __file__: seen.append((event, frame.f_code.co_name, frame.f_lineno)); return trace
game = Game()
sys.setprofile(profile); game.reset(); game.step(1); sys.setprofile(None)
sys.settrace(trace); game.step(2); sys.settrace(None)
print([entry for entry in seen if not entry[0].startswith('c_')], sys.getprofile(), sys.gettrace())
"""
    ),
    "timers and signals of its own": Odd(
        """
import signal, time
class Game:
    def reset(self): return 0
    def step(self, action): return action, 1.0, False, {}
class OutOfTime(Exception): pass
def handler(number, frame): raise OutOfTime(number)
game = Game(); game.reset()
for kind, number in ((signal.ITIMER_REAL, signal.SIGALRM), (signal.ITIMER_PROF, signal.SIGPROF),
                     (signal.ITIMER_VIRTUAL, signal.SIGVTALRM)):
    signal.signal(number, handler)
    for _ in range(5):
        try:
            signal.setitimer(kind, 0.005)
            while True: game.step(0)
        except OutOfTime as error: print(error)
signal.signal(signal.SIGINT, signal.default_int_handler)
for _ in range(5):
    try:
        signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT)); signal.setitimer(signal.ITIMER_REAL, 0.005)
        while True: game.step(0)
    except KeyboardInterrupt: print('interrupted')
"""
    ),
    "excepthooks": Odd(
        """
import sys, threading
class Game:
    def reset(self): return 0
    def step(self, action): raise LookupError('lost')
sys.excepthook = lambda kind, error, trace: print('hook', kind.__name__, error, file=sys.stderr)
threading.excepthook = lambda given: print('thread', given.exc_type.__name__, given.exc_value)
sys.unraisablehook = lambda given: print('unraisable', given.exc_value)
thread = threading.Thread(target=Game().step, args=(1,)); thread.start(); thread.join()
class Dies:
    def __del__(self): raise OSError('in del')
del_me = Dies(); del del_me
try: Game().step(1)
except LookupError as error:
    print(repr(error), error.__context__, error.__traceback__.tb_frame.f_code.co_name)
Game().step(2)
"""
    ),
    "exceptions keep their causes": Odd(
        """
import traceback
class Game:
    def reset(self): return 0
    def step(self, action):
        try: return {}[action]
        except KeyError as error: raise ValueError('no such action') from error
try: Game().step(5)
except ValueError as error:
    print(repr(error.__cause__), repr(error.__context__), error.__suppress_context__)
    error.add_note('noted'); print(error.__notes__)
    print([frame.name for frame in traceback.extract_tb(error.__traceback__) if 'goldsplit' not in frame.filename])
class Odd(BaseException): pass
class Leaves:
    def reset(self): return 0
    def step(self, action): raise Odd(action)
try: Leaves().step(1)
except Odd as error: print(repr(error))
Game().step(9)
"""
    ),
    "its own build_class and import": Odd(
        """
import builtins
real_build, real_import = builtins.__build_class__, builtins.__import__
made, imported = [], []
def build(body, name, *bases, **more):
    made.append(name); return real_build(body, name, *bases, **more)
def importing(name, *given, **more):
    imported.append(name); return real_import(name, *given, **more)
builtins.__build_class__ = build
builtins.__import__ = importing
class Game:
    def reset(self): return 0
    def step(self, action): return action, 1.0, False, {}
import colorsys, queue
builtins.__import__ = real_import
print(Game().step(1), made[:1], imported[:1], queue.Queue.__name__)
class Meta(type): pass
class Other(metaclass=Meta): pass
builtins.__build_class__ = real_build
class Third(Other): pass
print(made[-2:], type(Third).__name__, eval('type("Four", (), {})').__name__)
"""
    ),
    "enums, dataclasses, protocols, typed": Odd(
        """
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
"""
    ),
    "gc frozen, disabled, debug": Odd(
        """
import gc, weakref
gc.disable(); gc.freeze()
class Game:
    def reset(self): self.me = self
    def step(self, action): return action, 1.0, False, {}
for _ in range(50): game = Game(); game.reset(); game.step(1)
reference = weakref.ref(game); del game
print(gc.isenabled(), reference() is not None); gc.unfreeze(); gc.collect(); print(reference())
def kept():
    class Local:
        def reset(self): return 0
        def step(self, action): return action, 1.0, False, {}
    Local().step(1)
    return weakref.ref(Local)
local = kept(); gc.collect(); print(local())
"""
    ),
    "threads everywhere": Odd(
        """
import os, threading, time
class Game:
    def reset(self): return 0
    def step(self, action): return action, 1.0, False, {}
def work(out):
    game = Game()
    for number in range(200): game.step(number)
    out.append(threading.current_thread().name)
out = []
threads = [threading.Thread(target=work, args=(out,), name=f't{n}') for n in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(sorted(out), threading.active_count() >= 1)
def fork_there(codes):
    child = os.fork()
    if not child:
        Game().step(1); os._exit(9)
    codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
codes = []
threads = [threading.Thread(target=fork_there, args=(codes,)) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(codes)
import _thread
done = threading.Event(); _thread.start_new_thread(lambda: (Game().step(1), done.set()), ()); done.wait(); print('raw thread')
"""
    ),
    "daemon threads at the end": Odd(
        """
import threading, time
class Game:
    def reset(self): return 0
    def step(self, action): return action, 1.0, False, {}
def forever():
    game = Game()
    while True: game.step(1)
for _ in range(3): threading.Thread(target=forever, daemon=True).start()
time.sleep(0.1); print('end')
"""
    ),
    "os._exit": Odd("import os\nprint('before', flush=True)\nos._exit(13)\n"),
    "os._exit without an argument": Odd(
        "import os\ntry: os._exit()\nexcept TypeError: print('refused')\nos.abort if 0 else os._exit(3)\n"
    ),
    "killed by a signal": Odd("import os, signal\nprint('x', flush=True)\nos.kill(os.getpid(), signal.SIGTERM)\n"),
    "exit codes": Odd("import sys\nprint('x')\nsys.exit('said at the end')\n"),
    "exit inside a step": Odd(
        "class Game:\n  def reset(self): return 0\n  def step(self, action): raise SystemExit(action)\nGame().step(21)\n"
    ),
    "atexit": Odd(
        """
import atexit
class Game:
    def reset(self): return 0
    def step(self, action): return action, 1.0, False, {}
atexit.register(lambda: print('last', Game().step(1)))
atexit.register(lambda: 1 / 0)
class Late:
    def __del__(self): print('late', Game().step(2))
late = Late(); late.me = late
"""
    ),
    "exec replaces the program": Odd(
        "import os, sys\nprint('first', flush=True)\nos.execv(sys.executable, [sys.executable, '-c', 'print(\"second\"); exit(5)'])\n"
    ),
    "closed stdout and stderr": Odd(
        "import os, sys\nprint('seen', flush=True)\nsys.stderr.close(); os.close(1)\n"
        "class Game:\n  def reset(self): return 0\n  def step(self, action): return 0, 1.0, False, {}\n"
        "Game().step(1)\ntry: print('unseen', flush=True)\nexcept OSError: pass\nos._exit(6)\n"
    ),
    "no stdout at all": Odd("import sys\nsys.stdout = sys.stderr = None\nprint('nothing')\nsys.exit(2)\n"),
    "its own print": Odd(
        "import builtins\nreal = print\nbuiltins.print = lambda *given: real('mine', *given)\nprint(1)\nbuiltins.print = real\n"
        "print(2, sep='x', end='!\\n')\nprint(print.__name__, print.__module__, callable(print))\n"
        "try: print(3, nothing=4)\nexcept TypeError as error: print(error)\n"
    ),
    "long lines and odd text": Odd(
        "print('x' * 200_000)\nprint('\\u2603 \\U0001f600 \\x00 \\r|'.encode('utf-8'))\nimport sys\nsys.stdout.buffer.write(bytes(range(256)))\n"
        "class Übung:\n  def reset(self): return 0\n  def step(self, größe): return größe, 1.0, False, {}\nprint(Übung().step(3), Übung)\n"
    ),
    "changes its directory": Odd(
        "import os, tempfile\nclass Game:\n  def reset(self): return 0\n  def step(self, action): return 0, 1.0, False, {}\n"
        "with tempfile.TemporaryDirectory() as place:\n  os.chdir(place); Game().step(1); print(os.listdir('.'))\n"
        "try: os.getcwd()\nexcept FileNotFoundError: print('gone')\nGame().step(2)\n"
    ),
    "exec'ed and compiled code": Odd(
        """
source = '''
class Game:
    def reset(self): return 0
    def step(self, action): return action, 1.0, False, {}
print(Game().step(1), Game.__module__)
'''
exec(source)
space = {'__name__': 'elsewhere'}; exec(compile(source, '<made>', 'exec'), space)
exec(source, {}); exec(source, {'__name__': 5})
import types
module = types.ModuleType('made'); exec(source, vars(module)); print(module.Game().step(2))
made = type('Game', (), {'reset': lambda self: 0, 'step': lambda self, action: (action, 1.0, False, {})})
print(made().step(3), types.new_class('Other', (made,))().step(4))
"""
    ),
    "no environment variables": Odd(
        "import os, subprocess, sys\nos.environ.clear()\nprint(subprocess.run([sys.executable, '-c', 'print(1)'], capture_output=True, env={}).stdout)\n"
    ),
    "subprocesses": Odd(
        "import subprocess, sys\nprint(subprocess.check_output([sys.executable, '-I', '-c', 'print(2)']))\n"
        "print(subprocess.run('exit 3', shell=True).returncode, subprocess.getoutput('echo 4'))\n"
        "try: subprocess.run(['sleep', '5'], timeout=0.01)\nexcept subprocess.TimeoutExpired as error: print(type(error).__name__)\n"
    ),
    "queues, futures, conditions of its own": Odd(
        """
import concurrent.futures, queue, threading
class Mine(threading.Condition):
    def __setattr__(self, name, value):
        if name.startswith('_goldsplit'): raise RuntimeError(name)
        super().__setattr__(name, value)
condition = Mine()
with condition: condition.notify_all(); print(condition.wait(0.001))
class Lifo(queue.LifoQueue):
    def get(self, *given, **more): return super().get(*given, **more)
items = Lifo(2); items.put(1); items.put(2); print(items.get(), items.get(timeout=1))
for call in (lambda: items.get(False), lambda: items.get(timeout=-1), lambda: items.get_nowait()):
    try: call()
    except (queue.Empty, ValueError) as error: print(repr(error))
future = concurrent.futures.Future(); future.set_exception(KeyError('x'))
try: future.result()
except KeyError as error: print(repr(error))
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    print(list(pool.map(abs, [-1, -2])), [f.result() for f in concurrent.futures.as_completed([pool.submit(abs, -3)])])
event = threading.Event(); threading.Timer(0.01, event.set).start(); print(event.wait(5), threading.Barrier(1).wait())
"""
    ),
    "logging of its own": Odd(
        """
import logging, sys
class Loud(logging.Logger):
    def handle(self, record): record.msg = str(record.msg).upper(); super().handle(record)
logging.setLoggerClass(Loud)
logging.basicConfig(stream=sys.stdout, format='%(funcName)s %(lineno)d %(filename)s %(message)s')
def speak(): logging.getLogger('x').warning('said %s', 1); logging.getLogger('y').error('again', stacklevel=2)
speak(); logging.warning('root'); logging.captureWarnings(True)
import warnings
def old(): warnings.warn('old', DeprecationWarning, stacklevel=2)
class Game:
    def reset(self): return 0
    def step(self, action): warnings.warn('from step', UserWarning, stacklevel=1); return 0, 1.0, False, {}
warnings.simplefilter('always'); old(); Game().step(1)
"""
    ),
    "calls of the public interface": Odd(
        """
import goldsplit
@goldsplit.stage
def think(x): 'Deep.'; return x + 1
@goldsplit.stage('game.paths')
def paths(n):
    for i in range(n): yield i
@goldsplit.stage
class Thing: kind = 1
class Game:
    @goldsplit.stage
    def move(self): return 'moved'
    @goldsplit.stage('act')
    @property
    def best(self): return 5
    @goldsplit.stage
    @classmethod
    def made(cls): return cls.__name__
print(think(1), think.__doc__, think.__name__, list(paths(3)), Thing.kind, Game().move(), Game().best, Game.made())
with goldsplit.stage('game.block') as nothing: print(nothing)
try:
    with goldsplit.stage('game.block'): raise KeyError('inside')
except KeyError as error: print(repr(error), error.__context__)
goldsplit.count('x', None); goldsplit.metric('loss', 'high'); goldsplit.metric(3, 4); goldsplit.episode(win='yes', other=[])
try: goldsplit.stage(5)
except TypeError as error: print(error)
"""
    ),
}

TORCH = """
import torch, copy, pickle
torch.manual_seed(0)
class Game:
    def reset(self): return torch.zeros(2)
    def step(self, action):
        given = torch.ones(2, requires_grad=True)
        return given * 2, given.sum(), (given > 2).any(), torch.tensor(False), {}
class Net(torch.nn.Module):
    def __init__(self): super().__init__(); self.inner = torch.nn.Linear(2, 2)
    def forward(self, x, fail=False):
        if fail: raise LookupError('in forward')
        return self.inner(x)
    def get_action_and_value(self, x): return self(x).argmax().item(), self(x).sum()
class Mine(torch.Tensor): pass
class Hostile(torch.nn.Module):
    def __getattr__(self, name): raise KeyError(name)
net, game = Net(), Game()
optimizer = torch.optim.Adam(net.parameters())
for number in range(45):
    state, reward, *_ = game.step(number)
    action, value = net.get_action_and_value(state.detach())
    optimizer.zero_grad(); (value * reward).backward(); optimizer.step()
print(round(value.item(), 4), action, net(torch.ones(2).as_subclass(Mine)).__class__.__name__)
for call in (lambda: net(torch.ones(2), fail=True), lambda: net(), lambda: net(torch.ones(3)), lambda: Hostile()(1)):
    try: call()
    except Exception as error: print(type(error).__name__, str(error)[:40])
again = pickle.loads(pickle.dumps(net)); print(again(torch.ones(2)).shape, copy.deepcopy(net)(torch.ones(2)).shape)
handle = net.register_forward_hook(lambda module, given, result: result + 1); print(net(torch.zeros(2)).shape); handle.remove()
with torch.inference_mode(): print(net(torch.ones(2)).requires_grad)
print(torch.jit.trace(net, torch.ones(2))(torch.ones(2)).shape, torch.vmap(net)(torch.ones(3, 2)).shape)
print(bool(torch.tensor(1)), int(torch.tensor(2)), float(torch.tensor(3.0)), [1, 2, 3][torch.tensor(1)], torch.ones(2).tolist())
closure = torch.optim.LBFGS(net.parameters(), max_iter=2)
def loss():
    closure.zero_grad(); out = net(torch.ones(2)).square().sum(); out.backward(); return out
print(closure.step(loss).shape, torch.autograd.grad(net(torch.ones(2)).sum(), net.inner.bias)[0].tolist())
torch.optim.lr_scheduler.StepLR(optimizer, 1).step(); optimizer.step(); print(optimizer.param_groups[0]['lr'])
"""

GAME = "class Game:\n  def reset(self): return 0\n  def step(self, action): return action, 1.0, False, {}\n"
SAYS = GAME + "import sys\nprint(Game().step(len(sys.argv)), __name__, sys.argv[1:], __debug__)\n"

STARTED = {
    "torch": Odd(TORCH),
    "optimised": Odd(SAYS + "assert False\n", ("-O", "{file}", "a b")),
    "isolated": Odd(SAYS, ("-I", "{file}")),
    "without site": Odd(SAYS, ("-S", "{file}")),
    "development mode": Odd(SAYS, ("-X", "dev", "-W", "error", "{file}")),
    "from stdin": Odd("", ("-", "x"), stdin=SAYS),
    "from the command line": Odd("", ("-c", SAYS, "x")),
    "a package": Odd("", ("-m", "pkg", "y"), {"pkg/__init__.py": "", "pkg/__main__.py": "from . import game\n" + SAYS, "pkg/game.py": GAME}),
    "a directory": Odd("", ("folder", "y"), {"folder/__main__.py": SAYS}),
    "a zip file": Odd("", ("-c", "import runpy, sys, zipapp; zipapp.create_archive('app', 'app.pyz'); sys.argv = ['app.pyz']; runpy.run_path('app.pyz', run_name='__main__')"), {"app/__main__.py": SAYS, "app/other.py": GAME}),
    "a path with a space": Odd("", ("a b/the game.py",), {"a b/the game.py": SAYS}),
    "a path with other letters": Odd("", ("spiel ü☃/größe.py",), {"spiel ü☃/größe.py": SAYS}),
    "a module of its own name": Odd("import queue\nprint(queue.mine)\n", files={"queue.py": "mine = 1\n"}) if False else Odd("import logging.handlers, goldsplit_like\nprint(goldsplit_like.mine)\n", files={"goldsplit_like.py": GAME + "mine = Game().step(1)\n"}),
    "syntax error": Odd("def broken(:\n"),
    "no such file": Odd("", ("nowhere.py",)),
    "interactive questions": Odd("print(input('name? ')[::-1], [line for line in __import__('sys').stdin])\n", stdin="abc\nd\n"),
}

PROGRAMS = {**IN_PROCESS, **STARTED}
