"""Vector environments over shared memory, with Gymnasium's API; `sb3.py` has the one for Stable-Baselines3.

from goldsplit.fast.vector import SharedVectorEnv
envs = SharedVectorEnv([make_env] * 16, info="final", mask="action_masks")
"""

from goldsplit.fast.vector.calibrate import Choice
from goldsplit.fast.vector.errors import EnvironmentFailedError, WorkerDiedError
from goldsplit.fast.vector.sampling import sample_masked
from goldsplit.fast.vector.shared_env import Ready, SharedVectorEnv

__all__ = ["Choice", "EnvironmentFailedError", "Ready", "SharedVectorEnv", "WorkerDiedError", "sample_masked"]
