import os, tempfile
class Game:
  def reset(self): return 0
  def step(self, action): return 0, 1.0, False, {}
with tempfile.TemporaryDirectory() as place:
  os.chdir(place); Game().step(1); print(os.listdir('.'))
try: os.getcwd()
except FileNotFoundError: print('gone')
Game().step(2)
