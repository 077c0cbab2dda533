import sys, threading
class Game:
    def reset(self): return 0
    def step(self, action):
        if action % 2:
            return action, 1.0, False, {}
        return -action, 1.0, False, {}
    def gen(self):
        yield 1
        yield 2
lines = {}
def trace(frame, event, arg):
    if frame.f_code.co_filename != __file__: return None
    if event == "line": lines.setdefault(frame.f_code.co_name, set()).add(frame.f_lineno)
    if event == "exception": lines.setdefault("exceptions", set()).add(arg[0].__name__)
    return trace
class Bad:
    def reset(self): return 0
    def step(self, action): raise ValueError(action)
threading.settrace(trace); sys.settrace(trace)
game = Game(); game.reset()
for n in range(10): game.step(n)
print(list(game.gen()))
try: Bad().step(1)
except ValueError as error: print(error)
thread = threading.Thread(target=lambda: [Game().step(n) for n in range(4)]); thread.start(); thread.join()
print(sys.gettrace() is trace)
sys.settrace(None); threading.settrace(None)
print(sorted((name, sorted(ls)) for name, ls in lines.items() if ls and name != "exceptions"), lines["exceptions"])
print(sys.gettrace(), sys.getprofile())
import cProfile, io, pstats
profile = cProfile.Profile(); profile.enable()
for n in range(10): game.step(n)
profile.disable()
stats = pstats.Stats(profile, stream=io.StringIO())
print(sorted((name, row[0], row[1]) for (file, line, name), row in stats.stats.items() if file == __file__))
import profile as slow
run = slow.Profile(); run.runcall(lambda: [game.step(n) for n in range(3)])
print(sorted((name, row[0]) for (file, line, name), row in pstats.Stats(run).stats.items() if file == __file__ and name == "step"))
import trace as tracing
tracer = tracing.Trace(count=1, trace=0); tracer.runfunc(game.step, 3)
print(sorted((line, count) for (file, line), count in tracer.results().counts.items() if file == __file__))
import bdb, doctest
class Stops(bdb.Bdb):
    def user_line(self, frame):
        if frame.f_code.co_filename == __file__: print("line", frame.f_lineno, frame.f_code.co_name)
        self.set_step()
Stops().runcall(game.step, 4)
