"""Plays games forever, sends whole trajectories."""
import queue
import time
import numpy as np
import torch
from arena import Arena
from model import TankNet, weights_in

UNROLL = 40


def run_worker(idx, traj_q, param_q, stop, played, games):
    torch.set_num_threads(1)
    torch.manual_seed(100 + idx)
    net = TankNet()
    arena = Arena(500 + idx)
    pc = time.perf_counter
    weights_in(net, param_q.get())
    clk = {"env.reset": 0.0, "env.observe": 0.0}
    t = pc()
    arena.restart()
    clk["env.reset"] += pc() - t
    t = pc()
    obs = arena.render()
    clk["env.observe"] += pc() - t
    score = 0.0
    while not stop.is_set():
        O, A, LP, R, D, scores = [], [], [], [], [], []
        for _ in range(UNROLL):
            t0 = pc()
            with torch.no_grad():
                logits, _ = net(torch.from_numpy(obs)[None])
                lp = torch.log_softmax(logits[0], 0)
                a = int(torch.multinomial(lp.exp(), 1))
                lp = float(lp[a])
            t1 = pc()
            arena.my_move(a)
            arena.distance_field()
            t2 = pc()
            arena.bots_turn()
            t3 = pc()
            r, done = arena.finish_tick(arena.fly_shells())
            t4 = pc()
            clk["act"] = clk.get("act", 0.0) + t1 - t0
            clk["env.step"] = clk.get("env.step", 0.0) + (t2 - t1) + (t4 - t3)
            clk["env.opponent"] = clk.get("env.opponent", 0.0) + t3 - t2
            O.append(obs)
            A.append(a)
            LP.append(lp)
            R.append(r)
            D.append(done)
            score += r
            if done:
                scores.append((score, arena.kills))
                score = 0.0
                t0 = pc()
                arena.restart()
                clk["env.reset"] += pc() - t0
            t0 = pc()
            obs = arena.render()
            clk["env.observe"] += pc() - t0
        O.append(obs)
        played[idx] += UNROLL
        games[idx] += len(scores)
        msg = {"obs": np.stack(O).astype(np.float16), "act": np.array(A), "logp": np.array(LP, np.float32), "rew": np.array(R, np.float32),
               "done": np.array(D, np.float32), "scores": scores, "worker": idx, "clk": clk, "ready": pc()}
        while not stop.is_set():
            try:
                traj_q.put(msg, timeout=0.2)
                break
            except queue.Full:
                pass
        clk = {"env.reset": 0.0, "env.observe": 0.0}
        w = None
        try:
            while True:
                w = param_q.get_nowait()
        except queue.Empty:
            pass
        if w is not None:
            weights_in(net, w)
    traj_q.cancel_join_thread()
