import os, sys, threading, atexit, multiprocessing, multiprocessing.util, weakref
class Game:
    def reset(self): return 0
    def step(self, action): return action, 1.0, False, {}
order = []
os.register_at_fork(before=lambda: order.append("before"), after_in_parent=lambda: order.append("parent"), after_in_child=lambda: order.append("child"))
game = Game(); game.step(1)
pid = os.fork()
if not pid: game.step(1); print(order, flush=True); os._exit(0)
os.waitpid(pid, 0); print(order)
class Worker(threading.Thread):
    def __init__(self): super().__init__(name="mine", daemon=False); self.out = None
    def run(self): self.out = game.step(threading.current_thread().name), threading.get_native_id() == self.native_id
    def start(self): print("starting"); super().start()
    def join(self, timeout=None): super().join(timeout); print("joined")
w = Worker(); w.start(); w.join(); print(w.out, w.is_alive(), repr(w).split("(")[0])
class Child(multiprocessing.get_context("fork").Process):
    def run(self): print("child", game.step(4), flush=True); sys.exit("said")
c = Child(); c.start(); c.join(); print(c.exitcode)
local = threading.local(); local.x = 1
class Loud(threading.local):
    def __init__(self): self.calls = 0
loud = Loud()
def use(): loud.calls += 1; print(hasattr(local, "x"), loud.calls)
first = threading.Thread(target=use); first.start(); first.join(); use()
for t in threading.enumerate():
    if t is not threading.main_thread(): t.join()
multiprocessing.util.Finalize(None, print, args=("finalized",), exitpriority=5)
weakref.finalize(game, print, "dead"); threading._register_atexit(print, "threads over") if hasattr(threading, "_register_atexit") else None
def late():
    try: t = threading.Thread(target=print, args=("late thread",)); t.start(); t.join()
    except RuntimeError as error: print("cannot")
    print("atexit", Game().step(9))
atexit.register(late)
def fails(): raise SystemExit(3)
atexit.register(fails)
threading.Thread(target=lambda: (threading.main_thread().join(), print("after main", game.step(5)))).start()
