import os
os.closerange(0, 1024)
class Game:
    def reset(self): return 0
    def step(self, action): return action, 1.0, False, {}
for name in "abcd":
    assert os.open(name, os.O_CREAT | os.O_RDWR) == "abcd".index(name)
for n in range(3000): Game().step(n)
pid = os.fork()
if not pid: Game().step(1); os._exit(4)
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
assert [os.stat(name).st_size for name in "abcd"] == [0] * 4
os._exit(20 + code)
