# RLlib's DQN with two env runners and its prioritised episode buffer.
import os
import sys

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.append(HERE)
os.environ["PYTHONPATH"] = HERE + os.pathsep + os.environ.get("PYTHONPATH", "")

import ray
from games import Courier
from laps import CLOCK, COUNTS
from ray.rllib.algorithms.dqn import DQNConfig
from ray.rllib.core.learner.torch.torch_learner import TorchLearner
from ray.tune.registry import register_env


def count_update(fn):
    def counted(*args, **kwargs):
        COUNTS.add("updates")
        return fn(*args, **kwargs)

    return counted


def main():
    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR")
    register_env("courier", lambda config: Courier())
    config = (
        DQNConfig()
        .environment("courier")
        .env_runners(num_env_runners=2, num_envs_per_env_runner=1, num_cpus_per_env_runner=0.5, rollout_fragment_length=20)
        .training(
            train_batch_size_per_learner=64,
            num_steps_sampled_before_learning_starts=200,
            replay_buffer_config={"type": "PrioritizedEpisodeReplayBuffer", "capacity": 20000},
        )
        .reporting(min_sample_timesteps_per_iteration=200, min_time_s_per_iteration=0)
    )
    algo = config.build_algo()
    TorchLearner.apply_gradients = count_update(TorchLearner.apply_gradients)
    CLOCK.around(type(algo.learner_group), update="learn.*")
    CLOCK.around(type(algo.local_replay_buffer), add="replay.add", sample="replay.sample", update_priorities="replay.update")
    import ray.rllib.algorithms.dqn.dqn as dqn

    CLOCK.around(dqn, synchronous_parallel_sample="waiting")
    CLOCK.restart()
    while not CLOCK.over():
        result = algo.train()
        with CLOCK("log"):
            print(result["env_runners"].get("episode_return_mean"))
    everything = "env.step+env.observe+env.reset+act+act.value+rollout+vec.copy+vec.wait+vec.recv+vec.send+wait+log"
    CLOCK.charge_elsewhere(everything, "waiting", "other", "log")
    CLOCK.write("waiting for env runners, weights, metrics: compared as a whole")
    algo.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
