"""Black queen = conv net with three little heads, trained with PPO."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from env import EXTRAS, PLANES

HEADS = (3, 3, 9)


class Queen(nn.Module):
    def __init__(self):
        super().__init__()
        self.eyes = nn.Sequential(nn.Conv2d(PLANES, 16, 5, stride=2, padding=2), nn.ReLU(),
                                  nn.Conv2d(16, 32, 3, stride=2, padding=1), nn.ReLU(),
                                  nn.Conv2d(32, 32, 3, padding=1), nn.ReLU(), nn.Flatten())
        self.brain = nn.Sequential(nn.Linear(32 * 36 + EXTRAS, 128), nn.ReLU())
        self.orders = nn.Linear(128, sum(HEADS))
        self.mood = nn.Linear(128, 1)

    def forward(self, ground, pantry, allowed):
        h = self.brain(torch.cat([self.eyes(ground), pantry], 1))
        raw = self.orders(h).masked_fill(~allowed, -1e8)
        logs = [F.log_softmax(part, dim=1) for part in raw.split(HEADS, dim=1)]
        return logs, self.mood(h)[:, 0]

    @torch.no_grad()
    def command(self, obs, allowed, sober=False):
        logs, mood = self(torch.from_numpy(obs["ground"])[None], torch.from_numpy(obs["pantry"])[None],
                          torch.from_numpy(allowed)[None])
        picks, lp = [], 0.0
        for l in logs:
            k = l[0].argmax() if sober else torch.multinomial(l[0].exp(), 1)[0]
            picks.append(int(k))
            lp += float(l[0, k])
        return picks, lp, float(mood)


def said(logs, orders):
    lp, ent = 0.0, 0.0
    for i, l in enumerate(logs):
        lp = lp + l.gather(1, orders[:, i:i + 1])[:, 0]
        ent = ent - (l.exp() * l.clamp(min=-30)).sum(1)
    return lp, ent


def improve(queen, opt, batch, clip=0.2):
    ground, pantry, allowed, orders, old_lp, adv, ret = batch
    logs, mood = queen(ground, pantry, allowed)
    lp, ent = said(logs, orders)
    ratio = (lp - old_lp).exp()
    loss = -torch.min(ratio * adv, ratio.clamp(1 - clip, 1 + clip) * adv).mean() \
        + 0.5 * F.smooth_l1_loss(mood, ret) - 0.008 * ent.mean()
    opt.zero_grad(set_to_none=True)
    loss.backward()
    nn.utils.clip_grad_norm_(queen.parameters(), 0.7)
    opt.step()
    return loss.item()
