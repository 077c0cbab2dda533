import multiprocessing, sys
class Game:
    def reset(self): return 0
    def step(self, action): return action, 1.0, False, {}
def work(): print(Game().step(1))
print("main", multiprocessing.current_process().name, flush=True)
process = multiprocessing.get_context("spawn").Process(target=work)
process.start(); process.join()
sys.exit(process.exitcode)
