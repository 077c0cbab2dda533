import os, sys
class Game:
    def reset(self): return 0
    def step(self, action): return action, 1.0, False, {}
game = Game(); game.reset(); game.step(1)
TEXT = "import sys\nclass G:\n def reset(self): return 0\n def step(self, a): return a, 1, 0, {}\nprint(G().step(1), sys.argv, flush=True); sys.exit(7)"
args = [sys.executable, "-c", TEXT, "x"]
ways = [lambda: os.execv(sys.executable, args), lambda: os.execvp(args[0], args), lambda: os.execve(sys.executable, args, os.environ),
    lambda: os.execl(sys.executable, *args), lambda: os.execle(sys.executable, *args, {}), lambda: os.execlp(args[0], *args),
    lambda: os.execvpe(args[0], args, {"PATH": "/bin"}), lambda: os.execv(path="/nonexistent", argv=["x"]), lambda: os.execv("/bin/sh", ["sh", "-c", "exit 6"])]
for way in ways:
    sys.stdout.flush()
    child = os.fork()
    if not child:
        try: game.step(2); way()
        except BaseException as error: print(repr(error), flush=True); os._exit(9)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
fd = os.open(sys.executable, os.O_RDONLY)
child = os.fork()
if not child: os.execve(fd, args, dict(os.environ))
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print(os.spawnv(os.P_WAIT, sys.executable, args), os.spawnlp(os.P_WAIT, "sh", "sh", "-c", "exit 2"), os.system("exit 3") >> 8, os.popen("echo 4").read())
try: os.execv(sys.executable, [])
except ValueError as error: print(error)
try: os.execve(sys.executable, ["x"], {"a=b": "c"})
except ValueError as error: print(error)
