# RLlib's PPO with two env runners, as its users write it. Its own code is clocked around from outside.
import os
import sys

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.append(HERE)
os.environ["PYTHONPATH"] = HERE + os.pathsep + os.environ.get("PYTHONPATH", "")

import ray
from games import Courier
from laps import CLOCK, COUNTS
from ray.rllib.algorithms.ppo import PPOConfig
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
        PPOConfig()
        .environment("courier")
        .env_runners(num_env_runners=2, num_envs_per_env_runner=2, num_cpus_per_env_runner=0.5)
        .training(train_batch_size_per_learner=800, minibatch_size=128, num_epochs=4, lr=3e-4)
    )
    algo = config.build_algo()
    TorchLearner.apply_gradients = count_update(TorchLearner.apply_gradients)
    CLOCK.around(type(algo.learner_group), update="learn.*")
    CLOCK.around(type(algo.env_runner_group), sync_weights="vec.send")
    import ray.rllib.algorithms.ppo.ppo as ppo

    CLOCK.around(ppo, synchronous_parallel_sample="waiting")
    CLOCK.restart()
    iteration = 0
    while not CLOCK.over():
        result = algo.train()
        iteration += 1
        with CLOCK("log"):
            print(iteration, result["env_runners"].get("episode_return_mean"))
    everything = "env.step+env.observe+env.reset+act+act.value+rollout+vec.copy+vec.wait+vec.recv+wait"
    CLOCK.charge_elsewhere(everything, "waiting", "other")
    CLOCK.write(
        "the wait for the env runners is compared as a whole: what they do in it is not divided by clocks"
    )
    algo.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
