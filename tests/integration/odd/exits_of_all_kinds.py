import os, subprocess, sys
GAME = "import os, sys, threading, signal, time, atexit\nclass Game:\n    def reset(self): return 0\n    def step(self, action): return action, 1.0, False, {}\n    def die(self): raise KeyboardInterrupt\ngame = Game(); game.reset(); game.step(1)\n"
ENDS = ["threading.Thread(target=os._exit, args=(5,)).start(); time.sleep(5)",
    "class E(BaseException): pass\nraise E('mine')", "sys.stdout.close(); sys.exit(9)", "sys.modules.clear(); raise SystemExit(10)",
    "import ctypes; ctypes.string_at(0)", "sys.excepthook = None; 1/0",
    "signal.signal(signal.SIGPIPE, signal.SIG_DFL); r, w = os.pipe(); os.close(r); os.write(w, b'x')", "os._exit(status=14)", "class D:\n    def __del__(self): os._exit(15)\nd = D()"]
import concurrent.futures as futures
def run(text):
    done = subprocess.run([sys.executable, "-c", "import resource; resource.setrlimit(resource.RLIMIT_CORE, (0, 0))\n" + GAME + text], capture_output=True, text=True, timeout=60)
    return text.splitlines()[0], done.returncode, done.stdout, done.stderr.strip().splitlines()[-1:]
with futures.ThreadPoolExecutor(2) as pool:
    for row in pool.map(run, ENDS): print(row)
