# harbor feud, self play.  WILD_SECONDS=60 python train.py
import json
import os
import random
from time import perf_counter

import torch

from bell import bell
from crew import Crew, give_orders
from ghosts import Graveyard
from harbor import HOLD, HOOK, RIVAL, TEAMS, Harbor

torch.set_num_threads(1)
torch.manual_seed(21)
ROOT = os.path.dirname(os.path.abspath(__file__))
SEASON = 200          # ticks between lessons


def drunkards(names, may, dice):
    out = {}
    for n in names:
        ok = [k for k in range(len(may[n])) if may[n][k]]
        out[n] = HOOK if HOOK in ok else dice.choice(ok or [HOLD])
    return out


def regatta(crews, water):
    """each crew against drunkards, greedy"""
    tally = {}
    dice = random.Random(5)
    for team, crew in crews.items():
        obs, may = water.muster(seed=400)
        over = False
        while not over and water.hour < 80:
            orders, _, _ = give_orders(crew.brain, crew.names, obs, may, greedy=False)
            orders.update(drunkards(TEAMS[RIVAL[team]], may, dice))
            obs, _, over, may = water.tick(orders)
        tally[team] = water.score[team] - water.score[RIVAL[team]]
    return tally


def main():
    seconds = float(os.environ.get("WILD_SECONDS", "60"))
    dice = random.Random(1)
    bay, quiet_bay = Harbor(seed=3), Harbor(seed=4)
    crews = {t: Crew(t, ns) for t, ns in TEAMS.items()}
    yards = {t: Graveyard(t, seed=i) for i, t in enumerate(TEAMS)}
    os.makedirs(ROOT + "/hold", exist_ok=True)
    ticks = feuds = season = 0
    purse = {t: 0.0 for t in TEAMS}
    recent = []

    bell.cast_off()
    for t in TEAMS:
        yards[t].bury(crews[t].brain, 0)
    with bell("env.reset"):
        obs, may = bay.muster()
    while perf_counter() - bell.born < seconds:
        season += 1
        # both alive one season out of four, else one side is a ghost
        ghost_side = None if season % 4 == 0 else ("port", "star")[season % 2]
        minds = {t: crews[t].brain for t in TEAMS}
        if ghost_side:
            with bell("env.opponent"):
                minds[ghost_side] = yards[ghost_side].rise()
        alive = [t for t in TEAMS if t != ghost_side]

        for _ in range(SEASON):
            orders, lps, hunches = {}, {}, {}
            for t in TEAMS:
                with bell("env.opponent" if t == ghost_side else "act"):
                    a, l, h = give_orders(minds[t], TEAMS[t], obs, may)
                orders.update(a)
                lps.update(l)
                hunches.update(h)
            with bell("env.step"):
                obs2, spoils, over, may2 = bay.tick(orders)
            ticks += 1
            with bell("replay.add"):
                for t in alive:
                    crews[t].jot(obs, may, orders, lps, hunches, spoils, over)
            for t in TEAMS:
                purse[t] += sum(spoils[n] for n in TEAMS[t])
            obs, may = obs2, may2
            if over:
                feuds += 1
                lead = bay.score["port"] - bay.score["star"]
                recent = recent[-39:] + [(lead, sum(bay.score.values()), bay.hour, purse["port"], purse["star"])]
                purse = {t: 0.0 for t in TEAMS}
                if ghost_side:
                    sign = lead if ghost_side == "port" else -lead
                    yards[ghost_side].settle(1.0 if sign > 0 else 0.0 if sign < 0 else 0.5)
                with bell("env.reset"):
                    obs, may = bay.muster()

        gripes = {}
        for t in alive:
            with bell("learn.returns"):
                tail = give_orders(crews[t].brain, TEAMS[t], obs, may)[2]
            gripes[t] = crews[t].lesson(tail)
        if season % 5 == 0:
            with bell("checkpoint"):
                for t in TEAMS:
                    yards[t].bury(crews[t].brain, season)
        if season % 3 == 0:
            with bell("logging"):
                mean = [sum(c) / len(recent) for c in zip(*recent)] if recent else [0] * 5
                print(f"season {season} ticks {ticks} feuds {feuds} lead {mean[0]:+.2f} landed {mean[1]:.2f} "
                      f"len {mean[2]:.0f} purse {mean[3]:.2f}/{mean[4]:.2f} gripe "
                      + " ".join(f"{t}:{g:.3f}" for t, g in gripes.items()), flush=True)
        if season % 8 == 0:
            with bell("eval", alone=True):
                res = regatta(crews, quiet_bay)
            with bell("logging"):
                print("   regatta:", res, flush=True)
        if season % 10 == 0:
            with bell("checkpoint"):
                torch.save({t: (crews[t].brain.state_dict(), crews[t].opt.state_dict()) for t in TEAMS},
                           ROOT + "/hold/crews.pt")
    wall = bell.anchor()

    if os.environ.get("WILD_TRUTH"):
        with open(os.environ["WILD_TRUTH"], "w") as f:
            json.dump({"wall_seconds": wall, "stages": bell.spent, "env_steps": ticks, "episodes": feuds,
                       "updates": sum(c.lessons for c in crews.values())}, f, indent=1)


if __name__ == "__main__":
    main()
