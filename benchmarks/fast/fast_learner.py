"""Learner parts against NumPy, SB3, torch and the code of a real project.

python benchmarks/fast/fast_learner.py                 all parts
python benchmarks/fast/fast_learner.py gae frames      some parts
"""

from __future__ import annotations

import sys
from collections import deque
from typing import Any

import numpy as np
import torch
from sb3_contrib.common.maskable.distributions import MaskableCategorical
from stable_baselines3.common.running_mean_std import RunningMeanStd
from torch.distributions import Categorical

import fast_learner_usual as usual
from fast_timing import interleave, print_table, summary, write_json
from goldsplit.fast import categorical
from goldsplit.fast.cache import PhaseCache
from goldsplit.fast.categorical_torch import MaskedCategorical
from goldsplit.fast.frames import FrameRing
from goldsplit.fast.returns import gae
from goldsplit.fast.running import RunningMoments

Tables = dict[str, Any]
GAMMA, LAM = 0.99, 0.95


def compare(title: str, variants: dict[str, Any], rounds: int, inner: int) -> Tables:
    timings = interleave(variants, rounds, inner)
    print_table(title, timings, "goldsplit")
    return {title: summary(timings, "goldsplit")}


def advantages() -> Tables:
    """Rollouts of usual sizes, float32 as SB3 stores them. SB3 keeps its arrays, so ours gets `out`."""
    tables: Tables = {}
    for steps, envs in ((2048, 1), (2048, 8), (128, 64), (128, 256), (128, 1024)):
        rng = np.random.default_rng(0)
        rewards, values = (rng.random((steps, envs), np.float32) for _ in range(2))
        ends = rng.random((steps, envs)) < 0.02
        last = rng.random(envs, np.float32)
        buffer = usual.sb3_buffer(rewards, values, ends, GAMMA, LAM)
        last_tensor = torch.from_numpy(last)
        flags = ends.astype(np.float32)
        wanted = gae(rewards, values, ends, last, GAMMA, LAM).advantages
        np.testing.assert_allclose(
            usual.gae_numpy(rewards, values, flags, last, GAMMA, LAM)[0], wanted, atol=1e-4
        )
        buffer.compute_returns_and_advantage(last_tensor, ends[-1])
        np.testing.assert_allclose(buffer.advantages, wanted, atol=1e-4)
        out = gae(rewards, values, ends, last, GAMMA, LAM)
        variants = {
            "goldsplit": lambda r=rewards, v=values, e=ends, x=last, o=out: gae(
                r, v, e, x, GAMMA, LAM, out=o
            ),
            "goldsplit, new arrays": lambda r=rewards, v=values, e=ends, x=last: gae(r, v, e, x, GAMMA, LAM),
            "NumPy, deltas vectorised": lambda r=rewards, v=values, e=flags, x=last: usual.gae_numpy(
                r, v, e, x, GAMMA, LAM
            ),
            "SB3 RolloutBuffer": lambda b=buffer, x=last_tensor, e=ends[-1]: b.compute_returns_and_advantage(
                x, e
            ),
        }
        tables |= compare(f"GAE ({steps}, {envs})", variants, 40, 5)
    return tables


def distribution() -> Tables:
    """Sample, log-probability and entropy of a masked batch of 64, as a rollout asks for."""
    rng = np.random.default_rng(0)
    tables: Tables = {}
    for actions in (13, 64):
        logits = rng.standard_normal((64, actions)).astype(np.float32)
        mask = rng.random((64, actions)) < 0.6
        mask[:, 0] = True
        x, m = torch.from_numpy(logits), torch.from_numpy(mask)

        def peer(validate: bool, x: Any = x, m: Any = m) -> None:
            with torch.no_grad():
                policy = Categorical(logits=x.masked_fill(~m, -1e8), validate_args=validate)
                chosen = policy.sample()
                policy.log_prob(chosen)
                policy.entropy()

        def maskable(x: Any = x, m: Any = m) -> None:
            with torch.no_grad():
                policy = MaskableCategorical(logits=x, masks=m)
                chosen = policy.sample()
                policy.log_prob(chosen)
                policy.entropy()

        def differentiable(x: Any = x, m: Any = m) -> None:
            with torch.no_grad():
                policy = MaskedCategorical(x, m)
                chosen = policy.sample()
                policy.log_prob(chosen)
                policy.entropy()

        # The peers get and give tensors, so the conversions count for ours.
        def ours(x: Any = x, m: Any = m) -> None:
            draw = categorical.sample(x.numpy(), m.numpy(), rng=rng)
            torch.from_numpy(draw.actions)

        variants = {
            "goldsplit": ours,
            "goldsplit, torch": differentiable,
            "Categorical, not validated": lambda peer=peer: peer(False),
            "Categorical, validated": lambda peer=peer: peer(True),
            "sb3-contrib MaskableCategorical": maskable,
        }
        tables |= compare(f"masked categorical, 64 x {actions}", variants, 25, 20)
    return tables


def frames() -> Tables:
    """Seed 004's frame path: three NES frames, the status bar cropped, grayed, scaled to 0..1."""
    rng = np.random.default_rng(0)
    film = rng.integers(0, 256, (64, 240, 224, 3), dtype=np.uint8)
    tables: Tables = {}
    for title, crop in (
        ("play field, 168 x 208", (56, 16, 168, 208)),
        ("around the player, 128 x 128", (80, 48, 128, 128)),
    ):
        ring = FrameRing((240, 224, 3), 3, crop=crop, weights=usual.WEIGHTS)
        recent: deque[Any] = deque([film[0]] * 3, maxlen=3)
        step = iter(range(10**9))

        def ours(ring: FrameRing = ring, step: Any = step) -> Any:
            return torch.from_numpy(ring.push(film[next(step) % 64]))

        def copied(ring: FrameRing = ring, step: Any = step) -> Any:
            return torch.from_numpy(ring.push(film[next(step) % 64]).copy())

        def peer(make: Any, recent: Any = recent, step: Any = step, crop: Any = crop) -> Any:
            recent.append(film[next(step) % 64])
            return make(recent, crop)

        ring.reset(film[0])
        for index in (5, 9, 12, 20):
            recent.append(film[index])
            got = ring.push(film[index])
            if index >= 12:
                for make in (usual.stack_naive, usual.stack_fixed, usual.stack_cropped):
                    if len({id(frame) for frame in recent}) == 3:
                        np.testing.assert_allclose(got, make(recent, crop).numpy(), atol=1e-5)
        variants = {
            "goldsplit": ours,
            "goldsplit, copied": copied,
            "torch stack, naive": lambda peer=peer: peer(usual.stack_naive),
            "as its author fixed it": lambda peer=peer: peer(usual.stack_fixed),
            "NumPy, cropped first": lambda peer=peer: peer(usual.stack_cropped),
        }
        tables |= compare(f"frame stack, {title}", variants, 25, 5)
    return tables


def running() -> Tables:
    """Update and apply running moments to 64 observations of 323 floats, as VecNormalize does per step."""
    values = np.random.default_rng(0).normal(3, 2, (64, 323)).astype(np.float32)
    moments, peer = RunningMoments((323,)), RunningMeanStd(shape=(323,))
    out = np.empty_like(values)

    def ours() -> None:
        moments.update(values)
        moments.normalize(values, out=out)

    def sb3() -> None:
        peer.update(values)
        np.clip((values - peer.mean) / np.sqrt(peer.var + 1e-8), -10, 10).astype(np.float32)

    return compare("running mean/std, 64 x 323", {"goldsplit": ours, "SB3 RunningMeanStd": sb3}, 25, 20)


def cache() -> Tables:
    """What a hit costs, and a targeting loop with strict invalidation: see fast_learner_usual."""
    plain: dict[Any, int] = {}
    kept = PhaseCache({"s": ["turn"]})
    checked = PhaseCache({"s": ["turn"]}, verify=0.01)
    key = (3, 7)

    def by_hand() -> int:
        if key not in plain:
            plain[key] = 1
        return plain[key]

    compute = int
    tables = compare(
        "one hit",
        {
            "goldsplit": lambda: kept.get("s", key, compute),
            "goldsplit, verify=0.01": lambda: checked.get("s", key, compute),
            "a dict by hand": by_hand,
        },
        25,
        2000,
    )
    assert usual.shooting_turns(None) == usual.shooting_turns(PhaseCache(usual.SCOPES, verify=1.0))
    variants = {
        "goldsplit": lambda: usual.shooting_turns(PhaseCache(usual.SCOPES)),
        "goldsplit, verify=0.01": lambda: usual.shooting_turns(PhaseCache(usual.SCOPES, verify=0.01)),
        "cleared at every move": lambda: usual.shooting_turns(PhaseCache(usual.CLEARED_SCOPES)),
        "no cache": lambda: usual.shooting_turns(None),
    }
    tables |= compare("12 turns of target pools", variants, 11, 1)
    scopes = PhaseCache(usual.SCOPES)
    usual.shooting_turns(scopes)
    for name, s in scopes.statistics().items():
        print(f"  {name}: {s.hit_share:.0%} hits, saved {s.saved_ns / max(s.compute_ns, 1):.1f}x its compute")
    return tables


def loop() -> Tables:
    """A PPO rollout of 64 environments and 128 steps with a small policy, the forward pass included."""
    assert usual.rollout(fast=True).shape == usual.rollout(fast=False).shape
    variants = {
        "goldsplit": lambda: usual.rollout(fast=True),
        "torch and NumPy": lambda: usual.rollout(fast=False),
    }
    return compare("rollout of 128 x 64, network included", variants, 9, 1)


PARTS = {
    "gae": advantages,
    "categorical": distribution,
    "frames": frames,
    "running": running,
    "cache": cache,
    "loop": loop,
}


def main(names: list[str]) -> None:
    torch.set_num_threads(1)
    tables: Tables = {}
    for name in names or list(PARTS):
        tables |= PARTS[name]()
    write_json("fast_learner", tables)


if __name__ == "__main__":
    main(sys.argv[1:])
