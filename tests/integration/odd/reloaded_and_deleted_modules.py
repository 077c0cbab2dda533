import importlib, sys, types
TEXT = "class Game:\n    made = []\n    def reset(self): return 0\n    def step(self, action): return action, NUMBER, False, {}\n"
with open("mine.py", "w") as file: file.write(TEXT.replace("NUMBER", "1"))
sys.path.insert(0, "."); sys.dont_write_bytecode = True
import mine
old = mine.Game()
for number in range(2, 6):
    with open("mine.py", "w") as file: file.write(TEXT.replace("NUMBER", str(number) * number))
    importlib.invalidate_caches(); importlib.reload(mine)
    print(mine.Game().step(1), old.step(1), isinstance(old, mine.Game))
del sys.modules["mine"]
import mine as again
print(again is mine, again.Game().step(2))
for name in ("threading", "multiprocessing", "multiprocessing.connection", "json", "time", "os", "subprocess", "queue", "logging", "weakref", "gc", "zlib"):
    sys.modules.pop(name, None)
import threading, json, multiprocessing, queue
t = threading.Thread(target=print, args=("thread", again.Game().step(3))); t.start(); t.join()
print(json.dumps(again.Game().step(4)), queue.Queue().qsize())
sys.modules["os"] = types.ModuleType("os")
print(again.Game().step(5))
for name in [name for name in sys.modules if name.startswith("goldsplit")]: del sys.modules[name]
print(again.Game().step(6))
class Late:
    def reset(self): return 0
    def step(self, action): return action, 1.0, False, {}
print(Late().step(7))
