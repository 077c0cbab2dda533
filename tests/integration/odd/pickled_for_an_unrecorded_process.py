import multiprocessing, pickle, subprocess, sys, textwrap
with open("mine.py", "w") as file:
    file.write(textwrap.dedent("""
        class Game:
            def __init__(self): self.turn = 0
            def reset(self): return 0
            def step(self, action): self.turn += 1; return self.turn, 1.0, False, {}
        class Agent:
            def select_action(self, state): return 1
    """))
sys.path.insert(0, "")
import mine
game = mine.Game(); game.reset(); game.step(1)
text = pickle.dumps([game, mine.Game.step, game.step, mine.Agent().select_action, mine.Agent.select_action])
print(b"goldsplit" in text)
CHILD = "import pickle, sys; g, f, m, a, b = pickle.load(sys.stdin.buffer); print(g.step(1), f(g, 2), m(3), a(1), b(None, 2))"
for flags in ([], ["-E"], ["-S"]):
    done = subprocess.run([sys.executable, *flags, "-c", "import sys; sys.path.insert(0, ''); " + CHILD], input=text, capture_output=True)
    print(done.returncode, done.stdout, done.stderr[-200:])
