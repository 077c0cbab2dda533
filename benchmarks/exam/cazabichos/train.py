# PPO en un solo fichero, al estilo de CleanRL, para la CB-1 (caza de bichos)
import csv
import json
import os
import random
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim
from torch.distributions.categorical import Categorical

from envolturas import BOTONES, crono, monta


@dataclass
class Args:
    seed: int = 3
    seconds: float = float(os.environ.get("WILD_SECONDS", 20))
    num_envs: int = 8
    num_steps: int = 48
    lr: float = 8e-4
    gamma: float = 0.95
    gae_lambda: float = 0.9
    num_minibatches: int = 4
    update_epochs: int = 2
    clip_coef: float = 0.2
    ent_coef: float = 0.004
    vf_coef: float = 0.1
    max_grad_norm: float = 0.5
    # anneal_lr: bool = True      # con reloj no sabe uno cuantos updates habra
    save_every: int = 4


def capa(l, std=2 ** 0.5):
    nn.init.orthogonal_(l.weight, std)
    nn.init.zeros_(l.bias)
    return l


class Agente(nn.Module):
    def __init__(self):
        super().__init__()
        self.ojos = nn.Sequential(
            capa(nn.Conv2d(4, 12, 8, stride=4)), nn.ReLU(),
            capa(nn.Conv2d(12, 20, 4, stride=2)), nn.ReLU(),
            capa(nn.Conv2d(20, 20, 3, stride=1)), nn.ReLU(),
            nn.Flatten(), capa(nn.Linear(20 * 7 * 7, 128)), nn.ReLU())
        # el nivel no cambia: se resta el fondo y la red solo ve lo que se mueve
        self.register_buffer("fondo", torch.zeros(84, 84))
        self.actor = capa(nn.Linear(128, len(BOTONES)), 0.01)
        self.critic = capa(nn.Linear(128, 1), 1.0)

    def get_value(self, x):
        return self.critic(self.ojos((x - self.fondo) / 40.0))

    def get_action_and_value(self, x, a=None):
        h = self.ojos((x - self.fondo) / 40.0)
        d = Categorical(logits=self.actor(h))
        if a is None:
            a = d.sample()
        return a, d.log_prob(a), d.entropy(), self.critic(h)


if __name__ == "__main__":
    args = Args()
    torch.set_num_threads(1)
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    aqui = Path(__file__).parent

    envs = [monta(args.seed * 100 + i) for i in range(args.num_envs)]
    agent = Agente()
    optimizer = optim.Adam(agent.parameters(), lr=args.lr, eps=1e-5)
    N, M = args.num_steps, args.num_envs
    batch_size = N * M
    minibatch_size = batch_size // args.num_minibatches

    obs = torch.zeros((N, M, 4, 84, 84), dtype=torch.uint8)
    actions = torch.zeros((N, M), dtype=torch.long)
    logprobs = torch.zeros((N, M))
    rewards = torch.zeros((N, M))
    dones = torch.zeros((N, M))
    values = torch.zeros((N, M))
    ultimas = deque(maxlen=30)
    cazas = deque(maxlen=30)

    fcsv = open(aqui / "curva.csv", "w", newline="")
    curva = csv.writer(fcsv)
    curva.writerow(["iter", "pasos", "nota", "cazados", "pi", "v", "ent", "kl"])

    next_np = np.stack([e.reset()[0] for e in envs])
    agent.fondo.copy_(torch.from_numpy(np.median(next_np[:, -1], axis=0)).float())
    next_done = torch.zeros(M)
    global_step = episodes = updates = iteration = 0

    crono.cero()
    start = time.perf_counter()
    while True:
        iteration += 1
        for step in range(N):
            crono.pasa("act")
            next_obs = torch.from_numpy(next_np)
            obs[step] = next_obs
            dones[step] = next_done
            with torch.no_grad():
                action, logprob, _, value = agent.get_action_and_value(next_obs.float())
            values[step] = value.flatten()
            actions[step] = action
            logprobs[step] = logprob
            acc = action.tolist()

            crono.pasa("env.step")
            next_np = np.empty((M, 4, 84, 84), np.uint8)
            next_done = torch.zeros(M)
            for i, env in enumerate(envs):
                o, r, fin, _, info = env.step(acc[i])
                rewards[step, i] = r
                if fin:
                    episodes += 1
                    ultimas.append(info["partida"][0])
                    cazas.append(info["partida"][2])
                    next_done[i] = 1.0
                    crono.pasa("env.reset")
                    o, _ = env.reset()
                    crono.pasa("env.step")
                next_np[i] = o
            global_step += M
            crono.pasa("other")

        # ventajas
        crono.pasa("learn.returns")
        with torch.no_grad():
            next_value = agent.get_value(torch.from_numpy(next_np).float()).reshape(1, -1)
            advantages = torch.zeros_like(rewards)
            lastgaelam = 0
            for t in reversed(range(N)):
                if t == N - 1:
                    nonterminal, nextvalues = 1.0 - next_done, next_value
                else:
                    nonterminal, nextvalues = 1.0 - dones[t + 1], values[t + 1]
                delta = rewards[t] + args.gamma * nextvalues * nonterminal - values[t]
                advantages[t] = lastgaelam = delta + args.gamma * args.gae_lambda * nonterminal * lastgaelam
            returns = advantages + values

        # aprender
        crono.pasa("learn.update")
        b_obs = obs.reshape(-1, 4, 84, 84)
        b_actions, b_logprobs = actions.reshape(-1), logprobs.reshape(-1)
        b_adv, b_returns = advantages.reshape(-1), returns.reshape(-1)
        b_inds = np.arange(batch_size)
        for epoch in range(args.update_epochs):
            np.random.shuffle(b_inds)
            for s in range(0, batch_size, minibatch_size):
                mb = torch.from_numpy(b_inds[s:s + minibatch_size])
                _, newlogprob, entropy, newvalue = agent.get_action_and_value(b_obs[mb].float(), b_actions[mb])
                logratio = newlogprob - b_logprobs[mb]
                ratio = logratio.exp()
                with torch.no_grad():
                    approx_kl = ((ratio - 1) - logratio).mean()
                adv = b_adv[mb]
                adv = (adv - adv.mean()) / (adv.std() + 1e-8)
                pg_loss = torch.max(-adv * ratio, -adv * torch.clamp(ratio, 1 - args.clip_coef, 1 + args.clip_coef)).mean()
                v_loss = 0.5 * ((newvalue.view(-1) - b_returns[mb]) ** 2).mean()
                ent = entropy.mean()
                loss = pg_loss - args.ent_coef * ent + args.vf_coef * v_loss
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
                optimizer.step()
                updates += 1
        crono.pasa("other")
        if time.perf_counter() - start >= args.seconds:
            break

        crono.pasa("log")
        fila = [iteration, global_step, np.mean(ultimas or [0]), np.mean(cazas or [0]), pg_loss.item(), v_loss.item(), ent.item(), approx_kl.item()]
        curva.writerow(["%.4g" % x for x in fila])
        fcsv.flush()
        print("it %3d  pasos %6d  nota %6.2f  cazados %5.2f  pi %.3f v %.3f H %.2f kl %.4f" % tuple(fila), flush=True)
        crono.pasa("checkpoint")
        if iteration % args.save_every == 0:
            torch.save({"agente": agent.state_dict(), "opt": optimizer.state_dict()}, aqui / "agente.pt")
        crono.pasa("other")
    crono.pasa("other")
    wall = time.perf_counter() - start
    fcsv.close()

    seg = {k: s for k, s in crono.seg.items()}
    seg["other"] = seg.get("other", 0.0) + wall - sum(seg.values())
    truth = {"wall_seconds": wall, "stages": seg, "env_steps": global_step, "episodes": episodes, "updates": updates}
    if os.environ.get("WILD_TRUTH"):
        Path(os.environ["WILD_TRUTH"]).write_text(json.dumps(truth, indent=1))
    print("pasos %d partidas %d updates %d nota %.2f cazados %.2f" % (global_step, episodes, updates, np.mean(ultimas or [0]), np.mean(cazas or [0])))
    for k, s in sorted(seg.items(), key=lambda z: -z[1]):
        print("  %-14s %5.1f%%" % (k, 100 * s / wall))
