import signal, time
class Game:
    def reset(self): return 0
    def step(self, action): return action, 1.0, False, {}
class OutOfTime(Exception): pass
def handler(number, frame): raise OutOfTime(number)
game = Game(); game.reset()
for kind, number in ((signal.ITIMER_REAL, signal.SIGALRM), (signal.ITIMER_PROF, signal.SIGPROF),
                     (signal.ITIMER_VIRTUAL, signal.SIGVTALRM)):
    signal.signal(number, handler)
    for _ in range(5):
        try:
            signal.setitimer(kind, 0.005)
            while True: game.step(0)
        except OutOfTime as error: print(error)
signal.signal(signal.SIGINT, signal.default_int_handler)
for _ in range(5):
    try:
        signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT)); signal.setitimer(signal.ITIMER_REAL, 0.005)
        while True: game.step(0)
    except KeyboardInterrupt: print('interrupted')
