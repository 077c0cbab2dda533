import faulthandler, sys, tempfile, tracemalloc, gc
faulthandler.enable()
class Game:
    def reset(self): return 0
    def step(self, action): return [action] * 10, 1.0, False, {}
tracemalloc.start(3)
game = Game(); game.reset()
kept = [game.step(n)[0] for n in range(100)]
print(tracemalloc.is_tracing(), tracemalloc.get_traced_memory()[0] > 1000, tracemalloc.get_traceback_limit())
tracemalloc.stop()
with tempfile.TemporaryFile("w+") as file:
    faulthandler.dump_traceback(file, all_threads=False); file.seek(0); print(file.read().count("File"))
print(sys.getrefcount(game) , len(gc.get_referrers(kept)))
class Boom:
    def reset(self): return 0
    def step(self, action): faulthandler._sigsegv()
faulthandler.disable()
import ctypes
print(flush=True)
import resource; resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
Boom().step(1)
