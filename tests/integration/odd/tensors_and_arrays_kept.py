import copy, gc, pickle, sys
import numpy as np
class Game:
    def __init__(self): self.obs = np.zeros((4, 4), np.float32)
    def reset(self): self.obs[:] = 0; return self.obs
    def step(self, action): self.obs += 1; return self.obs, np.float32(1), np.bool_(False), {}
game = Game(); first = game.reset(); got = game.step(1)[0]
print(first is got, sys.getrefcount(game.obs) - 1, got.flags.owndata, got.base)
for _ in range(300): result = game.step(1)
print(result[0] is game.obs, sys.getrefcount(result), sys.getrefcount(result[3]) - 1)
del result; game.obs.resize((8, 2)); print(game.obs.shape)
class Frozen(Game):
    def step(self, action): out = super().step(action); out[0].flags.writeable = False; self.obs = self.obs.copy(); return out
frozen = Frozen(); frozen.reset(); [frozen.step(0) for _ in range(50)]; print(frozen.obs.sum())
class Odd(np.ndarray):
    def __array_finalize__(self, given): pass
    def __array_ufunc__(self, *given, **more): print("ufunc"); return NotImplemented
    def __bool__(self): raise ValueError("ambiguous")
    def __len__(self): raise TypeError("no length")
class Gives:
    def reset(self): return np.zeros(2).view(Odd)
    def step(self, action): return np.zeros(2).view(Odd), np.ones(3).view(Odd), np.zeros(3, bool).view(Odd), {}
gives = Gives(); gives.reset(); print([type(gives.step(0)[2]).__name__ for _ in range(60)][-1])
mask = np.ma.masked_array([1, 0], mask=[True, False])
class Masked:
    def reset(self): return mask
    def step(self, action): return mask, mask, mask > 0, [{"terminal_observation": mask}, {}]
masked = Masked(); masked.reset(); print([masked.step(0)[2] for _ in range(40)][-1])
print(pickle.loads(pickle.dumps(game)).step(1)[0].sum() == copy.deepcopy(game).step(1)[0].sum())
