# the brain (net) and the thinking (tree).  a node is a plain list, see the indices below
import math
import random
from time import perf_counter as tick

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from hexboard import CELLS, S, put, empties, planes, turned

BOARD, WHO, WON, KIDS, VISITS, SUM, PRIOR = range(7)
CPUCT = 1.6


def make_brain(width=32):
    body = nn.Sequential(
        nn.Conv2d(4, width, 3, padding=1), nn.ReLU(),
        nn.Conv2d(width, width, 3, padding=1), nn.ReLU(),
        nn.Conv2d(width, width, 3, padding=1), nn.ReLU(),
        nn.Flatten())
    return nn.ModuleDict({"body": body,
                          "where": nn.Linear(width * CELLS, CELLS),
                          "who": nn.Sequential(nn.Linear(width * CELLS, 64), nn.ReLU(), nn.Linear(64, 1))})


def run_brain(brain, x):
    h = brain["body"](x)
    return brain["where"](h), torch.tanh(brain["who"](h)).squeeze(-1)


def gut_feeling(brain, x):
    with torch.no_grad():
        lo, v = run_brain(brain, torch.from_numpy(x).unsqueeze(0))
        return F.softmax(lo, dim=1)[0].numpy(), v.item()


def new_node(bd, who, won, prior):
    return [bd, who, won, None, 0, 0.0, prior]


def open_up(node, probs):
    bd, who = node[BOARD], node[WHO]
    kids = {}
    total = 1e-9
    for c in empties(bd):
        p = float(probs[turned(c, who)])
        kids[c] = new_node(None, 3 - who, 0, p)
        total += p
    for k in kids.values():
        k[PRIOR] /= total
    node[KIDS] = kids


def choose_kid(node):
    root_n = math.sqrt(node[VISITS] + 1)
    best, bestc = -1e9, None
    for c, k in node[KIDS].items():
        q = -k[SUM] / k[VISITS] if k[VISITS] else 0.0
        u = q + CPUCT * k[PRIOR] * root_n / (1 + k[VISITS])
        if u > best:
            best, bestc = u, c
    return bestc, node[KIDS][bestc]


def spice(node, alpha=0.5, part=0.25):
    noise = np.random.dirichlet([alpha] * len(node[KIDS]))
    for k, n in zip(node[KIDS].values(), noise):
        k[PRIOR] = (1 - part) * k[PRIOR] + part * float(n)


def think(brain, bd, who, dreams, T, noisy=True):
    """visit counts over the cells.  T = dict of seconds, we add to it"""
    t = tick()
    root = new_node(bd, who, 0, 1.0)
    x = planes(bd, who)
    t2 = tick(); T["look"] += t2 - t
    probs, _ = gut_feeling(brain, x)
    t3 = tick(); T["net"] += t3 - t2
    open_up(root, probs)
    if noisy:
        spice(root)
    T["tree"] += tick() - t3

    for _ in range(dreams):
        a = tick()
        node, path = root, [root]
        while node[KIDS]:
            parent = node
            cell, node = choose_kid(node)
            path.append(node)
        b = tick(); T["tree"] += b - a
        if node[BOARD] is None:
            node[BOARD], node[WON] = put(parent[BOARD], cell, parent[WHO])
            a = tick(); T["rules"] += a - b
        else:
            a = b
        if node[WON]:
            v = 1.0 if node[WON] == node[WHO] else -1.0
        else:
            x = planes(node[BOARD], node[WHO])
            b = tick(); T["look"] += b - a
            probs, v = gut_feeling(brain, x)
            a = tick(); T["net"] += a - b
            open_up(node, probs)
        for n in reversed(path):
            n[VISITS] += 1
            n[SUM] += v
            v = -v
        T["tree"] += tick() - a

    a = tick()
    pi = [0.0] * CELLS
    for c, k in root[KIDS].items():
        pi[c] = k[VISITS] / dreams
    T["tree"] += tick() - a
    return pi


def pick(pi, hot):
    if hot:
        return random.choices(range(CELLS), weights=pi)[0]
    m = max(pi)
    return random.choice([c for c in range(CELLS) if pi[c] == m])
