import datetime, time, threading
real = {name: getattr(time, name) for name in dir(time) if callable(getattr(time, name)) and "time" in name or name in ("perf_counter", "sleep", "monotonic", "monotonic_ns", "perf_counter_ns")}
class Fake(datetime.datetime):
    @classmethod
    def now(cls, tz=None): return cls(2020, 1, 1)
datetime.datetime = Fake
class Clock:
    calls = 0
    def __call__(self): Clock.calls += 1; return 5
for name in ("time", "monotonic", "perf_counter", "process_time", "thread_time"): setattr(time, name, Clock())
for name in ("time_ns", "monotonic_ns", "perf_counter_ns", "process_time_ns", "thread_time_ns"): setattr(time, name, Clock())
slept = []
time.sleep = slept.append
class Game:
    def reset(self): return 0
    def step(self, action): time.sleep(action); return action, time.time(), False, {}
game = Game(); game.reset()
for n in range(3000): game.step(n)
print(sum(slept), game.step(1), datetime.datetime.now())
mine = [Clock.calls]
def raising(*_): raise AssertionError("nobody may ask for the time")
for name in ("time", "monotonic", "perf_counter", "process_time", "thread_time", "time_ns", "monotonic_ns", "perf_counter_ns", "thread_time_ns", "process_time_ns"): setattr(time, name, raising)
time.sleep = lambda s: None
for n in range(3000): 
    try: game.step(n)
    except AssertionError: pass
thread = threading.Thread(target=lambda: print("thread")); thread.start(); thread.join()
print(mine)
