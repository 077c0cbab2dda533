import multiprocessing as mp, sys
class Game:
    def reset(self): return 0
    def step(self, action): return action * 2, 1.0, False, False, {}
def work(game, pipe):
    game.reset()
    while (action := pipe.recv()) is not None: pipe.send(game.step(action))
    sys.exit(4)
if __name__ == '__main__':
    for method in ('fork', 'spawn', 'forkserver'):
        context = mp.get_context(method)
        near, far = context.Pipe()
        process = context.Process(target=work, args=(Game(), far)); process.start()
        answers = []
        for action in range(3): near.send(action); answers.append(near.recv())
        near.send(None); process.join(); print(method, answers, process.exitcode)
    with mp.get_context('fork').Pool(2) as pool: print(pool.map(Game().step, range(3)))
