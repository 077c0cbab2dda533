"""
PPO for Scopa (the Italian card game, two players), single file in the style of CleanRL.
No gym here: the game is the Scopa class below, the house bot plays the other seat.

    python train.py --num-games 8 --rollout 48
"""
import argparse
import csv
import itertools
import json
import os
import random
import time
from collections import Counter

import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical

# ---------------------------------------------------------------- the game
# card = suit * 10 + rank - 1, suit 0 is denari (coins)
DECK = list(range(40))
PRIME = {7: 21, 6: 18, 1: 16, 5: 15, 4: 14, 3: 13, 2: 12, 8: 10, 9: 10, 10: 10}


def rank_of(card):
    return card % 10 + 1


def captures(card, table):
    """Every legal way to take something from the table with this card."""
    want = rank_of(card)
    same = [(c,) for c in table if rank_of(c) == want]
    if same:
        return same
    found = []
    for size in range(2, len(table) + 1):
        for combo in itertools.combinations(table, size):
            if sum(rank_of(c) for c in combo) == want:
                found.append(combo)
    return found


def worth(cards):
    """Rough worth of cards taken: coins, sevens and the settebello count more."""
    total = 0.0
    for c in cards:
        total += 1.0 + (c < 10) * 1.0 + (rank_of(c) == 7) * 1.0 + (c == 6) * 4.0 + PRIME[rank_of(c)] / 42
    return total


class HouseBot:
    """Tries each card and each capture, then guesses what the other player could answer."""

    def __init__(self, guesses=14):
        self.guesses = guesses

    def choose(self, hand, table, unseen, other_hand_size):
        best, best_value = None, -1e9
        for card in hand:
            for taken in captures(card, table) or [()]:
                left = [c for c in table if c not in taken] if taken else table + [card]
                value = worth(taken + (card,)) if taken else -0.3 * worth((card,))
                if taken and not left:
                    value += 8
                if other_hand_size:
                    value -= 0.7 * self.fear(left, unseen, other_hand_size)
                if value > best_value:
                    best, best_value = (card, taken), value
        return best

    def fear(self, table, unseen, size):
        total = 0.0
        for _ in range(self.guesses):
            guess = random.sample(unseen, min(size, len(unseen)))
            top = 0.0
            for card in guess:
                for taken in captures(card, table):
                    v = worth(taken + (card,)) + 8 * (len(taken) == len(table))
                    top = max(top, v)
            total += top
        return total / self.guesses


class Scopa:
    HERO, HOUSE = 0, 1

    def __init__(self, house):
        self.house = house
        self.house_seconds = 0.0
        self.dealer = random.randint(0, 1)

    def shuffle_up(self):
        self.stock = random.sample(DECK, 40)
        self.table = [self.stock.pop() for _ in range(4)]
        self.hands = [[], []]
        self.piles = [[], []]
        self.sweeps = [0, 0]
        self.last_taker = self.HERO
        self.finished = False
        self.dealer = 1 - self.dealer
        self.deal()
        if self.dealer == self.HERO:
            self.house_turn()

    def deal(self):
        for p in (0, 1):
            self.hands[p] = sorted(self.stock.pop() for _ in range(3))

    def put(self, player, card, taken):
        self.hands[player].remove(card)
        if taken:
            for c in taken:
                self.table.remove(c)
            self.piles[player] += [card, *taken]
            self.last_taker = player
            if not self.table and (self.stock or self.hands[0] or self.hands[1]):
                self.sweeps[player] += 1
        else:
            self.table.append(card)

    def house_turn(self):
        t0 = time.perf_counter()
        unseen = self.stock + self.hands[self.HERO]
        card, taken = self.house.choose(self.hands[self.HOUSE], self.table, unseen, len(self.hands[self.HERO]))
        self.put(self.HOUSE, card, taken)
        self.house_seconds += time.perf_counter() - t0

    def throw(self, card):
        """Hero throws a card (the richest capture is taken for him), then the house answers. Returns reward."""
        before = self.margin()
        options = captures(card, self.table)
        self.put(self.HERO, card, max(options, key=worth) if options else ())
        if self.hands[self.HOUSE]:
            self.house_turn()
        if not self.hands[self.HERO] and not self.hands[self.HOUSE]:
            if self.stock:
                self.deal()
                if self.dealer == self.HERO:
                    self.house_turn()
            else:
                self.piles[self.last_taker] += self.table
                self.table = []
                self.finished = True
        reward = 0.02 * (self.margin() - before)
        if self.finished:
            reward += self.points(self.HERO) - self.points(self.HOUSE)
        return reward

    def margin(self):
        return worth(self.piles[0]) - worth(self.piles[1]) + 8 * (self.sweeps[0] - self.sweeps[1])

    def points(self, p):
        mine, theirs = self.piles[p], self.piles[1 - p]
        pts = self.sweeps[p] + (len(mine) > 20) + (sum(c < 10 for c in mine) > 5) + (6 in mine)
        return pts + (self.primiera(mine) > self.primiera(theirs))

    @staticmethod
    def primiera(pile):
        return sum(max([PRIME[rank_of(c)] for c in pile if c // 10 == s], default=0) for s in range(4))

    def look(self):
        """Hero's view (hand, table, both piles, what each hand card would take) and the cards he may throw."""
        view = np.zeros((7, 40), dtype=np.float32)
        view[0, self.hands[0]] = 1
        view[1, self.table] = 1
        view[2, self.piles[0]] = 1
        view[3, self.piles[1]] = 1
        for card in self.hands[0]:
            for taken in captures(card, self.table):
                view[4, card] = max(view[4, card], worth(taken) / 10)
                view[5, list(taken)] = 1
                if len(taken) == len(self.table):
                    view[6, card] = 1
        extra = np.array([len(self.stock) / 36, self.sweeps[0] / 3, self.sweeps[1] / 3, self.dealer], dtype=np.float32)
        may = np.zeros(40, dtype=bool)
        may[self.hands[0]] = True
        return np.concatenate([view.ravel(), extra]), may


# ---------------------------------------------------------------- the agent
def layer_init(layer, std=np.sqrt(2)):
    nn.init.orthogonal_(layer.weight, std)
    nn.init.zeros_(layer.bias)
    return layer


class Agent(nn.Module):
    def __init__(self, obs_dim=284, hidden=128):
        super().__init__()
        self.body = nn.Sequential(layer_init(nn.Linear(obs_dim, hidden)), nn.Tanh(), layer_init(nn.Linear(hidden, hidden)), nn.Tanh())
        self.actor = layer_init(nn.Linear(hidden, 40), 0.01)
        self.critic = layer_init(nn.Linear(hidden, 1), 1.0)

    def get_value(self, x):
        return self.critic(self.body(x)).flatten()

    def get_action_and_value(self, x, may, action=None):
        h = self.body(x)
        dist = Categorical(logits=self.actor(h).masked_fill(~may, -1e8))
        if action is None:
            action = dist.sample()
        # own entropy: the masked logits give nan-free zeros this way
        p = dist.probs
        entropy = -(p * torch.log(p + 1e-9)).sum(-1)
        return action, dist.log_prob(action), entropy, self.critic(h).flatten()


clock = Counter()
count = Counter()


def look_all(games):
    t0 = time.perf_counter()
    seen = [g.look() for g in games]
    obs = torch.from_numpy(np.stack([s[0] for s in seen]))
    may = torch.from_numpy(np.stack([s[1] for s in seen]))
    clock["env.observe"] += time.perf_counter() - t0
    return obs, may


def timed_game(game, stage, fn, *args):
    """Call fn of the game; the house's thinking goes to its own account."""
    h0, t0 = game.house_seconds, time.perf_counter()
    out = fn(*args)
    spent, house = time.perf_counter() - t0, game.house_seconds - h0
    clock["env.opponent"] += house
    clock[stage] += spent - house
    return out


def collect(args, games, agent, store, obs, may, results):
    for t in range(args.rollout):
        t0 = time.perf_counter()
        with torch.no_grad():
            action, logp, _, value = agent.get_action_and_value(obs, may)
        cards = action.tolist()
        clock["act"] += time.perf_counter() - t0
        store["obs"][t], store["may"][t], store["act"][t], store["logp"][t], store["val"][t] = obs, may, action, logp, value
        for i, game in enumerate(games):
            store["rew"][t, i] = timed_game(game, "env.step", game.throw, cards[i])
            store["done"][t, i] = float(game.finished)
            count["steps"] += 1
            if game.finished:
                count["games"] += 1
                results.append(game.points(0) - game.points(1))
                timed_game(game, "env.reset", game.shuffle_up)
        obs, may = look_all(games)
    return obs, may


def advantages(args, agent, store, obs):
    t0 = time.perf_counter()
    with torch.no_grad():
        next_value = agent.get_value(obs)
    t1 = time.perf_counter()
    clock["act.value"] += t1 - t0
    adv = torch.zeros_like(store["rew"])
    last = 0
    for t in reversed(range(args.rollout)):
        alive = 1.0 - store["done"][t]
        nxt = next_value if t == args.rollout - 1 else store["val"][t + 1]
        delta = store["rew"][t] + args.gamma * nxt * alive - store["val"][t]
        adv[t] = last = delta + args.gamma * args.lam * alive * last
    clock["learn.returns"] += time.perf_counter() - t1
    return adv, adv + store["val"]


def improve(args, agent, optimizer, store, adv, ret):
    t0 = time.perf_counter()
    flat = {k: v.flatten(0, 1) for k, v in store.items()}
    adv, ret = adv.flatten(), ret.flatten()
    for _ in range(args.epochs):
        for mb in torch.randperm(len(adv)).split(len(adv) // args.minibatches):
            _, logp, ent, val = agent.get_action_and_value(flat["obs"][mb], flat["may"][mb], flat["act"][mb])
            ratio = (logp - flat["logp"][mb]).exp()
            a = (adv[mb] - adv[mb].mean()) / (adv[mb].std() + 1e-8)
            pg = torch.max(-a * ratio, -a * ratio.clamp(1 - args.clip, 1 + args.clip)).mean()
            loss = pg + 0.5 * (val - ret[mb]).pow(2).mean() - args.ent * ent.mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()
            count["updates"] += 1
    clock["learn.update"] += time.perf_counter() - t0
    return loss.item()


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    for name, default in dict(num_games=8, rollout=48, epochs=4, minibatches=4, gamma=0.99, lam=0.95, clip=0.2, ent=0.01, lr=4e-4,
                              seconds=float(os.environ.get("WILD_SECONDS", 20))).items():
        p.add_argument("--" + name.replace("_", "-"), type=type(default), default=default)
    args = p.parse_args()
    torch.set_num_threads(1)
    agent = Agent()
    optimizer = torch.optim.Adam(agent.parameters(), lr=args.lr, eps=1e-5)
    games = [Scopa(HouseBot()) for _ in range(args.num_games)]
    shape = (args.rollout, args.num_games)
    store = dict(obs=torch.zeros(*shape, 284), may=torch.zeros(*shape, 40, dtype=torch.bool), act=torch.zeros(shape, dtype=torch.long),
                 logp=torch.zeros(shape), val=torch.zeros(shape), rew=torch.zeros(shape), done=torch.zeros(shape))
    results, iteration = [], 0
    table = csv.writer(open("scopa_log.csv", "w"))

    start = time.perf_counter()
    for game in games:
        timed_game(game, "env.reset", game.shuffle_up)
    obs, may = look_all(games)
    while time.perf_counter() - start < args.seconds:
        iteration += 1
        obs, may = collect(args, games, agent, store, obs, may, results)
        adv, ret = advantages(args, agent, store, obs)
        loss = improve(args, agent, optimizer, store, adv, ret)
        t0 = time.perf_counter()
        recent = results[-200:]
        table.writerow([iteration, count["steps"], np.mean(recent), loss])
        print(f"iter {iteration}  cards {count['steps']}  games {count['games']}  margin {np.mean(recent):+.2f}  "
              f"SPS {count['steps'] / (t0 - start):.0f}", flush=True)
        clock["log"] += time.perf_counter() - t0
        if iteration % 10 == 0:
            t0 = time.perf_counter()
            torch.save({"agent": agent.state_dict(), "opt": optimizer.state_dict()}, "scopa.pt")
            clock["checkpoint"] += time.perf_counter() - t0
    wall = time.perf_counter() - start

    stages = dict(clock)
    stages["other"] = wall - sum(stages.values())
    if os.environ.get("WILD_TRUTH"):
        with open(os.environ["WILD_TRUTH"], "w") as f:
            json.dump({"wall_seconds": wall, "stages": stages, "env_steps": count["steps"], "episodes": count["games"],
                       "updates": count["updates"]}, f, indent=2)
