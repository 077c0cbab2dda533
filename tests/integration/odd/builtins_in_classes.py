import inspect, os, pickle, copy, types, weakref
class Trainer:
    log = print
    leave = os._exit
    def reset(self): return 0
    def step(self, action): self.log("step", action); return 0, 1.0, False, {}
t = Trainer(); t.reset(); t.step(1)
print(print, print.__name__, print.__doc__[:9], print.__module__, print.__qualname__, print.__self__, inspect.isbuiltin(print), inspect.signature(print), callable(print), isinstance(print, types.BuiltinFunctionType), inspect.isroutine(print), inspect.isfunction(os._exit))
print(pickle.loads(pickle.dumps(print)) is print, copy.deepcopy([print])[0] is print, hash(print) == hash(print), print == print, {print: 1}[print], os._exit.__name__, os.execve, inspect.signature(os.execve))
try: print.x = 1
except AttributeError as error: print("AttributeError")
try: print(nothing=1)
except TypeError as error: print(error)
try: os._exit("a")
except TypeError as error: print(error)
import functools
functools.partial(print, "partial")("x"); list(map(print, [1])); functools.wraps(print)(lambda: 0)()
t.leave(4)
