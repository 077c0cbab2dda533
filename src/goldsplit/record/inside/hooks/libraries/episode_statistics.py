"""Returns and ends of episodes, as Gymnasium's RecordEpisodeStatistics and SB3's Monitor know them anyway.

Both add the return of an ended episode to a list of their own. That list tells us, so that steps stay as they
are; how the episode ended stands in the step that adds it. Episodes of an evaluation are left out.
"""

from __future__ import annotations

import functools
import sys
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from types import ModuleType
from typing import Any

from goldsplit.api import metric
from goldsplit.model.wire import Metrics
from goldsplit.record.inside.after_import import when_imported
from goldsplit.record.inside.hooks.stepping import is_evaluating
from goldsplit.record.inside.own_failures import harmless

_SUCCESS = "is_success"
"""What an info says at the end of an episode that was won: a usual key, of SB3 and many games."""


def install() -> None:
    """Wait for the modules that have such wrappers."""
    for module in ("gymnasium.wrappers.common", "gymnasium.wrappers.vector.common"):
        when_imported(module, _watch_statistics)
    when_imported("stable_baselines3.common.monitor", _watch_monitor)


def _watch_statistics(module: ModuleType) -> None:
    _after_init(module.RecordEpisodeStatistics, _tell_queue)


def _watch_monitor(module: ModuleType) -> None:
    _after_init(module.Monitor, _tell_list)


def _tell_queue(wrapper: Any) -> None:
    wrapper.return_queue = ToldQueue(wrapper.return_queue, wrapper.return_queue.maxlen)


def _tell_list(wrapper: Any) -> None:
    wrapper.episode_returns = ToldList(wrapper.episode_returns)


def _after_init(cls: Any, change: Callable[[Any], None]) -> None:
    real = cls.__init__

    @functools.wraps(real)
    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        real(self, *args, **kwargs)
        with harmless("watching the returns of episodes"):
            change(self)

    cls.__init__ = init


class ToldQueue(deque[Any]):
    """A queue of returns that says what is added."""

    def append(self, value: Any) -> None:
        tell(Metrics.EPISODE_RETURN, [value])
        tell_end(Metrics.EPISODE_END, Metrics.EPISODE_SUCCESS, sys._getframe(1).f_locals)
        super().append(value)

    def extend(self, values: Iterable[Any]) -> None:
        kept = list(values)
        tell(Metrics.EPISODE_RETURN, kept)
        tell_ends(Metrics.EPISODE_END, Metrics.EPISODE_SUCCESS, sys._getframe(1).f_locals)
        super().extend(kept)

    def __reduce__(self) -> Any:
        """A pickle or a deep copy has a plain one: it must be readable where there is no goldsplit."""
        return deque, (list(self), self.maxlen)


ToldQueue.__name__ = deque.__name__  # it is printed


class ToldList(list[Any]):
    """The same for a list."""

    def append(self, value: Any) -> None:
        tell(Metrics.MONITOR_RETURN, [value])
        tell_end(Metrics.MONITOR_END, Metrics.MONITOR_SUCCESS, sys._getframe(1).f_locals)
        super().append(value)

    def __reduce__(self) -> Any:
        return list, (list(self),)


def tell(name: str, values: list[Any]) -> None:
    """Keep the returns of training episodes."""
    with harmless("the return of an episode"):
        if not is_evaluating():
            for value in values:
                metric(name, float(value))


def tell_end(end: str, success: str, step: Mapping[str, Any]) -> None:
    """Keep how one training episode ended, by the names in the step that ended it."""
    with harmless("the end of an episode"):
        if not is_evaluating():
            keep_end(end, success, step.get("terminated"), step.get("truncated"), step.get("info"))


def tell_ends(end: str, success: str, step: Mapping[str, Any]) -> None:
    """The same for the environments of a vector that have ended in this step."""
    with harmless("the end of an episode"):
        if is_evaluating() or step.get("dones") is None:
            return
        infos = step.get("infos") or {}
        for number, done in enumerate(step["dones"]):
            if done:
                ended = step["terminations"][number], step["truncations"][number]
                keep_end(end, success, *ended, info_of(infos, number))


def info_of(infos: Mapping[str, Any], number: int) -> dict[str, Any]:
    """What the infos of a vector say about one environment's success; nothing, where they do not."""
    found = {}
    for one in (infos, infos.get("final_info")):
        if isinstance(one, Mapping) and _SUCCESS in one:
            says_so = one.get(f"_{_SUCCESS}")
            if says_so is None or says_so[number]:
                found[_SUCCESS] = one[_SUCCESS][number]
    return found


def keep_end(end: str, success: str, terminated: Any, truncated: Any, info: Any) -> None:
    """An episode that the game ended was not cut off, even if its time was up in the same step."""
    if terminated or truncated:
        metric(end + ("terminated" if terminated else "truncated"), 1)
    won = info.get(_SUCCESS) if isinstance(info, Mapping) else None
    if won is not None:
        metric(success, bool(won))
