"""The learner at the speed of the device: an update as one CUDA graph, acting as another. Needs torch.

    update = GraphedUpdate(update_function, optimizers=[optimizer])
    loss = update(obs, actions, rewards)        # a tensor on the device; read it late
    act = GraphedPolicy(forward, device="cuda")
    actions = act(observations)                 # NumPy in, NumPy out, one copy each way

Without a CUDA device both run as they are and say so (`.mode`, `.reason`). Stable-Baselines3's algorithms
are in
`goldsplit.fast.learner.sb3`.
"""

from goldsplit.fast.learner.capturable import plain_state_dict
from goldsplit.fast.learner.choosing import epsilon_greedy, sample_masked
from goldsplit.fast.learner.graphed_call import GraphOptions
from goldsplit.fast.learner.graphed_policy import GraphedPolicy
from goldsplit.fast.learner.graphed_update import GraphedUpdate

__all__ = [
    "GraphOptions",
    "GraphedPolicy",
    "GraphedUpdate",
    "epsilon_greedy",
    "plain_state_dict",
    "sample_masked",
]
