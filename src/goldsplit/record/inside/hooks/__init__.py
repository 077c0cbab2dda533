"""One library (or kind of thing) per file. Each has `install()`, which asks to be called when that library is
imported, and imports nothing of it before."""

from __future__ import annotations

from goldsplit.record.inside.hooks import (
    classes,
    compilers,
    gymnasium,
    mapping,
    output,
    processes,
    stable_baselines3,
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
    stable_baselines3.install()
    torch.install()
    compilers.install()
