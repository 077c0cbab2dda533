"""When an environment step, an episode or the run ends, for answers that are kept so long."""

from __future__ import annotations

import itertools
from typing import Any

from goldsplit.model.stage import ENV_RESET, ENV_STEP, VEC_COPY
from goldsplit.record.inside.alterations import alter_stages

STEP, EPISODE, RUN = "step", "episode", "run"

_numbers = itertools.count(1)
_current = {STEP: 0, EPISODE: 0, RUN: 0}
_installed: list[bool] = []


def watch_scopes() -> None:
    """See the ends of steps and episodes; once for all overlays."""
    if not _installed:
        _installed.append(True)
        alter_stages(_ending)


def number_of(scope: str) -> int:
    """Another number than before, if the scope has ended since."""
    return _current[scope]


def end_step() -> None:
    """A step of any environment of this process has ended."""
    _current[STEP] = next(_numbers)


def end_episode() -> None:
    """A new episode begins, of any environment of this process."""
    _current[STEP] = _current[EPISODE] = next(_numbers)


def _ending(function: Any, stage: str) -> Any:
    """A function of a stage, which ends the scopes that end with it."""
    if stage in (ENV_STEP, VEC_COPY):

        def step(*args: Any, **kwargs: Any) -> Any:
            try:
                return function(*args, **kwargs)
            finally:
                end_step()

        return step
    if stage == ENV_RESET:

        def reset(*args: Any, **kwargs: Any) -> Any:
            end_episode()
            try:
                return function(*args, **kwargs)
            finally:
                end_episode()

        return reset
    return function
