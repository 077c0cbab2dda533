"""Replay buffers for one PC: any schema, uniform or prioritised, n-step, frame stacks, prefetch.

    fields = {"obs": Field((323,), np.float32), "action": Field((), np.int64)}
    buf = PrioritizedReplay(100_000, fields, alpha=0.6, beta=0.4, seed=0)
    buf.add(obs=o, action=a)
    batch = buf.sample(256)             # NamedTuple: the fields, then indices and weights
    buf.update_priorities(batch.indices, priorities)

Stable-Baselines3's buffer is in `goldsplit.fast.replay.sb3`, so that this package needs neither it nor torch.
"""

from goldsplit.fast.replay.framestack import FrameStackReplay
from goldsplit.fast.replay.nstep import NStep
from goldsplit.fast.replay.prefetch import Prefetcher, PrefetchError
from goldsplit.fast.replay.ring import PrioritizedReplay, UniformReplay
from goldsplit.fast.replay.schema import Field

__all__ = [
    "Field",
    "FrameStackReplay",
    "NStep",
    "PrefetchError",
    "Prefetcher",
    "PrioritizedReplay",
    "UniformReplay",
]
