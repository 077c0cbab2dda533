import json, os, random, tempfile, time
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_num_threads(1)
torch.manual_seed(3)
random.seed(3)

SIZE = 12
VIEW = 9
GAMES = 8
ROLL = 8
FOXES = 2
CAPS = 16
MAXT = 120
GAMMA = 0.97


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv2d(4, 32, 3, padding=1)
        self.c2 = nn.Conv2d(32, 32, 3, padding=1)
        self.f = nn.Linear(32 * VIEW * VIEW, 256)
        self.pi = nn.Linear(256, 4)
        self.v = nn.Linear(256, 1)

    def forward(self, x):
        x = F.relu(self.c1(x))
        x = F.relu(self.c2(x))
        x = F.relu(self.f(x.flatten(1)))
        return self.pi(x), self.v(x).squeeze(-1)


net = Net()
opt = torch.optim.Adam(net.parameters(), lr=5e-4)

# one list entry per game
px, py, trees, caps, foxes, age, total = [], [], [], [], [], [], []
for g in range(GAMES):
    px.append(0); py.append(0); trees.append(set()); caps.append(set()); foxes.append([]); age.append(0); total.append(0.0)
need_new = [True] * GAMES

steps = episodes = updates = it = 0
finished = []
limit = float(os.environ.get("WILD_SECONDS", 20))

ns = time.perf_counter_ns
t_new = t_obs = t_act = t_move = t_gae = t_learn = t_log = t_save = t_rest = 0
began = ns()
t = began

while (ns() - began) / 1e9 < limit:
    b_obs = np.zeros((ROLL, GAMES, 4, VIEW, VIEW), dtype=np.float32)
    b_act = np.zeros((ROLL, GAMES), dtype=np.int64)
    b_rew = np.zeros((ROLL, GAMES), dtype=np.float32)
    b_done = np.zeros((ROLL, GAMES), dtype=np.float32)
    b_val = np.zeros((ROLL + 1, GAMES), dtype=np.float32)
    n = ns(); t_rest += n - t; t = n

    for k in range(ROLL + 1):
        # start new forests where the last walk ended
        for g in range(GAMES):
            if need_new[g]:
                cells = [(x, y) for x in range(SIZE) for y in range(SIZE)]
                random.shuffle(cells)
                px[g], py[g] = cells.pop()
                trees[g] = set(cells.pop() for _ in range(18))
                caps[g] = set(cells.pop() for _ in range(CAPS))
                foxes[g] = []
                while len(foxes[g]) < FOXES:
                    c = cells.pop()
                    if abs(c[0] - px[g]) + abs(c[1] - py[g]) > 4:
                        foxes[g].append(c)
                age[g] = 0
                total[g] = 0.0
                need_new[g] = False
        n = ns(); t_new += n - t; t = n

        # what the picker sees
        obs = np.zeros((GAMES, 4, VIEW, VIEW), dtype=np.float32)
        for g in range(GAMES):
            ox, oy = px[g] - VIEW // 2, py[g] - VIEW // 2
            for i in range(VIEW):
                for j in range(VIEW):
                    x, y = ox + i, oy + j
                    if x < 0 or y < 0 or x >= SIZE or y >= SIZE or (x, y) in trees[g]:
                        obs[g, 0, i, j] = 1
                    elif (x, y) in caps[g]:
                        obs[g, 1, i, j] = 1
            for x, y in foxes[g]:
                if 0 <= x - ox < VIEW and 0 <= y - oy < VIEW:
                    obs[g, 2, x - ox, y - oy] = 1
            obs[g, 3] = age[g] / MAXT
        n = ns(); t_obs += n - t; t = n

        with torch.no_grad():
            logits, value = net(torch.from_numpy(obs))
            if k < ROLL:
                act = torch.multinomial(torch.softmax(logits, 1), 1)[:, 0].numpy()
        b_val[k] = value.numpy()
        n = ns(); t_act += n - t; t = n
        if k == ROLL:
            break

        for g in range(GAMES):
            r = -0.01
            over = False
            dx, dy = ((0, 1), (1, 0), (0, -1), (-1, 0))[act[g]]
            nx, ny = px[g] + dx, py[g] + dy
            if 0 <= nx < SIZE and 0 <= ny < SIZE and (nx, ny) not in trees[g]:
                px[g], py[g] = nx, ny
            else:
                r -= 0.05
            if (px[g], py[g]) in caps[g]:
                caps[g].remove((px[g], py[g]))
                r += 1.0
                if not caps[g]:
                    r += 2.0
                    over = True
            for i in range(FOXES):
                fx, fy = foxes[g][i]
                if (fx, fy) == (px[g], py[g]):
                    over = True
                    r -= 1.0
                    break
                best, where = 99, (fx, fy)
                sniff = random.random() < 0.25
                for ddx, ddy in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                    c = (fx + ddx, fy + ddy)
                    if c[0] < 0 or c[0] >= SIZE or c[1] < 0 or c[1] >= SIZE or c in trees[g] or c in foxes[g]:
                        continue
                    d = abs(c[0] - px[g]) + abs(c[1] - py[g]) if sniff else random.random()
                    if d < best:
                        best, where = d, c
                foxes[g][i] = where
                if where == (px[g], py[g]):
                    over = True
                    r -= 1.0
                    break
            age[g] += 1
            if age[g] >= MAXT:
                over = True
            total[g] += r
            b_rew[k, g] = r
            b_done[k, g] = over
            if over:
                finished.append(total[g])
                episodes += 1
                need_new[g] = True
            steps += 1
        n = ns(); t_move += n - t; t = n
        b_obs[k] = obs
        b_act[k] = act
        n = ns(); t_rest += n - t; t = n

    ret = np.zeros((ROLL, GAMES), dtype=np.float32)
    run = b_val[ROLL]
    for k in range(ROLL - 1, -1, -1):
        run = b_rew[k] + GAMMA * run * (1 - b_done[k])
        ret[k] = run
    adv = ret - b_val[:ROLL]
    adv = (adv - adv.mean()) / (adv.std() + 1e-6)
    n = ns(); t_gae += n - t; t = n

    logits, value = net(torch.from_numpy(b_obs.reshape(-1, 4, VIEW, VIEW)))
    logp = torch.log_softmax(logits, 1)
    chosen = logp.gather(1, torch.from_numpy(b_act.reshape(-1, 1)))[:, 0]
    pg = -(chosen * torch.from_numpy(adv.reshape(-1))).mean()
    vl = F.mse_loss(value, torch.from_numpy(ret.reshape(-1)))
    ent = -(logp.exp() * logp).sum(1).mean()
    loss = pg + 0.5 * vl - 0.01 * ent
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 0.5)
    opt.step()
    updates += 1
    n = ns(); t_learn += n - t; t = n

    it += 1
    if it % 50 == 0:
        print("it", it, "steps", steps, "walks", episodes, "avg", round(sum(finished[-100:]) / max(1, len(finished[-100:])), 3),
              "loss", round(loss.item(), 4), "ent", round(ent.item(), 3), flush=True)
        n = ns(); t_log += n - t; t = n
    if it % 200 == 0:
        torch.save(net.state_dict(), os.path.join(tempfile.gettempdir(), "mushroom.pt"))
        n = ns(); t_save += n - t; t = n

n = ns(); t_rest += n - t
wall = n - began
if os.environ.get("WILD_TRUTH"):
    json.dump({"wall_seconds": wall / 1e9,
               "stages": {"env.reset": t_new / 1e9, "env.observe": t_obs / 1e9, "act": t_act / 1e9, "env.step+env.reward": t_move / 1e9,
                          "learn.returns": t_gae / 1e9, "learn.*": t_learn / 1e9, "log": t_log / 1e9, "checkpoint": t_save / 1e9,
                          "other": t_rest / 1e9},
               "env_steps": steps, "episodes": episodes, "updates": updates,
               "note": "One script, no functions. env_steps counts single moves of one game (8 games, 8 per pass of the inner loop: "
                       "%d passes). The foxes move inside the game's own lines, they are env.step+env.reward here. act includes the one "
                       "forward per rollout (1 of 9) that gives the last value." % (steps // GAMES)},
              open(os.environ["WILD_TRUTH"], "w"), indent=1)
