import signal, os, sys, threading, time, _thread
class Game:
    def reset(self): return 0
    def step(self, action): return action, 1.0, False, {}
game = Game(); game.reset()
for number in range(3000): game.step(number)
print(threading.active_count(), threading.enumerate() == [threading.main_thread()])
go, out, tasks = threading.Barrier(101), [], []
def work(number):
    tasks.append(threading.get_native_id())
    own = Game(); own.reset(); go.wait(); out.append(own.step(number)[0]); go.wait()
threading.stack_size(256 << 10)
for number in range(100): threading.Thread(target=work, args=(number,)).start()
go.wait(); print(threading.active_count()); go.wait()
for thread in threading.enumerate():
    if thread is not threading.current_thread(): thread.join()
print(sum(out))
done = threading.Event()
raw = []
def work_raw():
    raw.append(threading.get_native_id()); game.step(1); print('raw', threading.active_count()); done.set()
_thread.start_new_thread(work_raw, ()); done.wait()
for task in raw + tasks:  # Python 3.12 warns of a fork beside them; what is joined may need a moment to end
    while os.path.exists(f'/proc/self/task/{task}'): time.sleep(0.001)
child = os.fork()
if not child:
    for number in range(3000): game.step(number)
    print(threading.active_count(), [t.name for t in threading.enumerate()], flush=True); os._exit(threading.active_count())
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1, signal.SIGTERM})
for _ in range(20):
    os.kill(os.getpid(), signal.SIGUSR1); game.step(1); assert signal.sigwait({signal.SIGUSR1}) == signal.SIGUSR1
print(signal.pthread_sigmask(signal.SIG_BLOCK, []) == {signal.SIGUSR1, signal.SIGTERM})
