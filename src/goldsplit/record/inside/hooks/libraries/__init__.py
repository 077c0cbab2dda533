"""Libraries that people train with, one file each."""

from __future__ import annotations

from goldsplit.record.inside.hooks.libraries import (
    envpool,
    episode_statistics,
    gymnasium,
    parsers,
    pettingzoo,
    ray,
    rllib,
    stable_baselines3,
    tianshou,
)
from goldsplit.record.inside.own_failures import harmless

_LIBRARIES = (
    *(parsers, gymnasium, envpool, episode_statistics, pettingzoo),
    *(ray, rllib, stable_baselines3, tianshou),
)


def install() -> None:
    """Install the hooks of every library; one that fails does not leave out the others."""
    for library in _LIBRARIES:
        with harmless(f"installing {library.__name__.rpartition('.')[2]}"):
            library.install()
