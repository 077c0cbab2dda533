import unittest.mock as mock, time, os, threading, json, builtins
class Game:
    def reset(self): return 0
    def step(self, action): return action, 1.0, False, {}
with mock.patch.object(Game, "step", autospec=True, return_value=(7, 1.0, True, {})) as patched:
    print(Game().step(1), patched.call_count)
print(Game().step(2))
with mock.patch.object(Game, "step", side_effect=[1, 2, KeyError("x")]) as patched:
    game = Game(); print(game.step(1), game.step(2))
    try: game.step(3)
    except KeyError as error: print(error)
env = mock.MagicMock(); env.step.return_value = (0, 1.0, False, {}); print(env.step(1), env.reset().x.y.call_count)
spec = mock.create_autospec(Game, instance=True); spec.step.return_value = 3; print(spec.step(1)); 
try: spec.step(1, 2, 3)
except TypeError as error: print(error)
with mock.patch("os.getpid", return_value=1), mock.patch("time.perf_counter_ns", side_effect=RuntimeError), mock.patch("threading.get_ident", return_value=3), mock.patch("json.dumps", side_effect=RuntimeError), mock.patch("os.write", side_effect=OSError):
    out = [Game().step(n) for n in range(50)]
print(out[-1])
