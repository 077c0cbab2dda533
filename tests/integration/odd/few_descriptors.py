import multiprocessing, os, resource, subprocess, sys, threading, socket
class Game:
    def reset(self): return 0
    def step(self, action): return action, 1.0, False, {}
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
files = []
try:
    while True: files.append(open(os.devnull))
except OSError as error: print(error.strerror)
game = Game(); game.reset(); print([game.step(n)[0] for n in range(100)][-1])
try: import wave, xdrlib
except (OSError, ImportError) as error: print(type(error).__name__)
child_failed = False
try: subprocess.run([sys.executable, "-c", "0"])
except OSError as error: print(error.strerror)
pid = os.fork()
if not pid:
    game.step(1); os._exit(5)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
threads = [threading.Thread(target=game.step, args=(n,)) for n in range(3)]
for t in threads: t.start()
for t in threads: t.join()
for file in files[:10]: file.close()
print(subprocess.run([sys.executable, "-c", "print(3)"], capture_output=True).stdout)
print(len(files) > 40)
