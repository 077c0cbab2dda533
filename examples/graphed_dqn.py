"""A DQN in one file with its update and its acting as CUDA graphs. Without a GPU it runs the same, eagerly.

python examples/graphed_dqn.py [steps]

The lines that make it graphed end in `# graphed`. Needs goldsplit[fast,torch,gymnasium].
"""

from __future__ import annotations

import sys
from typing import Any

import gymnasium as gym
import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from torch import nn

from goldsplit.fast.learner import GraphedPolicy, GraphedUpdate, epsilon_greedy  # graphed
from goldsplit.fast.replay import Field
from goldsplit.fast.replay.device import DevicePrioritizedReplay

ENVS, BATCH, GAMMA, LEARNING_STARTS, TARGET_EVERY = 4, 128, 0.99, 500, 250


def network(inputs: int, outputs: int) -> nn.Module:
    return nn.Sequential(
        nn.Linear(inputs, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, outputs)
    )


def main(steps: int = 20_000) -> dict[str, Any]:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(0)
    envs = gym.make_vec("CartPole-v1", ENVS, vectorization_mode="sync")
    q, target = network(4, 2).to(device), network(4, 2).to(device)
    target.load_state_dict(q.state_dict())
    optimizer = torch.optim.Adam(q.parameters(), lr=5e-4)
    fields = {
        "obs": Field((4,), np.float32),
        "next_obs": Field((4,), np.float32),
        "action": Field((), np.int64),
    }
    fields |= {"reward": Field((), np.float32), "done": Field((), np.float32)}
    replay = DevicePrioritizedReplay(50_000, fields, device=device, seed=0)

    def update() -> torch.Tensor:
        batch = replay.draw(BATCH)
        with torch.no_grad():
            best = target(batch.next_obs).amax(1)
            wanted = batch.reward + GAMMA * (1 - batch.done) * best
        errors = q(batch.obs).gather(1, batch.action.unsqueeze(1)).squeeze(1) - wanted
        loss = (batch.weights * F.huber_loss(errors, torch.zeros_like(errors), reduction="none")).mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(q.parameters(), 10.0)
        optimizer.step()
        replay.write_priorities(batch.indices, errors.detach().abs() + 1e-6)
        return loss.detach()

    learn = GraphedUpdate(update, optimizers=[optimizer], generators=[replay.generator])  # graphed
    act = GraphedPolicy(lambda obs, epsilon: epsilon_greedy(q(obs), epsilon), device=device)  # graphed

    obs, _ = envs.reset(seed=0)
    ended, returns, running, losses = np.zeros(ENVS, bool), [], np.zeros(ENVS), []
    for step in range(0, steps, ENVS):
        epsilon = np.array([max(0.05, 1 - step / (0.3 * steps))], np.float32)
        actions = act(obs, epsilon)  # graphed
        next_obs, rewards, terminated, truncated, _ = envs.step(actions)
        for i in np.flatnonzero(~ended):  # a step after an end only resets
            transition = {"obs": obs[i], "next_obs": next_obs[i], "action": actions[i]}
            replay.add(**transition, reward=np.float32(rewards[i]), done=np.float32(terminated[i]))
        running += np.where(ended, 0.0, rewards)
        ended = terminated | truncated
        returns += running[ended].tolist()
        running[ended] = 0.0
        obs = next_obs
        if step >= LEARNING_STARTS:
            replay.flush()  # what was added goes to the device in one copy
            losses.append(learn())  # graphed
            if step % TARGET_EVERY < ENVS:
                target.load_state_dict(q.state_dict())  # in place: the graph reads the same memory
    last = float(np.mean(returns[-20:])) if returns else float("nan")
    loss = (
        float(torch.stack(losses[-100:]).mean()) if losses else float("nan")
    )  # the only wait for the device
    print(f"mean return of the last 20 episodes: {last:.0f}, loss {loss:.4f}")
    for name, part in (("update", learn), ("acting", act)):
        print(f"{name}: {part.mode}" + (f" ({part.reason})" if part.reason else ""))
    return {"update": learn.mode, "acting": act.mode, "last": last}


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
