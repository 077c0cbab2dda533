"""Trainings on a GPU whose stages are known: by calibrated chains of products, or by clocks of their own.

    python gpu_loops.py KIND [--seconds S] [--device] [--turn FILE] [--rounds FILE]

Prints one line of JSON: the speed of the loop and, by clocks of its own that always run, the true shares of
wall time of this very run. With `--device` also how long the device works in a round, by calibrated work or
by torch's own profiler around the whole loop: not to be recorded. With `--turn` several programs can start at
once: each has the device to itself from there on. `--rounds` keeps when rounds ended, by the monotonic clock.

Whose time it is: host time belongs to the stage that the host is in, launches included. What a read waits for
belongs to the stage that gave the device that work.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import time
from collections import Counter, deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

import goldsplit

clock = time.perf_counter
DEVICE = "cuda"


class Clocks:
    """Seconds by stage, of the host's own clock."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self.begun = clock()
        self.ended: list[int] = []
        """When each round ended, in nanoseconds of the monotonic clock."""

    def add(self, stage: str, since: float) -> float:
        now = clock()
        self.seconds[stage] += now - since
        return now

    def round_is_over(self) -> None:
        self.ended.append(time.perf_counter_ns())

    def shares(self) -> dict[str, float]:
        wall = clock() - self.begun
        return {stage: seconds / wall for stage, seconds in self.seconds.items()}


class Game:
    """A step costs so many microseconds of the host, whatever the machine does."""

    def __init__(self, microseconds: float) -> None:
        self.seconds = microseconds / 1e6
        self.observation = np.zeros(323, dtype=np.float32)

    def reset(self) -> np.ndarray:
        return self.observation

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        end = clock() + self.seconds
        while clock() < end:
            pass
        return self.observation, 0.0, False, False, {}


def device_seconds(work: Callable[[], Any], times: int = 60) -> float:
    """The device's time for some work, alone, with a full queue: so that the host is not in it."""
    work()
    torch.cuda.synchronize()
    first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    sleeper = torch.randn(4096, 4096, device=DEVICE)
    for _ in range(12):
        sleeper @ sleeper  # the host runs ahead meanwhile
    first.record()
    for _ in range(times):
        work()
    last.record()
    torch.cuda.synchronize()
    return first.elapsed_time(last) / 1e3 / times


def busy_seconds(loop: Callable[[float, Clocks], int], seconds: float = 1.0) -> float:
    """How long kernels run in a round, by torch's own profiler around the whole loop."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profiler:
        rounds = loop(seconds, Clocks())
    kernels = [event for event in profiler.events() if event.device_type.name == "CUDA"]
    spans = sorted((kernel.time_range.start, kernel.time_range.end) for kernel in kernels)
    busy, reached = 0.0, 0.0
    for start, end in spans:
        busy += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return busy / 1e6 / rounds


class Chains:
    """Acting and learning are chains of products of known length; the game is host work of known length."""

    def __init__(self, act_products: int, learn_products: int, game_us: float, item: bool) -> None:
        self.game, self.item = Game(game_us), item
        self.a, self.b = (torch.randn(2048, 2048, device=DEVICE) / 45 for _ in range(2))
        self.products = act_products, learn_products
        self.seconds = [device_seconds(lambda n=n: self.chain(n)) for n in self.products]

    def chain(self, products: int) -> torch.Tensor:
        x = self.a
        for _ in range(products):
            x = x @ self.b
        return x

    def select_action(self, clocks: Clocks, at: float) -> int:
        with goldsplit.stage("act"):
            x = self.chain(self.products[0])
            is_up = x[0, 0] > 0
            at = clocks.add("launching", at)
            action = int(is_up.item()) if self.item else 0
            clocks.add("waiting", at)
            return action

    def learn(self) -> None:
        with goldsplit.stage("learn.loss"):
            self.chain(self.products[1])

    def loop(self, seconds: float, clocks: Clocks) -> int:
        rounds, end = 0, clock() + seconds
        waiting: deque[torch.cuda.Event] = deque()
        while (at := clock()) < end:
            action = self.select_action(clocks, at)
            at = clock()
            self.game.step(action)
            at = clocks.add("environment", at)
            self.learn()
            clocks.add("learn", at)
            clocks.round_is_over()
            rounds += 1
            if not self.item:  # at most two rounds ahead, as a loader's queue would do
                event = torch.cuda.Event()
                event.record()
                waiting.append(event)
                if len(waiting) > 2:
                    waiting.popleft().synchronize()
        torch.cuda.synchronize()
        return rounds

    def wall(self, clocks: Clocks, round_seconds: float) -> dict[str, float]:
        shares = clocks.shares()
        if not self.item:
            return {"environment": shares["environment"]}
        acting = self.seconds[0] / round_seconds
        return {
            "environment": shares["environment"],
            "agent": shares["launching"] + acting,
            "learning": shares["learn"] + shares["waiting"] - acting,
        }

    def device(self) -> dict[str, float]:
        return {"agent": self.seconds[0], "learning": self.seconds[1]}


def network(width: int) -> nn.Module:
    layers = (nn.Linear(323, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 8))
    return nn.Sequential(*layers).to(DEVICE)


class Agent:
    """A DQN in a few lines; all of the replay on the device."""

    def __init__(self, width: int, batch: int) -> None:
        self.batch = batch
        self.net, self.target = network(width), network(width)
        self.optimizer = torch.optim.Adam(self.net.parameters(), 1e-4)
        self.memory = torch.randn(20_000, 323, device=DEVICE)
        self.actions = torch.randint(0, 8, (20_000, 1), device=DEVICE)

    def select_action(self, observation: np.ndarray, clocks: Clocks, at: float) -> int:
        with torch.no_grad():
            state = torch.as_tensor(observation, device=DEVICE)  # waits for the update before it
            at = clocks.add("waiting", at)
            values = self.net(state[None])
            action = int(values.argmax(1).item())
            clocks.add("agent", at)
            return action

    def sample(self) -> tuple[torch.Tensor, torch.Tensor]:
        places = torch.randint(0, 20_000, (self.batch,), device=DEVICE)
        return self.memory[places], self.actions[places]

    def optimize(self, states: torch.Tensor, actions: torch.Tensor) -> None:
        with torch.no_grad():
            wanted = 1.0 + 0.99 * self.target(states).max(1, keepdim=True).values
        loss = nn.functional.smooth_l1_loss(self.net(states).gather(1, actions), wanted)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


class Dqn:
    """One step, one update."""

    def __init__(self, width: int, batch: int, game_us: float) -> None:
        self.game, self.agent = Game(game_us), Agent(width, batch)

    def loop(self, seconds: float, clocks: Clocks) -> int:
        game, agent, rounds = self.game, self.agent, 0
        observation, end = game.reset(), clock() + seconds
        while (at := clock()) < end:
            action = agent.select_action(observation, clocks, at)
            at = clock()
            observation, *_ = game.step(action)
            at = clocks.add("environment", at)
            batch = agent.sample()
            at = clocks.add("replay", at)
            agent.optimize(*batch)
            clocks.add("update", at)
            clocks.round_is_over()
            rounds += 1
        torch.cuda.synchronize()
        return rounds

    def wall(self, clocks: Clocks, round_seconds: float) -> dict[str, float]:
        shares = clocks.shares()
        learning = shares["update"] + shares["waiting"]
        return {"environment": shares["environment"], "agent": shares["agent"], "learning": learning}

    def device(self) -> dict[str, float]:
        return {"": busy_seconds(self.loop)}


class Ppo:
    """Rollouts of 16 games in one batch, then epochs of minibatches; the loss is read once an epoch."""

    def __init__(self, width: int, rows: int, game_us: float) -> None:
        self.game, self.net = Game(game_us), network(width)
        self.rows = rows
        self.optimizer = torch.optim.Adam(self.net.parameters(), 1e-4)

    def predict(self, observations: np.ndarray, clocks: Clocks) -> np.ndarray:
        at = clock()
        states = torch.as_tensor(observations, device=DEVICE)
        at = clocks.add("communication", at)
        with torch.no_grad():
            actions = torch.distributions.Categorical(logits=self.net(states)).sample()
        torch.cuda.synchronize()  # the copy would wait anyway; here the copy alone can be timed
        at = clocks.add("agent", at)
        chosen = actions.cpu().numpy()
        clocks.add("communication", at)
        return chosen

    def train_step(self, states: torch.Tensor) -> torch.Tensor:
        loss = self.net(states).pow(2).mean()
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), 0.5)
        self.optimizer.step()
        return loss

    def train(self, states: torch.Tensor) -> float:
        total = 0.0
        for _ in range(4):
            for part in states.split(self.rows):
                loss = self.train_step(part)
            total += loss.item()
        return total

    def loop(self, seconds: float, clocks: Clocks) -> int:
        rounds, end = 0, clock() + seconds
        observations = np.zeros((16, 323), dtype=np.float32)
        while clock() < end:
            kept = []
            for _ in range(64):
                actions = self.predict(observations, clocks)
                at = clock()
                self.game.step(int(actions[0]))
                clocks.add("environment", at)
                kept.append(observations)
            at = clock()
            states = torch.as_tensor(np.concatenate(kept), device=DEVICE)
            at = clocks.add("communication", at)
            self.train(states.repeat(4, 1))
            clocks.add("learning", at)
            clocks.round_is_over()
            rounds += 1
        return rounds

    def wall(self, clocks: Clocks, round_seconds: float) -> dict[str, float]:
        return {name: clocks.shares()[name] for name in ("agent", "environment", "learning", "communication")}

    def device(self) -> dict[str, float]:
        return {"": busy_seconds(self.loop, 2.0)}


class Sb3:
    """Stable-Baselines3 on CartPole, as it is (its losses are read in every update, so that host clocks are
    exact) or by graphs: there DQN's update is still running when the next action is asked for, and what the
    host waits for then is the update's."""

    def __init__(self, name: str, graphed: bool = False) -> None:
        from stable_baselines3.common.callbacks import BaseCallback

        self.callback: Any = BaseCallback
        options: dict[str, Any] = {"policy_kwargs": {"net_arch": [256, 256]}, "device": DEVICE, "verbose": 0}
        if name == "DQN":
            options |= {"learning_starts": 200, "train_freq": 1, "exploration_initial_eps": 0.05}
        else:
            options |= {"n_steps": 512}
        self.model = self._kind(name, graphed)("MlpPolicy", "CartPole-v1", **options)
        self.clocks = Clocks()
        buffer = self.model.replay_buffer if name == "DQN" else self.model.rollout_buffer
        game = self.model.env.envs[0]
        for owner, method, stage in (
            (self.model, "train", "train"),
            (buffer, "_get_samples", "batches"),
            (game, "step", "environment"),
        ):
            setattr(owner, method, self._timed(getattr(owner, method), stage))
        if name == "DQN":
            self.model._sample_action = self._timed_acting(self.model._sample_action)

    @staticmethod
    def _kind(name: str, graphed: bool) -> Any:
        if graphed:
            from goldsplit.fast.learner import sb3

            return getattr(sb3, f"Graphed{name}")
        import stable_baselines3

        return getattr(stable_baselines3, name)

    def _timed(self, real: Any, stage: str) -> Any:
        def timed(*args: Any, **kwargs: Any) -> Any:
            at = clock()
            try:
                return real(*args, **kwargs)
            finally:
                self.clocks.add(stage, at)

        return timed

    def _timed_acting(self, real: Any) -> Any:
        acting = self._timed(real, "agent")

        def timed(*args: Any, **kwargs: Any) -> Any:
            at = clock()
            torch.cuda.synchronize()  # acting would wait for the update anyway; here it can be timed
            self.clocks.add("waiting", at)
            return acting(*args, **kwargs)

        return timed

    def loop(self, seconds: float, clocks: Clocks) -> int:
        class Stop(self.callback):  # type: ignore[misc, name-defined]
            end = clock() + seconds

            def _on_step(self) -> bool:
                clocks.round_is_over()
                return clock() < self.end

        self.clocks = clocks
        self.model.learn(10_000_000, callback=Stop())
        return int(self.model.num_timesteps)

    def wall(self, clocks: Clocks, round_seconds: float) -> dict[str, float]:
        shares = clocks.shares()
        # Drawing batches and bringing them to the device is no learning.
        learning = shares["train"] - shares["batches"] + shares.get("waiting", 0.0)
        found = {"environment": shares["environment"], "learning": learning}
        return found | ({"agent": shares["agent"]} if "agent" in shares else {})

    def device(self) -> dict[str, float]:
        return {"": busy_seconds(self.loop, 2.0)}


KINDS: dict[str, Callable[[], Any]] = {
    "chains-item": lambda: Chains(6, 20, 1500, item=True),
    "chains-env": lambda: Chains(4, 8, 6000, item=True),
    "chains-async": lambda: Chains(6, 20, 1500, item=False),
    "dqn-large": lambda: Dqn(4096, 4096, 800),
    "dqn-small": lambda: Dqn(512, 256, 800),
    "ppo": lambda: Ppo(512, 256, 1000),
    "ppo-large": lambda: Ppo(4096, 1024, 1000),
    "sb3-dqn": lambda: Sb3("DQN"),
    "sb3-ppo": lambda: Sb3("PPO"),
    "sb3-dqn-graphed": lambda: Sb3("DQN", graphed=True),
    "sb3-ppo-graphed": lambda: Sb3("PPO", graphed=True),
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--device", action="store_true", help="also the device's time in a round")
    parser.add_argument("--turn", type=Path, help="wait until no other program has this file")
    parser.add_argument("--rounds", type=Path, help="write there when rounds ended")
    given = parser.parse_args()
    if given.turn is not None:
        torch.zeros(1, device=DEVICE)  # what is slow about the start
        if given.kind.startswith("sb3"):
            import stable_baselines3  # noqa: F401 - slow as well
        turn = given.turn.open("w")
        fcntl.flock(turn, fcntl.LOCK_EX)  # kept until the process ends
    program = KINDS[given.kind]()
    program.loop(1.0, Clocks())
    clocks = Clocks()
    rounds = program.loop(given.seconds, clocks)
    round_seconds = (clock() - clocks.begun) / rounds
    told: dict[str, Any] = {
        "rounds_per_second": 1 / round_seconds,
        "wall": program.wall(clocks, round_seconds),
    }
    if given.rounds is not None:
        given.rounds.write_text(json.dumps(clocks.ended))
    if given.device:
        told["device"] = program.device()
    print(json.dumps(told))


if __name__ == "__main__":
    main()
