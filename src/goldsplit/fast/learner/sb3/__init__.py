"""Stable-Baselines3's algorithms with graphed updates and graphed acting; same arguments, same files.

    from goldsplit.fast.learner.sb3 import GraphedDQN, GraphedPPO

    model = GraphedPPO("MlpPolicy", env, device="cuda")     # instead of PPO(...)

`model.graphs()` says what is graphed and, where something is not, why. `GraphedMaskablePPO` is in
`goldsplit.fast.learner.sb3.graphed_masked_ppo`, because it needs sb3-contrib.
"""

from goldsplit.fast.learner.sb3.graphed_dqn import GraphedDQN
from goldsplit.fast.learner.sb3.graphed_ppo import GraphedPPO

__all__ = ["GraphedDQN", "GraphedPPO"]
