import os, signal, sys, threading, time
class Game:
    def reset(self): return 0
    def step(self, action): return action, 1.0, False, {}
game = Game(); game.reset()
seen = []
def handler(number, frame):
    seen.append((number, frame.f_code.co_name)); game.step(1)
for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP, signal.SIGTERM, signal.SIGINT, signal.SIGCHLD, signal.SIGCONT, signal.SIGWINCH, signal.SIGRTMIN, signal.SIGRTMAX):
    signal.signal(number, handler)
    os.kill(os.getpid(), number)
    game.step(2)
print(seen)
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
child = os.fork()
if not child: game.step(1); os._exit(3)
try: os.waitpid(child, 0)
except ChildProcessError as error: print(error)
import subprocess
print(subprocess.run([sys.executable, "-c", "print(4)"], capture_output=True).stdout)
signal.signal(signal.SIGCHLD, signal.SIG_DFL)
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1, signal.SIGTERM})
os.kill(os.getpid(), signal.SIGUSR1); print(signal.sigpending() == {signal.SIGUSR1}); print(signal.sigwait({signal.SIGUSR1}).name)
read, write = os.pipe(); os.set_blocking(write, False); old = signal.set_wakeup_fd(write); print(old)
signal.raise_signal(signal.SIGUSR2); print(os.read(read, 1)[0] == signal.SIGUSR2); signal.set_wakeup_fd(-1)
print([number for number in range(1, 32) if number not in (9, 19) and signal.getsignal(number) not in (signal.SIG_DFL, signal.SIG_IGN, handler, signal.default_int_handler, None)])
print(signal.getitimer(signal.ITIMER_REAL), signal.getitimer(signal.ITIMER_PROF), signal.getitimer(signal.ITIMER_VIRTUAL))
signal.siginterrupt(signal.SIGUSR2, False)
threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGUSR2)).start(); time.sleep(0.2)
print(len(seen)); signal.signal(signal.SIGINT, signal.default_int_handler)
threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    while True: game.step(1); time.sleep(0.001)
except KeyboardInterrupt: print("interrupted")
os.kill(os.getpid(), signal.SIGINT)
