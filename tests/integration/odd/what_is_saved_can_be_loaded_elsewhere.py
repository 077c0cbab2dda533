import io
import pickle
import subprocess
import sys

try:
    import gymnasium
    import numpy as np
except ImportError:
    sys.exit(0)
with open("mine.py", "w") as file:
    file.write("""
import gymnasium, numpy as np
class Env(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-1, 1, (4,)); action_space = gymnasium.spaces.Discrete(2)
    def reset(self, *, seed=None, options=None): super().reset(seed=seed); self.t = 0; return np.zeros(4, np.float32), {}
    def step(self, action): self.t += 1; return np.zeros(4, np.float32), 1.0, self.t > 5, False, {}
class Buffer:
    def __init__(self): self.rows = []
    def push(self, row): self.rows.append(row)
    def sample(self, n): return self.rows[:n]
    def __len__(self): return len(self.rows)
""")
sys.path.insert(0, "")
import mine  # noqa: E402

env, buffer = gymnasium.wrappers.RecordEpisodeStatistics(gymnasium.wrappers.TimeLimit(mine.Env(), 10)), mine.Buffer()
env.reset()
for _ in range(50):
    result = env.step(0)
    buffer.push(result[0].sum())
    if result[2]:
        env.reset()
sent = pickle.dumps([env, buffer, mine.Env.step, print])
CHILD = "import pickle, sys; sys.path.insert(0, ''); sys.modules['goldsplit'] = None; env, buffer, step, write = pickle.load(sys.stdin.buffer); env.reset(); write(env.step(1)[1], env.return_queue, len(buffer), buffer.sample(2), step.__name__)"
done = subprocess.run([sys.executable, "-E", "-c", CHILD], input=sent, capture_output=True)
print(done.returncode, done.stdout, done.stderr[-300:], b"goldsplit" in sent, repr(env.return_queue))
