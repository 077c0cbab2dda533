from gevent import monkey
monkey.patch_all()
import queue
import threading
import time

import gevent


class Game:
    def reset(self):
        return 0

    def step(self, action):
        gevent.sleep(0.001)
        return action, 1.0, False, {}


def play(results):
    game = Game()
    game.reset()
    for action in range(20):
        results.put(game.step(action)[0])


results = queue.Queue()
players = [threading.Thread(target=play, args=(results,)) for _ in range(3)]
for player in players:
    player.start()
for player in players:
    player.join()
print(sorted(results.get() for _ in range(60)) == sorted(list(range(20)) * 3))
event = threading.Event()
gevent.spawn_later(0.01, event.set)
print(event.wait(5))
time.sleep(0.6)
print(gevent.spawn(lambda: Game().step(4)).get())
