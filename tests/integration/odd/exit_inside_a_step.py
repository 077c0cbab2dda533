class Game:
  def reset(self): return 0
  def step(self, action): raise SystemExit(action)
Game().step(21)
