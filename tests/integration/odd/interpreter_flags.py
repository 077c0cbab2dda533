import subprocess, sys, os, concurrent.futures as futures
TEXT = """
import sys, os
class Game:
    '''A game.'''
    def reset(self): return 0
    def step(self, action):
        assert action < 3, action
        return action, 1.0, False, {}
print(Game().step(1), Game.__doc__, sys.flags, sys.warnoptions, sys._xoptions, sys.path[:1], sys.argv, sys.dont_write_bytecode, sys.getfilesystemencoding(), sys.stdout.encoding, os.environ.get("PYTHONHASHSEED"), hash("a") == hash("a"))
print(str(b'x') and 1, '\\xe4\\u2603')
print(Game().step(3))
"""
WAYS = [["-OO"], ["-bb"], ["-X", "int_max_str_digits=700"], ["-i"], ["-X", "warn_default_encoding", "-W", "error"]]
ENVIRONMENTS = [{"PYTHONHASHSEED": "5"}, {"PYTHONMALLOC": "debug"}, {"HOME": "", "PATH": "", "TMPDIR": "/nonexistent"}]
def run(way):
    flags, more = (way, {}) if isinstance(way, list) else ([], way)
    environment = {k: v for k, v in os.environ.items() if k != "HOME" or "HOME" not in more} | more
    done = subprocess.run([sys.executable, *flags, "-c", TEXT, "a"], capture_output=True, env=environment, stdin=subprocess.DEVNULL, timeout=100)
    return way, done.returncode, done.stdout, done.stderr.splitlines()[-1:]
with futures.ThreadPoolExecutor(2) as pool:
    for row in pool.map(run, WAYS + ENVIRONMENTS): print(*row)
