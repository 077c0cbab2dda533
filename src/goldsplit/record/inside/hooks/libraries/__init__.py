"""Libraries that people train with, one file each."""

from __future__ import annotations

from goldsplit.record.inside.hooks.libraries import (
    envpool,
    gymnasium,
    pettingzoo,
    ray,
    rllib,
    stable_baselines3,
    tianshou,
)


def install() -> None:
    """Install the hooks of every library."""
    gymnasium.install()
    envpool.install()
    pettingzoo.install()
    ray.install()
    rllib.install()
    stable_baselines3.install()
    tianshou.install()
