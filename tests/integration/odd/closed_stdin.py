import os, sys
os.close(0)
class Game:
    def reset(self): return 0
    def step(self, action): return action, 1.0, False, {}
print(os.open(os.devnull, os.O_RDONLY)); os.close(0)
print(Game().step(1))
try: input()
except (EOFError, OSError) as error: print(type(error).__name__)
import subprocess
print(subprocess.run([sys.executable, "-c", "import sys; print(sys.stdin)"], capture_output=True).stdout)
os.close(2); print(os.open("mine.txt", os.O_CREAT | os.O_WRONLY) in (0, 2)); print(Game().step(2))
sys.stdin = None
for n in range(1000): Game().step(n)
print(open("mine.txt").read() == "")
