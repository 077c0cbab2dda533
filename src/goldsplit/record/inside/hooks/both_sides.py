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

from goldsplit.model.named_code import BY_PURPOSE, TRIED, NamedFunction
from goldsplit.model.stage import ACT, ENV, ENV_OPPONENT, ENV_STEP, EVAL, ROLLOUT
from goldsplit.record.inside.framed_calls import named, span_call
from goldsplit.record.inside.own_failures import count_failure
from goldsplit.record.inside.span_wrapping import AfterCall, staged

#: Lines that are a whole turn of the other side: its move is made in them, too.
_TURN = "the other side's turn"
#: Lines in which all of a game is played for an evaluation, by what plays for the training elsewhere.
_GAMES = "games of an evaluation"
_WHOLLY = {ENV_OPPONENT: _TURN, EVAL: _GAMES}
#: Lines in which moves are only tried, on copies of the game: they are no steps of the training.
_TRIES = "moves that are tried"

_lines: dict[str, dict[int, str]] = {}
"""File → lines in which a call is for something else → what for."""


def remember_lines(parts: Iterable[NamedFunction]) -> None:
    """Of what the source showed: the lines that are the other side's, or an evaluation's."""
    for one in parts:
        if one.own_counters is not None and one.stage in _WHOLLY:
            told = _WHOLLY[one.stage] if one.counted else one.stage
        elif one.own_counters is not None and one.ends_at == TRIED:
            told = _TRIES
        else:
            continue
        _lines.setdefault(one.file, {}).update(dict.fromkeys(range(one.first, one.last + 1), told))


def is_told_by_lines(stage: str) -> bool:
    """Whether calls of a function of this stage may be for something else."""
    others = {other for lines in _lines.values() for other in lines.values()}
    return bool(others & _told_apart(stage))


def _told_apart(stage: str) -> set[str]:
    """The kinds of lines in which a function of this stage is for something else."""
    if stage == ROLLOUT:
        return {_GAMES}
    asked = stage in (ACT, BY_PURPOSE)
    return (
        {EVAL, _GAMES}
        | ({ENV_OPPONENT} if asked else set())
        | ({_TURN} if asked or stage.startswith(ENV) else set())
        | ({_TRIES} if stage == ENV_STEP else set())
    )


def by_caller(
    fn: Callable[..., Any],
    stage: str,
    after: AfterCall | None = None,
    usual: Callable[..., Any] | None = None,
    after_turn: AfterCall | None = None,
) -> Any:
    """`fn`, each call a span of `stage` (or `usual`), or of what the calling line is for; `after_turn`: after
    a move of the other side."""
    usual = usual or staged(fn, stage, after)
    apart = _told_apart(stage)  # with frames: stacks must tell them from the usual one
    others = dict.fromkeys(apart & {EVAL, _GAMES}, span_call(fn, EVAL))
    others |= dict.fromkeys(apart & {_TRIES}, span_call(fn, ENV_STEP))
    others |= dict.fromkeys(apart & {ENV_OPPONENT, _TURN}, span_call(fn, ENV_OPPONENT, after_turn))

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
