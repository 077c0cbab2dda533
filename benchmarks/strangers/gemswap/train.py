"""Train GemSwap with stable-baselines3 DQN."""
import json
import os
import time

import torch
from stable_baselines3 import DQN
from stable_baselines3.common.callbacks import BaseCallback, EvalCallback
from stable_baselines3.common.monitor import Monitor

from gem_env import GemSwapEnv
from phase_timer import TIMER

SECONDS = float(os.environ.get("WILD_SECONDS", "20"))


class TimedDQN(DQN):
    """DQN which tells the timer what it is doing."""

    def train(self, *args, **kwargs):
        with TIMER.phase("learn.*"):
            super().train(*args, **kwargs)

    def _sample_action(self, *args, **kwargs):
        with TIMER.phase("act"):
            return super()._sample_action(*args, **kwargs)

    def _store_transition(self, *args, **kwargs):
        with TIMER.phase("replay.add"):
            super()._store_transition(*args, **kwargs)

    def dump_logs(self):
        with TIMER.phase("log"):
            super().dump_logs()

    def save(self, *args, **kwargs):
        with TIMER.phase("checkpoint"):
            super().save(*args, **kwargs)


class TimedEvalCallback(EvalCallback):
    def _on_step(self):
        if self.eval_freq > 0 and self.n_calls % self.eval_freq == 0:
            with TIMER.phase("eval"):
                return super()._on_step()
        return super()._on_step()


class StopwatchCallback(BaseCallback):
    """Starts the clock when the random warm-up is over and stops training when time is up."""

    def __init__(self, seconds):
        super().__init__()
        self.seconds = seconds
        self.started = None
        self.wall = None
        self.steps = self.games = 0

    def _on_step(self):
        if self.started is None:
            if self.num_timesteps >= self.model.learning_starts:
                TIMER.reset()
                self.updates_before = self.model._n_updates
                self.started = time.perf_counter()
            return True
        self.steps += self.training_env.num_envs
        self.games += int(self.locals["dones"].sum())
        now = time.perf_counter() - self.started
        if now > self.seconds:
            self.wall = now
            self.totals = dict(TIMER.totals)
            return False
        return True


def time_the_buffer(buffer):
    plain_sample = buffer.sample

    def sample(*args, **kwargs):
        with TIMER.phase("replay.sample"):
            return plain_sample(*args, **kwargs)

    buffer.sample = sample


def main():
    torch.set_num_threads(1)
    model = TimedDQN("MlpPolicy", GemSwapEnv(), learning_rate=5e-4, buffer_size=50_000, learning_starts=100, train_freq=4,
                     target_update_interval=500, exploration_fraction=0.3, verbose=1, seed=8)
    time_the_buffer(model.replay_buffer)
    evaluation = TimedEvalCallback(Monitor(GemSwapEnv()), n_eval_episodes=3, eval_freq=1000, best_model_save_path="./best", verbose=1)
    stopwatch = StopwatchCallback(SECONDS)
    model.learn(total_timesteps=int(2000 * SECONDS), callback=[evaluation, stopwatch], log_interval=20)
    if stopwatch.wall is None:          # ran out of steps before running out of time
        stopwatch.wall = time.perf_counter() - stopwatch.started
        stopwatch.totals = dict(TIMER.totals)

    stages = dict(stopwatch.totals)
    stages["other"] = stopwatch.wall - sum(stages.values())
    truth = {"wall_seconds": stopwatch.wall, "stages": stages, "env_steps": stopwatch.steps, "episodes": stopwatch.games,
             "updates": model._n_updates - stopwatch.updates_before}
    print(json.dumps(truth, indent=2))
    if os.environ.get("WILD_TRUTH"):
        with open(os.environ["WILD_TRUTH"], "w") as f:
            json.dump(truth, f, indent=2)


if __name__ == "__main__":
    main()
