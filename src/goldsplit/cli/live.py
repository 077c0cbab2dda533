"""What is shown while a recording goes on."""

from __future__ import annotations

from pathlib import Path


class Tick:
    def __call__(self) -> None:
        return None

    def close(self) -> None:
        return None


def make_tick(root: Path, live: bool, quiet: bool) -> Tick:
    return Tick()
