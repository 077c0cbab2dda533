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
