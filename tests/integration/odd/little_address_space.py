import resource, sys
class Game:
    def reset(self): return bytearray(1 << 20)
    def step(self, action): return bytearray(action), 1.0, False, {}
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (200 << 20),) * 2)
game = Game(); game.reset()
try: game.step(1 << 40)
except MemoryError: print("no memory")
print(len(game.step(1000)[0]))
kept = []
try:
    while True: kept.append(game.step(1 << 20))
except MemoryError: print("full", len(kept) > 50)
for n in range(50):
    try: game.step(8 << 20)
    except MemoryError: pass
kept.clear()
print(len(game.step(1 << 20)[0]))
