# PPO for my little Fire-Emblem-ish game.  Written after CleanRL's ppo.py (thanks!), with an action mask.
# 使い方:  python train.py        (WILD_SECONDS=60 python train.py for longer)
import csv
import json
import os
import random
import time
from collections import deque
from dataclasses import dataclass

import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim

from senjo_env import SenjoEnv, N_ACTIONS, PLANES
from battle import SIZE
from stopwatch import sw

torch.set_num_threads(1)


@dataclass
class Args:
    exp_name: str = "ironbanner"
    seed: int = 7
    learning_rate: float = 6e-4
    num_envs: int = 6
    num_steps: int = 64
    gamma: float = 0.98
    gae_lambda: float = 0.95
    num_minibatches: int = 4
    update_epochs: int = 3
    clip_coef: float = 0.2
    ent_coef: float = 0.01
    vf_coef: float = 0.5
    max_grad_norm: float = 0.5
    norm_adv: bool = True
    save_every: int = 5
    # target_kl: float = 0.03   # never helped me


def make_env(idx, seed):
    def thunk():
        env = SenjoEnv(seed + idx * 1000)
        env = gym.wrappers.RecordEpisodeStatistics(env)
        env.action_space.seed(seed + idx)
        return env
    return thunk


def layer_init(layer, std=np.sqrt(2), bias_const=0.0):
    torch.nn.init.orthogonal_(layer.weight, std)
    torch.nn.init.constant_(layer.bias, bias_const)
    return layer


class MaskedCategorical(torch.distributions.Categorical):
    def __init__(self, logits, mask):
        self.mask = mask
        super().__init__(logits=torch.where(mask, logits, torch.tensor(-1e8)), validate_args=False)

    def entropy(self):
        p = self.probs * torch.where(self.mask, self.logits, torch.tensor(0.0))
        return -p.sum(-1)


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            layer_init(nn.Conv2d(PLANES, 24, 3, padding=1)), nn.ReLU(),
            layer_init(nn.Conv2d(24, 24, 3, padding=1)), nn.ReLU(),
            nn.Flatten(),
            layer_init(nn.Linear(24 * SIZE * SIZE, 128)), nn.ReLU(),
        )
        self.actor = layer_init(nn.Linear(128, N_ACTIONS), std=0.01)
        self.critic = layer_init(nn.Linear(128, 1), std=1)

    def get_value(self, x):
        return self.critic(self.body(x))

    def get_action_and_value(self, x, mask, action=None):
        h = self.body(x)
        dist = MaskedCategorical(self.actor(h), mask)
        if action is None:
            action = dist.sample()
        return action, dist.log_prob(action), dist.entropy(), self.critic(h)


if __name__ == "__main__":
    args = Args()
    here = os.path.dirname(os.path.abspath(__file__))
    seconds = float(os.environ.get("WILD_SECONDS", "20"))
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    device = torch.device("cpu")  # .to(device) left in on purpose, my GPU box died
    batch_size = args.num_envs * args.num_steps
    minibatch_size = batch_size // args.num_minibatches

    envs = gym.vector.SyncVectorEnv(
        [make_env(i, args.seed) for i in range(args.num_envs)],
        autoreset_mode=gym.vector.AutoresetMode.SAME_STEP,
    )
    agent = Agent().to(device)
    optimizer = optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)

    obs = torch.zeros((args.num_steps, args.num_envs) + envs.single_observation_space.shape).to(device)
    actions = torch.zeros((args.num_steps, args.num_envs), dtype=torch.long).to(device)
    masks = torch.zeros((args.num_steps, args.num_envs, N_ACTIONS), dtype=torch.bool).to(device)
    logprobs = torch.zeros((args.num_steps, args.num_envs)).to(device)
    rewards = torch.zeros((args.num_steps, args.num_envs)).to(device)
    dones = torch.zeros((args.num_steps, args.num_envs)).to(device)
    values = torch.zeros((args.num_steps, args.num_envs)).to(device)

    csvfile = open(os.path.join(here, "progress.csv"), "w", newline="")
    writer = csv.writer(csvfile)
    writer.writerow(["step", "return", "length", "winrate", "pg", "v", "ent", "sps"])
    returns, lengths, wins = deque(maxlen=60), deque(maxlen=60), deque(maxlen=60)

    global_step = episodes = updates = iteration = 0
    next_obs, infos = envs.reset(seed=args.seed)
    next_obs = torch.Tensor(next_obs).to(device)
    next_mask = torch.as_tensor(infos["action_mask"]).to(device)
    next_done = torch.zeros(args.num_envs).to(device)

    sw.go()
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        iteration += 1
        for step in range(args.num_steps):
            global_step += args.num_envs
            obs[step] = next_obs
            dones[step] = next_done
            masks[step] = next_mask

            sw.push("act")
            with torch.no_grad():
                action, logprob, _, value = agent.get_action_and_value(next_obs, next_mask)
                values[step] = value.flatten()
            actions[step] = action
            logprobs[step] = logprob
            act_np = action.cpu().numpy()
            sw.pop()

            next_obs, reward, terms, truncs, infos = envs.step(act_np)  # env.* keys are pushed inside
            next_done = np.logical_or(terms, truncs)
            rewards[step] = torch.tensor(reward).to(device).view(-1)
            next_obs = torch.Tensor(next_obs).to(device)
            next_mask = torch.as_tensor(infos["action_mask"]).to(device)
            next_done = torch.Tensor(next_done).to(device)

            if "final_info" in infos:
                fin = infos["final_info"]
                for i in np.nonzero(fin["_episode"])[0]:
                    episodes += 1
                    returns.append(float(fin["episode"]["r"][i]))
                    lengths.append(int(fin["episode"]["l"][i]))
                    wins.append(int(fin["won"][i]))

        # bootstrap + GAE
        sw.push("act.value")
        with torch.no_grad():
            next_value = agent.get_value(next_obs).reshape(1, -1)
        sw.pop()
        sw.push("learn.returns")
        with torch.no_grad():
            advantages = torch.zeros_like(rewards).to(device)
            lastgaelam = 0
            for t in reversed(range(args.num_steps)):
                if t == args.num_steps - 1:
                    nextnonterminal = 1.0 - next_done
                    nextvalues = next_value
                else:
                    nextnonterminal = 1.0 - dones[t + 1]
                    nextvalues = values[t + 1]
                delta = rewards[t] + args.gamma * nextvalues * nextnonterminal - values[t]
                advantages[t] = lastgaelam = delta + args.gamma * args.gae_lambda * nextnonterminal * lastgaelam
            rets = advantages + values
        sw.pop()

        sw.push("learn.update")
        b_obs = obs.reshape((-1,) + envs.single_observation_space.shape)
        b_masks = masks.reshape(-1, N_ACTIONS)
        b_logprobs = logprobs.reshape(-1)
        b_actions = actions.reshape(-1)
        b_adv = advantages.reshape(-1)
        b_rets = rets.reshape(-1)
        b_inds = np.arange(batch_size)
        for epoch in range(args.update_epochs):
            np.random.shuffle(b_inds)
            for s in range(0, batch_size, minibatch_size):
                mb = b_inds[s:s + minibatch_size]
                _, newlogprob, entropy, newvalue = agent.get_action_and_value(b_obs[mb], b_masks[mb], b_actions[mb])
                ratio = (newlogprob - b_logprobs[mb]).exp()
                mb_adv = b_adv[mb]
                if args.norm_adv:
                    mb_adv = (mb_adv - mb_adv.mean()) / (mb_adv.std() + 1e-8)
                pg_loss = torch.max(-mb_adv * ratio,
                                    -mb_adv * torch.clamp(ratio, 1 - args.clip_coef, 1 + args.clip_coef)).mean()
                v_loss = 0.5 * ((newvalue.view(-1) - b_rets[mb]) ** 2).mean()
                ent = entropy.mean()
                loss = pg_loss - args.ent_coef * ent + args.vf_coef * v_loss
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
                optimizer.step()
                updates += 1
        sw.pop()

        sw.push("log")
        sps = int(global_step / (time.perf_counter() - start))
        row = [global_step, np.mean(returns or [0]), np.mean(lengths or [0]), np.mean(wins or [0]),
               pg_loss.item(), v_loss.item(), ent.item(), sps]
        writer.writerow(row)
        csvfile.flush()
        print("it %3d step %6d  ret %6.2f  len %5.1f  win %.2f  pg %+.3f v %.3f H %.2f  SPS %d" % (iteration, *row))
        if iteration % 10 == 0:
            print(envs.envs[0].unwrapped.render())  # 盤面チェック
        sw.pop()
        if iteration % args.save_every == 0:
            sw.push("checkpoint")
            torch.save({"agent": agent.state_dict(), "opt": optimizer.state_dict(), "step": global_step},
                       os.path.join(here, "ironbanner.pt"))
            sw.pop()
    wall = sw.halt()

    envs.close()
    csvfile.close()
    truth = os.environ.get("WILD_TRUTH")
    if truth:
        with open(truth, "w") as f:
            json.dump({"wall_seconds": wall, "stages": sw.sums, "env_steps": global_step,
                       "episodes": episodes, "updates": updates}, f, indent=1)
    for k, v in sorted(sw.sums.items(), key=lambda kv: -kv[1]):
        print("%-14s %7.3f s %5.1f %%" % (k, v, 100 * v / wall))
