"""One actor = one process. Plays whole episodes with its own copy of the net, ships them home."""
import queue
import random
import time
import numpy as np
import torch
from game import Arena, look
from net import Brain, from_arrays

STAGES = ["idle", "env.reset", "env.observe", "act", "env.step", "env.opponent", "transfer", "replay.add"]
IDLE, RESET, OBSERVE, ACT, STEP, FOES, TRANSFER, RECORD = range(8)


def newest(q):
    w = None
    try:
        while True:
            w = q.get_nowait()
    except queue.Empty:
        return w


def actor_main(me, out_q, weight_q, go, stop):
    torch.set_num_threads(1)
    torch.manual_seed(100 + me)
    net = Brain()
    game = Arena(random.Random(50 + me))
    from_arrays(net, weight_q.get())
    version = 0
    with torch.no_grad():
        net(torch.zeros(1, len(game_warmup(game))))
    out_q.put({"hello": me})
    go.wait()
    now = time.perf_counter
    while not stop.is_set():
        times, what = [], []          # my marks: from times[i] on I do what[i]

        def mark(stage):
            times.append(now())
            what.append(stage)

        mark(TRANSFER)
        w = newest(weight_q)
        if w is not None:
            version, arrays = w
            from_arrays(net, arrays)
        mark(RESET)
        game.reset()
        obs_l, act_l, logp_l, rew_l = [], [], [], []
        done = False
        while not done and not (game.tick % 8 == 0 and stop.is_set()):
            mark(OBSERVE)
            o = np.array(look(game), dtype=np.float32)
            mark(ACT)
            with torch.no_grad():
                logits, _ = net(torch.from_numpy(o).unsqueeze(0))
                logp = torch.log_softmax(logits, -1)[0]
                a = int(torch.multinomial(logp.exp(), 1))
                lp = float(logp[a])
            mark(STEP)
            hp = game.me.hp
            game.step_me(a)
            mark(FOES)
            game.step_foes()
            mark(STEP)
            r, done = game.finish_tick(hp)
            obs_l.append(o)
            act_l.append(a)
            logp_l.append(lp)
            rew_l.append(r)
        mark(IDLE)
        msg = {"actor": me, "done": done, "won": game.won, "version": version,
               "times": np.array(times), "what": np.array(what, dtype=np.int8)}
        if done:
            msg.update(obs=np.stack(obs_l), act=np.array(act_l), logp=np.array(logp_l, np.float32),
                       rew=np.array(rew_l, np.float32))
        out_q.put(msg)
    out_q.put({"bye": me})


def game_warmup(game):
    game.reset()
    return look(game)
