import warnings, sys, os, threading
warnings.simplefilter("error")
class Game:
    def reset(self): return 0
    def step(self, action): return action, 1.0, False, {}
import asyncio, multiprocessing, sqlite3, logging.config, unittest.mock
game = Game(); game.reset(); game.step(1)
class Closes:
    def __init__(self): self.file = open(os.devnull)
    def reset(self): return 0
    def step(self, action): self.file = None; return 0, 1.0, False, {}
Closes().step(1)
try: warnings.warn("mine", DeprecationWarning)
except DeprecationWarning as error: print(error)
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always"); warnings.warn("kept"); game.step(2); print(len(seen), seen[0].filename == __file__, seen[0].lineno)
process = multiprocessing.get_context("fork").Process(target=game.step, args=(1,)); process.start(); process.join(); print(process.exitcode)
print(warnings.filters[0][0], game.step(3))
