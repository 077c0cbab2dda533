"""Stable-Baselines3's PPO on SubprocVecEnv; subclasses carry the clocks, the library is untouched."""

from __future__ import annotations

import functools
import time
from typing import Any

import torch
from clocks import COMMUNICATION, STEP, Interval, Truth, WorkerSpan, program_arguments
from hill_env import HillEnv
from stable_baselines3 import PPO
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.vec_env import SubprocVecEnv

# SB3 does not pass our objects on to its policy, buffer and optimizer, so the clocks are here.
truth = Truth("sb3_subproc", 0.0, None)
FORWARD, REST_OF_UPDATE = "learn.forward", "learn.loss+learn.backward"


class TimedPolicy(ActorCriticPolicy):
    def forward(self, obs: Any, deterministic: bool = False) -> Any:
        with truth.clock("act"):
            return super().forward(obs, deterministic)

    def predict_values(self, obs: Any) -> Any:
        with truth.clock("act.value"):
            return super().predict_values(obs)

    def evaluate_actions(self, obs: Any, actions: Any) -> Any:
        with truth.clock(FORWARD):
            return super().evaluate_actions(obs, actions)


class TimedBuffer(RolloutBuffer):
    def add(self, *args: Any, **kwargs: Any) -> None:
        with truth.clock("replay.add"):
            super().add(*args, **kwargs)

    def compute_returns_and_advantage(self, last_values: Any, dones: Any) -> None:
        with truth.clock("learn.returns"):
            super().compute_returns_and_advantage(last_values, dones)

    def _get_samples(self, *args: Any, **kwargs: Any) -> Any:
        with truth.clock("replay.sample"):
            return super()._get_samples(*args, **kwargs)


class TimedAdam(torch.optim.Adam):
    def step(self, closure: Any = None) -> Any:
        with truth.clock("learn.optimizer"):
            result = super().step(closure)
        truth.count(updates=1)
        return result


class TimedPPO(PPO):
    def train(self) -> None:
        with truth.clock(REST_OF_UPDATE):
            super().train()


class TimedVecEnv(SubprocVecEnv):
    begun = False

    def step_async(self, actions: Any) -> None:
        if not self.begun:
            truth.keep_going()
            self.begun = True
        with truth.clock(COMMUNICATION):
            super().step_async(actions)

    def step_wait(self) -> Any:
        with truth.clock(COMMUNICATION):
            start_ns = time.perf_counter_ns()
            observations, rewards, dones, infos = super().step_wait()
            self._charge(Interval(start_ns, time.perf_counter_ns()), infos, dones)
        truth.count(env_steps=self.num_envs, episodes=int(dones.sum()))
        return observations, rewards, dones, infos

    def _charge(self, wait: Interval, infos: Any, dones: Any) -> None:
        spans = []
        for process, info, reset_info, done in zip(
            self.processes, infos, self.reset_infos, dones, strict=True
        ):
            spans.append(WorkerSpan(str(process.pid), STEP, Interval(*info["interval"])))
            if done:
                spans.append(WorkerSpan(str(process.pid), "env.reset", Interval(*reset_info["interval"])))
        truth.charge_wait(wait, spans)


class UntilTimeIsUp(BaseCallback):
    def _on_step(self) -> bool:
        return truth.keep_going()


def main() -> None:
    parser = program_arguments("PPO on SubprocVecEnv", workers=4, step_us=4000.0, rollout=64)
    args = parser.parse_args()
    torch.set_num_threads(1)
    truth.limit_seconds = args.seconds
    truth.limit_steps = args.steps
    vec_env = TimedVecEnv([functools.partial(HillEnv, i, args.step_us) for i in range(args.workers)])
    model = TimedPPO(
        TimedPolicy,
        vec_env,
        n_steps=args.rollout,
        batch_size=64,
        n_epochs=4,
        rollout_buffer_class=TimedBuffer,
        policy_kwargs={"optimizer_class": TimedAdam},
        seed=args.seed,
        device="cpu",
    )
    time.sleep(args.startup)
    model.learn(total_timesteps=10**9, callback=UntilTimeIsUp())
    truth.finish()
    vec_env.close()


if __name__ == "__main__":
    main()
