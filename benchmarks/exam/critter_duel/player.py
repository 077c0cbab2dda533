"""Plays one battle over a socket; runs in the thread pool."""
import json
import random
import socket
from time import thread_time

import numpy as np
import torch

from dex import MOVES, TYPES, effectiveness

N_ACTIONS = 7
STATUS = [None, "burn", "para"]


def embed_battle(state):
    out = [state["turn"] / 60]
    for who in (0, 1):
        team = state["mine" if who == 0 else "theirs"]
        foe = (state["theirs"] if who == 0 else state["mine"])[state["active"][1 - who]]
        for i, c in enumerate(team):
            out.append(1.0 if state["active"][who] == i else 0.0)
            out.append(c["hp"] / c["max_hp"])
            out += [c["attack"] / 100, c["defense"] / 100, c["speed"] / 100, c["boost"] / 3]
            out += [1.0 if c["type"] == t else 0.0 for t in TYPES]
            out += [1.0 if c["status"] == s else 0.0 for s in STATUS]
            for m in c["moves"]:
                kind, power, accuracy, effect = MOVES[m]
                out += [power / 100, accuracy, effectiveness(kind, foe["type"]) / 2, c["pp"][m] / 8]
                out.append(1.0 if effect == "heal" else 0.0)
    return np.array(out, dtype=np.float32)


OBS_SIZE = 1 + 6 * (6 + len(TYPES) + len(STATUS) + 20)


class Player:
    def __init__(self, port, net, inbox, usage, shared):
        self.port, self.net, self.inbox, self.usage, self.shared = port, net, inbox, usage, shared

    def talk(self, f, **msg):
        f.write(json.dumps(msg) + "\n")
        f.flush()
        line = f.readline()
        if not line:
            raise ConnectionError("server went away")
        return json.loads(line)

    def look(self, state):
        t = thread_time()
        mask = np.zeros(N_ACTIONS, dtype=bool)
        mask[state["legal"]] = True
        seen = embed_battle(state), mask
        self.usage["embed"] += thread_time() - t
        return seen

    def pick(self, obs, mask):
        t = thread_time()
        if random.random() < self.shared["epsilon"]:
            action = int(random.choice(np.flatnonzero(mask)))
        else:
            with torch.no_grad():
                q = self.net(torch.from_numpy(obs).unsqueeze(0))[0].numpy()
            action = int(np.where(mask, q, -1e9).argmax())
        self.usage["pick"] += thread_time() - t
        return action

    def play_battle(self, seed):
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as s:
            s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            f = s.makefile("rw")
            state = self.talk(f, cmd="challenge", seed=seed)
            obs, mask = self.look(state)
            while state["winner"] is None and not self.shared["closing"]:
                action = self.pick(obs, mask)
                state = self.talk(f, cmd="choose", action=action)
                obs2, mask2 = self.look(state)
                done = state["winner"] is not None
                self.inbox.put((obs, action, state["reward"], obs2, mask2, done, state["winner"]))
                obs, mask = obs2, mask2
        return state["winner"]
