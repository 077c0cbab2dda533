from __future__ import annotations
import json
import random
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np
import torch
from torch import nn

from delver.agent import Agent
from delver.config import RunConfig
from delver.dungeon import NUM_ACTIONS, Dungeon
from delver.signals import Encoder, Reward
from delver.stopwatch import STOPWATCH

section = STOPWATCH.section

@dataclass
class Counters:
    env_steps: int = 0
    episodes: int = 0
    updates: int = 0
    descents: int = 0
    returns: list[float] = field(default_factory=list)

def main(cfg: RunConfig) -> None:
    torch.set_num_threads(1)
    random.seed(cfg.ppo.seed), np.random.seed(cfg.ppo.seed), torch.manual_seed(cfg.ppo.seed)
    args, counters, encoder, reward_fn = cfg.ppo, Counters(), Encoder(), Reward()
    envs: list[Dungeon] = [Dungeon(cfg.dungeon, random.Random(args.seed + i)) for i in range(args.num_envs)]
    agent = Agent(encoder.shape, NUM_ACTIONS)
    optimizer = torch.optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)
    obs = torch.zeros((args.num_steps, args.num_envs) + encoder.shape)
    actions = torch.zeros((args.num_steps, args.num_envs), dtype=torch.long)
    logprobs, rewards, dones, values = (torch.zeros((args.num_steps, args.num_envs)) for _ in range(4))
    batch_size = args.num_envs * args.num_steps
    minibatch_size = batch_size // args.num_minibatches


    start = perf_counter()
    with section("env.reset"):
        for env in envs:
            env.reset()
    with section("env.observe"):
        next_obs = torch.tensor(np.stack([encoder.encode(env) for env in envs]))
    next_done = torch.zeros(args.num_envs)
    running = [0.0] * args.num_envs
    iteration = 0
    def out_of_time() -> bool:
        return perf_counter() - start >= cfg.seconds

    while not out_of_time():
        iteration += 1
        for step in range(args.num_steps):
            if out_of_time():
                break
            obs[step], dones[step] = next_obs, next_done
            with section("act"), torch.no_grad():
                action, logprob, _, value = agent.get_action_and_value(next_obs)
                values[step], actions[step], logprobs[step] = value.flatten(), action, logprob

            frames: list[np.ndarray] = []
            for i, env in enumerate(envs):
                with section("env.step"):
                    events = env.step(int(action[i]))
                with section("env.reward"):
                    reward = reward_fn.compute(env, events)
                rewards[step, i] = reward
                running[i] += reward
                done = events.died or events.descended or events.timeout
                next_done[i] = float(done)
                counters.env_steps += 1
                if done:
                    counters.episodes += 1
                    counters.descents += events.descended
                    counters.returns.append(running[i])
                    running[i] = 0.0
                    with section("env.reset"):
                        env.reset()
                with section("env.observe"):
                    frames.append(encoder.encode(env))
            with section("env.observe"):
                next_obs = torch.tensor(np.stack(frames))
            next_done = next_done.clone()
        else:
            with section("learn.returns"), torch.no_grad():
                next_value = agent.get_value(next_obs).reshape(-1)
                advantages = torch.zeros_like(rewards)
                lastgaelam = torch.zeros(args.num_envs)
                for t in reversed(range(args.num_steps)):
                    last = t == args.num_steps - 1
                    nonterminal = 1.0 - (next_done if last else dones[t + 1])
                    nextvalues = next_value if last else values[t + 1]
                    delta = rewards[t] + args.gamma * nextvalues * nonterminal - values[t]
                    advantages[t] = lastgaelam = delta + args.gamma * args.gae_lambda * nonterminal * lastgaelam
                returns = advantages + values

            with section("learn.update"):
                b_obs = obs.reshape((-1,) + encoder.shape)
                b_actions, b_logprobs = actions.reshape(-1), logprobs.reshape(-1)
                b_adv, b_returns = advantages.reshape(-1), returns.reshape(-1)
                for _ in range(args.update_epochs):
                    for mb in torch.randperm(batch_size).split(minibatch_size):
                        _, newlogprob, entropy, newvalue = agent.get_action_and_value(b_obs[mb], b_actions[mb])
                        ratio = (newlogprob - b_logprobs[mb]).exp()
                        adv = (b_adv[mb] - b_adv[mb].mean()) / (b_adv[mb].std() + 1e-8)
                        pg_loss = torch.max(-adv * ratio,
                                            -adv * ratio.clamp(1 - args.clip_coef, 1 + args.clip_coef)).mean()
                        v_loss = 0.5 * ((newvalue.view(-1) - b_returns[mb]) ** 2).mean()
                        loss = pg_loss - args.ent_coef * entropy.mean() + args.vf_coef * v_loss
                        optimizer.zero_grad()
                        loss.backward()
                        nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
                        optimizer.step()
                        counters.updates += 1

            with section("log"):
                recent = float(np.mean(counters.returns[-20:])) if counters.returns else 0.0
                sps = counters.env_steps / (perf_counter() - start)
                print(f"iter={iteration} steps={counters.env_steps} return={recent:.2f} "
                      f"descents={counters.descents}/{counters.episodes} v={v_loss.item():.3f} sps={sps:.0f}")
            if iteration % cfg.checkpoint_every == 0:
                with section("checkpoint"):
                    torch.save({"agent": agent.state_dict(), "optimizer": optimizer.state_dict()}, cfg.checkpoint_path)
    wall = perf_counter() - start
    stages = dict(STOPWATCH.totals)
    stages["other"] = wall - sum(stages.values())
    for name, seconds in sorted(stages.items(), key=lambda kv: kv[1], reverse=True):
        print(f"{name:<14}{seconds:>8.3f}s{seconds / wall:>7.1%}")
    if cfg.truth_path:
        with open(cfg.truth_path, "w") as fh:
            json.dump({"wall_seconds": wall, "stages": stages, "env_steps": counters.env_steps,
                       "episodes": counters.episodes, "updates": counters.updates}, fh, indent=2)

if __name__ == "__main__":
    main(RunConfig())
