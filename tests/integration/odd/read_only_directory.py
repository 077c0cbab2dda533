import os, tempfile, sys, subprocess
place = tempfile.mkdtemp(); os.chmod(place, 0o555); os.chdir(place)
if os.getuid() == 0: os.setegid(65534); os.seteuid(65534)
for name in ("HOME", "XDG_CACHE_HOME", "TMPDIR", "USER", "LOGNAME", "PATH"): os.environ.pop(name, None)
class Game:
    def reset(self): return 0
    def step(self, action): return action, 1.0, False, {}
try: open("x", "w")
except PermissionError as error: print(error)
print(Game().step(1))
pid = os.fork()
if not pid: Game().step(2); os._exit(2)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
