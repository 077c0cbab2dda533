"""One process plays and posts whole games, the main one studies them."""
import json
import os
import time
from multiprocessing import get_context
os.environ["OMP_NUM_THREADS"] = "1"
import numpy as np
import torch
import torch.nn as nn

from pond import Pond

pc = time.perf_counter


class Brain(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(27, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh())
        self.pi, self.val = nn.Linear(128, 5), nn.Linear(128, 1)

    def forward(self, x):
        h = self.body(x)
        return self.pi(h), self.val(h)[..., 0]


def duck(outbox, inbox, stop, seed):
    """The playing process."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    brain, pond = Brain(), Pond(seed)
    while not stop.is_set():
        t0 = pc()
        while not inbox.empty():
            brain.load_state_dict({k: torch.from_numpy(v) for k, v in inbox.get().items()})
        clock = dict.fromkeys(("env.reset", "act", "env.step"), 0.0)
        t = pc()
        seen = pond.restart()
        clock["env.reset"] += pc() - t
        tale = []
        while True:
            t = pc()
            with torch.no_grad():
                logits, v = brain(torch.from_numpy(seen))
                move = int(torch.multinomial(torch.softmax(logits, -1), 1))
            t1 = pc()
            nxt, bread, over = pond.paddle(move)
            t2 = pc()
            clock["act"] += t1 - t
            clock["env.step"] += t2 - t1
            tale.append((seen, move, bread))
            seen = nxt
            if over:
                break
        outbox.put((tale, clock, pc() - t0))


def study(brain, opt, tales, gamma=0.98):
    xs, ks, gs = [], [], []
    for tale in tales:
        g, back = 0.0, []
        for _, _, bread in reversed(tale):
            g = bread + gamma * g
            back.append(g)
        back.reverse()
        for (x, k, _), g in zip(tale, back):
            xs.append(x)
            ks.append(k)
            gs.append(g)
    x, k, g = torch.from_numpy(np.stack(xs)), torch.tensor(ks), torch.tensor(gs, dtype=torch.float32)
    for _ in range(3):
        logits, v = brain(x)
        logp = torch.log_softmax(logits, -1).gather(1, k[:, None])[:, 0]
        loss = -(logp * (g - v.detach())).mean() + 0.5 * (g - v).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()


def main():
    limit = float(os.environ.get("WILD_SECONDS", 20))
    torch.set_num_threads(1)
    ctx = get_context("spawn")
    mail, letters, stop = ctx.Queue(4), ctx.Queue(), ctx.Event()
    player = ctx.Process(target=duck, args=(mail, letters, stop, 5), daemon=True)
    player.start()
    brain = Brain()
    opt = torch.optim.Adam(brain.parameters(), lr=3e-4)
    mail.get()
    secs = dict.fromkeys(("wait", "learn", "vec.post"), 0.0)
    theirs = dict.fromkeys(("env.reset", "act", "env.step", "whole"), 0.0)
    steps = games = studies = 0
    t_begin = pc()
    while pc() - t_begin < limit:
        t = pc()
        tales = []
        for _ in range(4):
            tale, clock, whole = mail.get()
            tales.append(tale)
            steps += len(tale)
            games += 1
            for name, s in clock.items():
                theirs[name] += s
            theirs["whole"] += whole
        t1 = pc()
        study(brain, opt, tales)
        t2 = pc()
        letters.put({k: v.numpy().copy() for k, v in brain.state_dict().items()})
        t3 = pc()
        secs["wait"] += t1 - t
        secs["learn"] += t2 - t1
        secs["vec.post"] += t3 - t2
        studies += 3
    wall = pc() - t_begin
    stop.set()
    out = {name: secs["wait"] * theirs[name] / theirs["whole"] for name in ("env.reset", "act", "env.step")}
    out["env.step+env.observe"] = out.pop("env.step")  # the pond is looked at inside a step
    out["vec.loop"] = secs["wait"] - sum(out.values())
    out.update({"learn.all": secs["learn"], "vec.post": secs["vec.post"]})
    out["other"] = wall - sum(out.values())
    with open(os.environ["WILD_TRUTH"], "w") as f:
        json.dump({"wall_seconds": wall, "stages": out, "updates": studies}, f)
    letters.cancel_join_thread()
    player.terminate()


if __name__ == "__main__":
    main()
