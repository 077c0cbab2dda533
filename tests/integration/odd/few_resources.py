import os
import resource
import sys


class Game:
    def reset(self):
        return 0

    def step(self, action):
        return action, 1.0, False, {}


game = Game()
game.reset()
print([game.step(i)[0] for i in range(300)][-1], flush=True)
resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
try:
    with open("large", "wb") as file:
        file.write(b"x" * 10)
except OSError as error:
    print(error.strerror, flush=True)
resource.setrlimit(resource.RLIMIT_NOFILE, (3, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
try:
    open("large")
except OSError as error:
    print(error.strerror, flush=True)
print([game.step(i)[0] for i in range(300)][-1], flush=True)
if hasattr(os, "setresuid") and os.getuid() == 0:
    os.setresuid(65534, 65534, 65534)
print([game.step(i)[0] for i in range(300)][-1], flush=True)
os.umask(0o777)
os.closerange(3, 64)
sys.stdout.flush()
sys.exit(11)
