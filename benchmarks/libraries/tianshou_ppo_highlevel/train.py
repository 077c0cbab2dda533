# PPO through tianshou's high-level builder, with test episodes between the epochs.
import os
import sys
import tempfile

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import torch
from games import Courier
from laps import CLOCK, COUNTS
from tianshou.algorithm import PPO
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.highlevel.config import OnPolicyTrainingConfig
from tianshou.highlevel.env import EnvFactory, EnvMode, VectorEnvType
from tianshou.highlevel.experiment import ExperimentConfig, PPOExperimentBuilder
from tianshou.highlevel.params.algorithm_params import PPOParams
from tianshou.highlevel.trainer import EpochStopCallback
from tianshou.trainer import OnPolicyTrainer, Trainer


class CourierFactory(EnvFactory):
    def __init__(self):
        super().__init__(VectorEnvType.DUMMY)

    def _create_env(self, mode: EnvMode):
        return Courier()


class TimeIsUp(EpochStopCallback):
    def should_stop(self, mean_rewards, context):
        return CLOCK.over()


def main():
    torch.set_num_threads(1)
    CLOCK.around(DummyVectorEnv, step="vec.*", reset="vec.*")
    CLOCK.around(VectorReplayBuffer, add="replay.add", sample="replay.sample")
    CLOCK.around(Collector, _compute_action_policy_hidden="act", collect="rollout")
    CLOCK.around(PPO, update="learn.*")
    evaluating = Trainer._test_step

    def _test_step(self, *args, **kwargs):
        """Test episodes: one stage, and not counted as steps of the training."""
        before, apart = COUNTS.here(), dict(CLOCK.spent)
        CLOCK.enter("eval")
        try:
            return evaluating(self, *args, **kwargs)
        finally:
            CLOCK.leave()
            COUNTS.set_back(before)
            CLOCK.merge_since(apart, "eval")

    Trainer._test_step = _test_step
    optimizing = torch.optim.Adam.step

    def step(self, *args, **kwargs):
        COUNTS.add("updates")
        return optimizing(self, *args, **kwargs)

    torch.optim.Adam.step = step
    experiment = (
        PPOExperimentBuilder(
            CourierFactory(),
            ExperimentConfig(persistence_enabled=False, watch=False, persistence_base_dir=tempfile.mkdtemp()),
            OnPolicyTrainingConfig(
                max_epochs=10000,
                epoch_num_steps=2000,
                batch_size=64,
                num_training_envs=4,
                num_test_envs=1,
                test_step_num_episodes=3,
                collection_step_num_env_steps=500,
                update_step_num_repetitions=3,
                buffer_size=2000,
                replay_buffer_ignore_obs_next=False,
            ),
        )
        .with_ppo_params(PPOParams(gamma=0.97, lr=3e-4))
        .with_actor_factory_default(hidden_sizes=(64, 64))
        .with_critic_factory_default(hidden_sizes=(64, 64))
        .with_epoch_stop_callback(TimeIsUp())
        .build()
    )
    run = OnPolicyTrainer.run

    def timed_run(self, *args, **kwargs):
        CLOCK.restart()
        result = run(self, *args, **kwargs)
        CLOCK.write("rollout = the collector's own code; eval = the test episodes and all inside them")
        return result

    OnPolicyTrainer.run = timed_run
    experiment.run()


if __name__ == "__main__":
    main()
