import concurrent.futures
import multiprocessing
import multiprocessing.pool
import os
import subprocess
import sys


class Game:
    def reset(self):
        return 0

    def step(self, action):
        if action == 99:
            os._exit(7)
        return action * 2, 1.0, False, {}


def play(action):
    return Game().step(action)[0]


def talk(pipe):
    while (action := pipe.recv()) is not None:
        pipe.send(play(action))


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    with context.Pool(2) as pool:
        print(pool.map(play, range(5)), pool.apply(play, (7,)))
    with multiprocessing.pool.ThreadPool(2) as pool:
        print(pool.map(play, range(5)))
    near, far = context.Pipe()
    worker = context.Process(target=talk, args=(far,))
    worker.start()
    near.send(4)
    print(near.recv(), near.send(None), worker.join(), worker.exitcode)
    child = os.fork()
    if child == 0:
        Game().step(99)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
        try:
            pool.submit(play, 99).result()
        except concurrent.futures.process.BrokenProcessPool as error:
            print(type(error).__name__)
    text = "class Game:\n def reset(self): return 0\n def step(self, a): return a, 1, 0, {}\nprint(Game().step(3))"
    print(subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, env={}).stdout)
    print(subprocess.check_output([sys.executable, "-E", "-c", text], text=True))
    pid = os.posix_spawn(sys.executable, [sys.executable, "-c", "import sys; sys.exit(6)"], os.environ)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    print(subprocess.run(["sh", "-c", "exit 5"]).returncode, subprocess.getoutput("echo hello"))
