import ctypes
import logging
import signal
import sys
import threading
import time
import traceback
import warnings

logging.basicConfig(stream=sys.stdout, format="%(levelname)s %(filename)s %(message)s")


class Late(Exception):
    pass


def ring(number, frame):
    raise Late("rang")


class Game:
    def reset(self):
        return 0

    def step(self, action):
        if action == "slow":
            until = time.monotonic() + 20
            while time.monotonic() < until:
                pass
        if action == "group":
            raise ExceptionGroup("several", [ValueError(1), KeyError(2)])
        if action == "deep":
            return self.step(action)
        if action == "stop":
            raise StopIteration(7)
        if action == "log":
            logging.warning("careful")
            warnings.warn("mind", UserWarning, stacklevel=1)
        if action == "text":
            raise UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad")
        return action, 1.0, False, {}


game = Game()
signal.signal(signal.SIGALRM, ring)
signal.setitimer(signal.ITIMER_REAL, 0.05)
for action in ("slow", "group", "deep", "stop", "log", "text", "last"):
    try:
        print(game.step(action))
    except BaseException as error:
        print(type(error).__name__, str(error)[:40], error.__cause__, error.__context__)
try:
    [*map(game.step, ["stop"])]
    print("map ended")
finally:
    print("after")


def busy():
    try:
        while True:
            game.step(1)
    except Late:
        print("stopped from outside")


thread = threading.Thread(target=busy)
thread.start()
time.sleep(0.05)
ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(Late))
thread.join()
threading.excepthook = lambda args: print("hook", args.exc_type.__name__, args.thread.name)
ended = threading.Thread(target=lambda: game.step("group"), name="odd")
ended.start()
ended.join()
quitting = threading.Thread(target=lambda: sys.exit(9))
quitting.start()
quitting.join()
try:
    game.step("group")
except* ValueError as found:
    print("part", found.exceptions)
except* KeyError as found:
    print("other", found.exceptions)
traceback.print_stack(file=sys.stdout, limit=1)
