# Actors by hand with Ray: two rollout workers play and act, the driver learns from whichever is ready first.
import os
import sys

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.append(HERE)
os.environ["PYTHONPATH"] = HERE + os.pathsep + os.environ.get("PYTHONPATH", "")

import numpy as np
import ray
import torch
from games import Courier
from laps import CLOCK, COUNTS

STEPS = 200


class ActorCritic(torch.nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.body = torch.nn.Sequential(
            torch.nn.Linear(inputs, 128), torch.nn.Tanh(), torch.nn.Linear(128, 128), torch.nn.Tanh()
        )
        self.pi, self.v = torch.nn.Linear(128, outputs), torch.nn.Linear(128, 1)

    def forward(self, x):
        h = self.body(x)
        return torch.distributions.Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


@ray.remote
class RolloutWorker:
    def __init__(self, seed):
        torch.set_num_threads(1)
        torch.manual_seed(seed)
        self.env = Courier()
        self.net = ActorCritic(self.env.observation_space.shape[0], 5)
        self.obs, _ = self.env.reset(seed=seed)

    def ready(self):
        return True

    def collect(self, weights):
        from laps import CLOCK  # this process's own: the class was sent here by value, with copies

        CLOCK.restart()
        self.net.load_state_dict(weights)
        rows = []
        for _ in range(STEPS):
            with CLOCK("act"), torch.no_grad():
                dist, value = self.net(torch.as_tensor(self.obs))
                action = dist.sample()
                logp = float(dist.log_prob(action))
            obs, reward, term, trunc, _ = self.env.step(int(action))
            rows.append((self.obs, int(action), logp, float(value), reward, term or trunc))
            self.obs = self.env.reset()[0] if term or trunc else obs
        return rows, CLOCK.now()


def compute_returns(rows):
    running, out = 0.0, []
    for *_, reward, done in reversed(rows):
        running = reward + 0.97 * running * (not done)
        out.append(running)
    return out[::-1]


def ppo_update(net, optimizer, rows):
    returns = torch.tensor(compute_returns(rows), dtype=torch.float32)
    obs = torch.as_tensor(np.stack([row[0] for row in rows]))
    act, old = torch.tensor([row[1] for row in rows]), torch.tensor([row[2] for row in rows])
    adv = returns - torch.tensor([row[3] for row in rows])
    for _ in range(6):
        for batch in torch.randperm(len(rows)).split(64):
            dist, value = net(obs[batch])
            ratio = (dist.log_prob(act[batch]) - old[batch]).exp()
            loss = -torch.min(ratio * adv[batch], ratio.clamp(0.8, 1.2) * adv[batch]).mean()
            loss = loss + 0.5 * (value - returns[batch]).pow(2).mean() - 0.01 * dist.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            COUNTS.add("updates")


def main():
    torch.set_num_threads(1)
    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR")
    net = ActorCritic(Courier().observation_space.shape[0], 5)
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-4)
    workers = [RolloutWorker.remote(seed) for seed in (1, 2)]
    ray.get([worker.ready.remote() for worker in workers])
    CLOCK.restart()
    with CLOCK("vec.send"):
        weights = ray.put(net.state_dict())
        pending = {worker.collect.remote(weights): worker for worker in workers}
    waited, theirs = 0, {}
    while not CLOCK.over():
        with CLOCK("wait"):
            ready, _ = ray.wait(list(pending), num_returns=1)
        with CLOCK("vec.recv"):
            rows, spent = ray.get(ready[0])
        for name, ns in spent.items():
            theirs[name] = theirs.get(name, 0) + ns
        worker = pending.pop(ready[0])
        with CLOCK("learn.*"):
            ppo_update(net, optimizer, rows)
        with CLOCK("vec.send"):
            pending[worker.collect.remote(ray.put(net.state_dict()))] = worker
    with CLOCK("wait"):
        ray.get(list(pending))
    CLOCK.charge_wait(theirs)
    CLOCK.write(
        "waiting is divided as the workers' own clocks divide their tasks; what is left in wait is nobody's work"
    )
    ray.shutdown()


if __name__ == "__main__":
    main()
