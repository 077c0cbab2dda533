import sys
class Game:
    def reset(self): return 0
    def step(self, depth): return (depth, 1.0, False, {}) if not depth else self.step(depth - 1)
    def render(self): return self.step(0)
class Agent:
    def select_action(self, state): return 1
    def learn(self, batch): return sum(batch)
game, agent = Game(), Agent()
game.reset(); game.step(3)
sys.setrecursionlimit(60)
print(game.step(20), agent.select_action(0), agent.learn([1, 2]), game.render())
try: game.step(200)
except RecursionError as error: print("RecursionError")
def depth(n=1):
    try: return depth(n + 1)
    except RecursionError: return n
print(depth() > 40)
class Equal:
    def reset(self): return 0
    def step(self, action):
        try: return self.step(action + 1)
        except RecursionError: return action > 20, 1.0, False, {}
print(Equal().step(0))
import threading
out = []
t = threading.Thread(target=lambda: out.append(game.step(5))); t.start(); t.join(); print(out)
