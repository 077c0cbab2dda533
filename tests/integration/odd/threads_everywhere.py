import os, threading, time
class Game:
    def reset(self): return 0
    def step(self, action): return action, 1.0, False, {}
def work(out):
    game = Game()
    for number in range(200): game.step(number)
    out.append(threading.current_thread().name)
out = []
threads = [threading.Thread(target=work, args=(out,), name=f't{n}') for n in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(sorted(out), threading.active_count() >= 1)
def fork_there(codes):
    child = os.fork()
    if not child:
        Game().step(1); os._exit(9)
    codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
codes = []
threads = [threading.Thread(target=fork_there, args=(codes,)) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(codes)
import _thread
done = threading.Event(); _thread.start_new_thread(lambda: (Game().step(1), done.set()), ()); done.wait(); print('raw thread')
