"""Functions that serve two purposes: the line that calls them tells which.

The same function chooses for the agent and for the other side; the same step is made in training and in an
evaluation that is written into the same loop.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from types import FrameType
from typing import Any

from goldsplit.model.named_code import NamedFunction
from goldsplit.model.stage import ACT, ENV_OPPONENT, EVAL
from goldsplit.record.inside.framed_calls import named, span_call
from goldsplit.record.inside.own_failures import count_failure
from goldsplit.record.inside.span_wrapping import AfterCall, staged

_lines: dict[str, dict[int, str]] = {}
"""File → lines in which a call is for something else → what for."""


def remember_lines(parts: Iterable[NamedFunction]) -> None:
    """Of what the source showed: the lines that are the other side's, or an evaluation's."""
    for one in parts:
        if one.own_counters is not None and one.stage in (ENV_OPPONENT, EVAL):
            _lines.setdefault(one.file, {}).update(dict.fromkeys(range(one.first, one.last + 1), one.stage))


def is_told_by_lines(stage: str) -> bool:
    """Whether calls of a function of this stage may be for something else."""
    others = {other for lines in _lines.values() for other in lines.values()}
    return EVAL in others or (stage == ACT and ENV_OPPONENT in others)


def by_caller(fn: Callable[..., Any], stage: str, after: AfterCall | None = None) -> Any:
    """`fn`, each call a span of `stage`, or of what the calling line is for."""
    usual = staged(fn, stage, after)
    others = {EVAL: span_call(fn, EVAL)}  # with frames: stacks must tell them from the usual one
    if stage == ACT:
        others[ENV_OPPONENT] = span_call(fn, ENV_OPPONENT)

    def choice(*args: Any, **kwargs: Any) -> Any:
        return others.get(_told_by(sys._getframe(1)), usual)(*args, **kwargs)

    return named(choice, fn, stage)


def _told_by(caller: FrameType) -> str:
    try:
        file = caller.f_code.co_filename
        known = _lines.get(file)
        if known is None:  # a script's own file may be a relative path
            known = _lines[file] = _lines.get(os.path.abspath(file), {})  # noqa: PTH100
        return known.get(caller.f_lineno, "")
    except Exception as error:
        if not count_failure("the question what a call is for", error):
            raise
        return ""
