import os, sys
print('seen', flush=True)
sys.stderr.close(); os.close(1)
class Game:
  def reset(self): return 0
  def step(self, action): return 0, 1.0, False, {}
Game().step(1)
try: print('unseen', flush=True)
except OSError: pass
os._exit(6)
