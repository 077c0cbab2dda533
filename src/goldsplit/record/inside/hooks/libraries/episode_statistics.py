"""Returns of episodes, as Gymnasium's RecordEpisodeStatistics and SB3's Monitor keep them anyway.

Both add the return of an ended episode to a list of their own. That list tells us, so that steps stay as they
are. Episodes of an evaluation are left out.
"""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

from goldsplit.api import metric
from goldsplit.model.stage import EVAL
from goldsplit.model.wire import Metrics
from goldsplit.record.inside.after_import import when_imported
from goldsplit.record.inside.core import this_thread
from goldsplit.record.inside.own_failures import harmless


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
        super().append(value)

    def extend(self, values: Iterable[Any]) -> None:
        kept = list(values)
        tell(Metrics.EPISODE_RETURN, kept)
        super().extend(kept)

    def __reduce__(self) -> Any:
        """A pickle or a deep copy has a plain one: it must be readable where there is no goldsplit."""
        return deque, (list(self), self.maxlen)


ToldQueue.__name__ = deque.__name__  # it is printed


class ToldList(list[Any]):
    """The same for a list."""

    def append(self, value: Any) -> None:
        tell(Metrics.MONITOR_RETURN, [value])
        super().append(value)

    def __reduce__(self) -> Any:
        return list, (list(self),)


def tell(name: str, values: list[Any]) -> None:
    """Keep the returns of training episodes."""
    with harmless("the return of an episode"):
        node = this_thread().current
        while node is not None:
            if node.stage == EVAL:
                return
            node = node.parent
        for value in values:
            metric(name, float(value))
