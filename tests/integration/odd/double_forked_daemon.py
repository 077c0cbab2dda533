import os, sys, time
class Game:
    def reset(self): return 0
    def step(self, action): return action, 1.0, False, {}
Game().step(1)
read, write = os.pipe()
if os.fork() == 0:
    os.setsid(); os.umask(0o22); os.chdir("/")
    if os.fork(): os._exit(0)
    os.close(read)
    for fd in (0, 1, 2): os.close(fd)
    null = os.open(os.devnull, os.O_RDWR); os.dup2(null, 1); os.dup2(null, 2)
    game = Game(); game.reset()
    for n in range(500): game.step(n)
    os.write(write, b"daemon %d" % game.step(5)[0]); os._exit(0)
os.wait(); os.close(write)
print(os.read(read, 100), os.read(read, 100))
