"""One library (or kind of thing) per file. Its `install()` waits until the program imports that library, and
imports nothing of it itself."""

from __future__ import annotations

from goldsplit.record.inside.hooks import (
    classes,
    compilers,
    envpool,
    gymnasium,
    mapping,
    output,
    pettingzoo,
    processes,
    stable_baselines3,
    tianshou,
    torch,
    waiting,
)


def install(stages: dict[str, str]) -> None:
    """Install every hook; `stages` maps the user's own targets to stages."""
    mapping.install(stages)
    classes.install()
    waiting.install()
    processes.install()
    output.install()
    gymnasium.install()
    envpool.install()
    pettingzoo.install()
    stable_baselines3.install()
    tianshou.install()
    torch.install()
    compilers.install()
