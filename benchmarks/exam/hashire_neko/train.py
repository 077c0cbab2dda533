import json
import os
from collections import deque
import numpy as np
import torch
from game import HashireNeko, SOUSA
from nou import Me, Nou, Sensei
from tokei import tokei

torch.set_num_threads(1)
torch.manual_seed(3)
DAISUU = 4          # how many consoles
HORIZON = 128
JIKAN = float(os.environ.get("WILD_SECONDS", 20))

games = [HashireNeko(100 + i) for i in range(DAISUU)]
metachi = [Me() for _ in games]
nou = Nou(len(SOUSA))
sensei = Sensei(nou)

tokei.start()
hosuu = shiai = kai = 0
seiseki = deque(maxlen=30)
tensuu = [0.0] * DAISUU
obs = [m.hajime(g.reset()) for g, m in zip(games, metachi)]

while tokei.keika() < JIKAN:
    O, A, LP, R, D, V = [], [], [], [], [], []
    for _ in range(HORIZON):
        te, lp = sensei.erabu(obs)
        v = sensei.hyouka(obs)
        tsugi, r, d = [], [], []
        for i, (g, m) in enumerate(zip(games, metachi)):
            e, houshu, owari = g.step(te[i])
            tensuu[i] += houshu
            hosuu += 1
            if owari:
                seiseki.append((tensuu[i], g.x))
                tensuu[i] = 0.0
                shiai += 1
                tsugi.append(m.hajime(g.reset()))
            else:
                tsugi.append(m.miru(e))
            r.append(houshu)
            d.append(float(owari))
        O.append(obs), A.append(te), LP.append(lp), R.append(r), D.append(d), V.append(v)
        obs = tsugi
    adv, ret = sensei.keisan(R, D, V, sensei.hyouka(obs))
    loss = sensei.oshieru(O, A, LP, adv, ret)
    kai += 1
    tokei.osu("log")
    ten = np.mean([s[0] for s in seiseki]) if seiseki else 0
    kyori = np.mean([s[1] for s in seiseki]) if seiseki else 0
    print(f"kai {kai:4d} hosuu {hosuu:7d} shiai {shiai:4d} tensuu {ten:7.2f} kyori {kyori:6.0f} loss {loss:.3f}", flush=True)
    tokei.hanasu()
    if kai % 5 == 0:
        tokei.osu("checkpoint")
        torch.save(nou.state_dict(), "neko.pt")
        tokei.hanasu()

zenbu = tokei.stop()
if os.environ.get("WILD_TRUTH"):
    with open(os.environ["WILD_TRUTH"], "w") as f:
        json.dump({"wall_seconds": zenbu, "stages": tokei.bako, "env_steps": hosuu,
                   "episodes": shiai, "updates": sensei.kaisuu}, f, indent=1)
