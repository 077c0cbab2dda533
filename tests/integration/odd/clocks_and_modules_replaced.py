import builtins
import importlib
import random
import sys
import time
import types

real = time.perf_counter_ns, time.time, time.monotonic, time.sleep
time.perf_counter_ns = time.time = time.monotonic = lambda: 1
time.sleep = lambda seconds: print("slept", seconds)
source = "class Game:\n    def reset(self): return 0\n    def step(self, action): return action, NUMBER, False, {}\n"
made = types.ModuleType("made")
sys.modules["made"] = made
exec(source.replace("NUMBER", "1"), made.__dict__)
print(made.Game().step(1), time.time())
exec(source.replace("NUMBER", "2"), made.__dict__)
print(made.Game().step(1))
with open("fresh.py", "w") as file:
    file.write(source.replace("NUMBER", "3"))
fresh = importlib.import_module("fresh")
first = fresh.Game
print(fresh.Game().step(1))
with open("fresh.py", "w") as file:
    file.write(source.replace("NUMBER", "44"))
importlib.invalidate_caches()
sys.dont_write_bytecode = True
fresh = importlib.reload(fresh)
print(fresh.Game().step(1), first().step(1), fresh.Game is first)
del sys.modules["made"], sys.modules["fresh"]
opened = builtins.open
builtins.open = lambda *args, **kwargs: (_ for _ in ()).throw(PermissionError("no files"))
print(first().step(2))
builtins.open = opened
random.seed(3)
print([random.random() for _ in range(2)], random.getstate()[1][-1])
time.perf_counter_ns, time.time, time.monotonic, time.sleep = real
time.sleep(0)
sys.modules["json"] = None
print(first().step(3))
