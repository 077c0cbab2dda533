import csv
import time
from collections import defaultdict

import numpy as np
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import SubprocVecEnv


class Clocks:
    def __init__(self):
        self.seconds = defaultdict(float)

    def add(self, stage, s):
        self.seconds[stage] += s

    def timed(self, stage, fn):
        def wrapper(*args, **kwargs):
            t0 = time.perf_counter()
            try:
                return fn(*args, **kwargs)
            finally:
                self.seconds[stage] += time.perf_counter() - t0
        return wrapper

    def share_out(self, sent, waited, reports):
        """The main process sent and waited; give the time to what the slowest worker did meanwhile,
        what is left over is plain sending and waiting."""
        slowest = max(reports, key=lambda rep: sum(rep.values()))
        busy = sum(slowest.values())
        span = sent + waited
        scale = min(1.0, span / busy) if busy > 0 else 0.0
        for stage, s in slowest.items():
            self.seconds[stage] += s * scale
        idle = max(0.0, span - busy * scale)
        self.seconds["vec.send"] += min(sent, idle)
        self.seconds["vec.wait"] += idle - min(sent, idle)


class ClockedSubprocVecEnv(SubprocVecEnv):
    def __init__(self, env_fns, clocks, **kw):
        super().__init__(env_fns, **kw)
        self.clocks = clocks
        self.mask_wait = 0.0

    def reset(self):
        t0 = time.perf_counter()
        obs = super().reset()
        self.clocks.share_out(0.0, time.perf_counter() - t0, [i["spent"] for i in self.reset_infos])
        return obs

    def env_method(self, name, *args, **kw):
        t0 = time.perf_counter()
        out = super().env_method(name, *args, **kw)
        if name == "action_masks":
            self.mask_wait += time.perf_counter() - t0      # settled with the next step's report
        return out

    def step_async(self, actions):
        t0 = time.perf_counter()
        super().step_async(actions)
        self.sent = time.perf_counter() - t0

    def step_wait(self):
        t0 = time.perf_counter()
        obs, rews, dones, infos = super().step_wait()
        waited = time.perf_counter() - t0
        masks, works = [], []
        for i, info in enumerate(infos):
            spent = info.pop("spent")
            masks.append({"env.mask": spent.pop("env.mask", 0.0)})
            if dones[i]:
                for stage, s in self.reset_infos[i]["spent"].items():
                    spent[stage] = spent.get(stage, 0.0) + s
            works.append(spent)
        self.clocks.share_out(0.0, self.mask_wait, masks)
        self.mask_wait = 0.0
        self.clocks.share_out(self.sent, waited, works)
        return obs, rews, dones, infos


class ClockCallback(BaseCallback):
    """Hooks clocks into the model, counts, logs, saves and stops the training when the time is over."""

    def __init__(self, clocks, limit, started, save_every=8):
        super().__init__()
        self.clocks, self.limit, self.started, self.save_every = clocks, limit, started, save_every
        self.steps = self.games = self.updates = self.rollouts = 0
        self.scores = []

    def _on_training_start(self):
        m, timed = self.model, self.clocks.timed
        m.policy.forward = timed("act", m.policy.forward)
        m.policy.predict_values = timed("act.value", m.policy.predict_values)
        m.rollout_buffer.add = timed("replay.add", m.rollout_buffer.add)
        m.rollout_buffer.compute_returns_and_advantage = timed("learn.returns", m.rollout_buffer.compute_returns_and_advantage)
        m.train = timed("learn.update", m.train)
        m.logger.dump = timed("log", m.logger.dump)
        m.policy.optimizer.register_step_post_hook(self._count_update)
        self.file = open("scores.csv", "w", newline="")
        self.table = csv.writer(self.file)

    def _count_update(self, *_):
        self.updates += 1

    def _on_step(self):
        self.steps += len(self.locals["dones"])
        for done, info in zip(self.locals["dones"], self.locals["infos"]):
            if done:
                self.games += 1
                self.scores.append(info.get("score", 0))
        return time.perf_counter() - self.started < self.limit

    def _on_rollout_end(self):
        t0 = time.perf_counter()
        self.rollouts += 1
        mean = float(np.mean(self.scores[-50:])) if self.scores else 0.0
        self.table.writerow([self.rollouts, self.steps, self.games, mean])
        self.file.flush()
        self.logger.record("wood/score", mean)
        t1 = time.perf_counter()
        self.clocks.add("log", t1 - t0)
        if self.rollouts % self.save_every == 0:
            self.model.policy.save("wood_policy.zip")
            self.clocks.add("checkpoint", time.perf_counter() - t1)

    def _on_training_end(self):
        self.file.close()
