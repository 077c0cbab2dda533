# %% [markdown]
# # micro racer v4 -- linear Q-learning with tile coding
# v1 tabular (too many states), v2 + tiles, v3 + replay, v4 = this one, exported from the notebook
# no pytorch, just numpy :)

# %%
import json, math, os, random, time
from time import perf_counter as pc
import numpy as np
from racetrack import W, H, make_track, lidar, TileCoder

random.seed(11)
np.random.seed(11)
BUDGET = float(os.environ.get("WILD_SECONDS", "20"))

# %% params
ACTIONS = [(-1, 1), (0, 1), (1, 1), (-1, 0), (0, 0), (1, 0), (0, -1)]  # steer, gas
ALPHA = 0.15
GAMMA = 0.97
eps, EPS_MIN, EPS_DECAY = 0.6, 0.04, 0.985
MAXSTEPS = 400
SUB = 8               # physics substeps
REPLAY, RB = 20000, 12
N_RAYS = 9

# %% the timing stuff (added because v3 was so slow)
t_reset = t_step = t_obs = t_rew = t_act = t_add = t_samp = t_learn = t_log = t_eval = t_ckpt = 0.0

# %% weights
tc = TileCoder(N_RAYS + 2)
w = np.zeros((len(ACTIONS), tc.size))
NT = len(tc.pairs) * tc.tilings
mem = []
history = []
best = -1e9

# %% main loop
total_steps = episodes = updates = 0
START = pc()
ep = 0
done_all = False
while not done_all:
    # --- new track every 20 episodes, otherwise only put the car back
    t0 = pc()
    if ep % 20 == 0:
        road, pts = make_track(ep // 20 % 5)
    k0 = np.random.randint(len(pts))
    x, y = pts[k0]
    nx, ny = pts[(k0 + 1) % len(pts)]
    heading = math.atan2(ny - y, nx - x)
    v, wheel = 0.0, 0.0
    prog = k0
    lapsum = 0
    t1 = pc(); t_reset += t1 - t0

    rays = lidar(road, x, y, heading, N_RAYS)
    s = tc(np.concatenate([rays, [v / 4.0, (wheel + 1) / 2]]))
    t_obs += pc() - t1

    R = 0.0
    for step in range(MAXSTEPS):
        # --- epsilon greedy
        t0 = pc()
        if random.random() < eps:
            a = random.randrange(len(ACTIONS))
        else:
            q = w[:, s].sum(axis=1)
            a = int(np.random.choice(np.flatnonzero(q == q.max())))
        t1 = pc(); t_act += t1 - t0

        # --- physics
        steer, gas = ACTIONS[a]
        crash = False
        for _ in range(SUB):
            wheel += (steer - wheel) * 0.25
            v += (0.06 if gas > 0 else (-0.15 if gas < 0 else -0.01))
            v = min(max(v, 0.0), 4.0)
            grip = 1.0 / (1.0 + 0.15 * v * abs(wheel))
            heading += wheel * 0.045 * min(v, 1.5) * grip
            x += math.cos(heading) * v / SUB * 2
            y += math.sin(heading) * v / SUB * 2
            # 4 corners of the car
            for cx, cy in ((2, 1), (2, -1), (-2, 1), (-2, -1)):
                gx = x + cx * math.cos(heading) - cy * math.sin(heading)
                gy = y + cx * math.sin(heading) + cy * math.cos(heading)
                if not (0 <= gx < W and 0 <= gy < H) or not road[int(gy), int(gx)]:
                    crash = True
            if crash:
                break
        t2 = pc(); t_step += t2 - t1

        # --- reward: progress along the center line
        dist = [math.hypot(px - x, py - y) for px, py in pts]
        near = int(np.argmin(dist))
        dprog = (near - prog + len(pts) // 2) % len(pts) - len(pts) // 2
        prog = near
        lapsum += dprog
        r = dprog * 0.5 - 0.05
        if crash:
            r -= 10
        done = crash or lapsum >= len(pts)
        if lapsum >= len(pts):
            r += 20
        R += r
        t3 = pc(); t_rew += t3 - t2

        # --- what the car sees
        rays = lidar(road, x, y, heading, N_RAYS)
        s2 = tc(np.concatenate([rays, [v / 4.0, (wheel + 1) / 2]]))
        t4 = pc(); t_obs += t4 - t3

        # --- online update
        target = r if done else r + GAMMA * w[:, s2].sum(axis=1).max()
        w[a, s] += ALPHA / NT * (target - w[a, s].sum())
        updates += 1
        t5 = pc(); t_learn += t5 - t4

        # --- replay
        mem.append((s, a, r, s2, done))
        if len(mem) > REPLAY:
            mem.pop(0)
        t6 = pc(); t_add += t6 - t5
        if len(mem) > 500:
            batch = random.sample(mem, RB)
            t7 = pc(); t_samp += t7 - t6
            for (bs, ba, br, bs2, bd) in batch:
                target = br if bd else br + GAMMA * w[:, bs2].sum(axis=1).max()
                w[ba, bs] += ALPHA / NT * (target - w[ba, bs].sum())
                updates += 1
            t_learn += pc() - t7

        s = s2
        total_steps += 1
        if pc() - START > BUDGET:
            done_all = True
            break
        if done:
            break
    else:
        done = True     # time over counts as finished game
    if done_all and not done:
        break
    ep += 1
    episodes += 1
    eps = max(EPS_MIN, eps * EPS_DECAY)
    history.append((ep, step + 1, R, lapsum))

    if ep % 10 == 0:
        t0 = pc()
        last = np.array(history[-10:])
        print("ep %4d  steps %6d  eps %.2f  meanR %7.2f  meanprog %6.1f" % (ep, total_steps, eps, last[:, 2].mean(), last[:, 3].mean()), flush=True)
        np.savetxt("history.csv", np.array(history), fmt="%.3f", delimiter=",")
        t_log += pc() - t0

    # --- one greedy lap on a track it never trains on (copy paste of the above, sorry)
    if ep % 40 == 0:
        t0 = pc()
        eroad, epts = make_track(99)
        ex, ey = epts[0]
        eh = math.atan2(epts[1][1] - ey, epts[1][0] - ex)
        ev, ew, elap, eprog = 0.0, 0.0, 0, 0
        for _ in range(150):
            es = tc(np.concatenate([lidar(eroad, ex, ey, eh, N_RAYS), [ev / 4.0, (ew + 1) / 2]]))
            steer, gas = ACTIONS[int(w[:, es].sum(axis=1).argmax())]
            for _ in range(SUB):
                ew += (steer - ew) * 0.25
                ev = min(max(ev + (0.06 if gas > 0 else (-0.15 if gas < 0 else -0.01)), 0.0), 4.0)
                eh += ew * 0.045 * min(ev, 1.5) / (1.0 + 0.15 * ev * abs(ew))
                ex += math.cos(eh) * ev / SUB * 2
                ey += math.sin(eh) * ev / SUB * 2
            if not (0 <= ex < W and 0 <= ey < H) or not eroad[int(ey), int(ex)]:
                break
            near = int(np.argmin([math.hypot(px - ex, py - ey) for px, py in epts]))
            elap += (near - eprog + len(epts) // 2) % len(epts) - len(epts) // 2
            eprog = near
        print("   >>> test track: progress", elap, "of", len(epts), flush=True)
        t1 = pc(); t_eval += t1 - t0
        if elap > best:
            best = elap
            np.save("weights_best.npy", w)
            t_ckpt += pc() - t1

WALL = pc() - START

# %% where did the time go
st = {"env.reset": t_reset, "env.step": t_step, "env.reward": t_rew, "env.observe": t_obs, "act": t_act,
      "replay.add": t_add, "replay.sample": t_samp, "learn.update": t_learn, "log": t_log, "eval": t_eval, "checkpoint": t_ckpt}
st["other"] = WALL - sum(st.values())
for k in sorted(st, key=st.get, reverse=True):
    print("%-14s %6.2fs %5.1f%%" % (k, st[k], 100 * st[k] / WALL))
if os.environ.get("WILD_TRUTH"):
    json.dump({"wall_seconds": WALL, "stages": st, "env_steps": total_steps, "episodes": episodes, "updates": updates},
              open(os.environ["WILD_TRUTH"], "w"))
