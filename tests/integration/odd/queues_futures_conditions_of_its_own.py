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
