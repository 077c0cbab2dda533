"""Battle server: newline-separated json over tcp, one battle per connection."""
import asyncio
import json
import threading
from time import perf_counter

from battle import Battle, trainer_choice


class BattleServer(threading.Thread):
    def __init__(self, usage):
        super().__init__(daemon=True, name="battle-server", target=lambda: asyncio.run(self.serve()))
        self.usage = usage            # seconds by kind of work, read by the trainer
        self.port = None
        self.ready = threading.Event()
        self.open_battles = set()

    async def serve(self):
        self.loop, self.stopping = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self.handle, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self.ready.set()
        await self.stopping.wait()
        server.close()
        for task in list(self.open_battles):
            task.cancel()
        await asyncio.gather(*self.open_battles, return_exceptions=True)

    def stop(self):
        self.loop.call_soon_threadsafe(self.stopping.set)
        self.join(timeout=5)

    async def handle(self, reader, writer):
        task = asyncio.current_task()
        self.open_battles.add(task)
        battle = None
        try:
            while line := await reader.readline():
                msg = json.loads(line)
                if msg["cmd"] == "challenge":
                    t = perf_counter()
                    battle = Battle(msg["seed"])
                    self.usage["setup"] += perf_counter() - t
                    reward = 0.0
                elif msg["cmd"] == "choose":
                    reward = self.turn(battle, msg["action"])
                reply = self.describe(battle)
                reply["reward"] = reward
                writer.write(json.dumps(reply).encode() + b"\n")
                await writer.drain()
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self.open_battles.discard(task)
            writer.close()

    def turn(self, battle, action):
        before = battle.score(0)
        t = perf_counter()
        answer = trainer_choice(battle, 1)
        t2 = perf_counter()
        battle.play_turn(action, answer)
        t3 = perf_counter()
        if battle.winner() is None and not battle.me(1).alive():
            battle.active[1] = trainer_choice(battle, 1) - 4
        self.usage["trainer"] += t2 - t + perf_counter() - t3
        self.usage["rules"] += t3 - t2
        reward = battle.score(0) - before
        if battle.winner() is not None:
            reward += 3.0 if battle.winner() == 0 else -3.0
        return reward

    def describe(self, battle):
        t = perf_counter()
        side = lambda i: [{"name": c.name, "type": c.type, "hp": c.hp, "max_hp": c.max_hp, "attack": c.attack,
                           "defense": c.defense, "speed": c.speed, "status": c.status, "boost": c.boost,
                           "moves": c.moves, "pp": c.pp} for c in battle.teams[i]]
        state = {"turn": battle.turn, "active": battle.active, "mine": side(0), "theirs": side(1),
                 "legal": battle.legal_actions(0), "winner": battle.winner(), "log": battle.log[-20:]}
        self.usage["describe"] += perf_counter() - t
        return state
