"""Count environment steps and episodes from what a step returns, at the outermost environment only."""

from __future__ import annotations

from typing import Any

from goldsplit.model.stage import ACT_SEARCH, ENV_RESET, ENV_STEP, EVAL, VEC_COPY, VEC_RECV
from goldsplit.model.wire import Counter
from goldsplit.record.inside.core import settle_forward
from goldsplit.record.inside.engine import ENGINE, ThreadState, clock
from goldsplit.record.inside.hooks.messages import SENT, look_at_info
from goldsplit.record.inside.node import Node

_STEPPING = (ENV_STEP, ENV_RESET)
#: What `counted_as` may say → names of the counters; put together once, because each step needs them.
_COUNTERS = {
    kind: (kind + Counter.ENV_STEPS, kind + Counter.EPISODES)
    for kind in (Counter.OWN, Counter.VECTOR, Counter.EVALUATION, Counter.EVALUATION + Counter.VECTOR)
}


def after_env_step(state: ThreadState, node: Node, args: tuple[Any, ...], result: Any) -> None:
    """Count one call of an environment's step."""
    add_step(state, node, result, "")
    if SENT in state.counts:  # a worker, perhaps: its infos may travel
        look_at_info(state, node, args, result)


def after_vector_step(state: ThreadState, node: Node, args: tuple[Any, ...], result: Any) -> None:
    """Count one call of a vector environment's step, in the process that drives it."""
    add_step(state, node, result, Counter.VECTOR)


def add_step(state: ThreadState, node: Node, result: Any, prefix: str) -> None:
    """Add a step's environments and ended episodes to the thread's counters."""
    kind = node.counted_as
    if kind is None:
        kind = node.counted_as = counted_as(node, prefix)
        if kind in (Counter.OWN, Counter.VECTOR):
            # From now on `core.count_step` does the usual ones without us.
            node.steps_key, node.episodes_key = _COUNTERS[kind]
    settle_forward(False)  # the forward passes before a step were for acting
    state.forward_ns = 0
    if not kind:
        return
    try:
        steps, episodes = read_step(result)
    except Exception:  # an unusual result is one step, its episodes unknown
        steps, episodes = 1, None
    counts = state.counts
    steps_key, episodes_key = _COUNTERS[kind]
    counts[steps_key] = counts.get(steps_key, 0) + steps
    if episodes is not None:
        counts[episodes_key] = counts.get(episodes_key, 0) + episodes
    if not kind.startswith(Counter.EVALUATION):
        if not ENGINE.first_step_ns:
            ENGINE.first_step_ns = node.t0
            if ENGINE.on_first_step is not None:
                ENGINE.on_first_step()  # a snapshot: the steady phase begins at one
        ENGINE.last_step_ns = clock()
        if ENGINE.on_beat is not None:
            ENGINE.on_beat(state, steps)


def counted_as(node: Node, prefix: str) -> str:
    """The counter prefix for steps at this place: none inside another step, `eval_` inside an evaluation."""
    ancestor = node.parent
    kind = prefix or Counter.OWN
    while ancestor is not None:
        if ancestor.stage in _STEPPING or ancestor.stage in (VEC_COPY, VEC_RECV, ACT_SEARCH):
            return ""
        if ancestor.stage == EVAL:
            kind = Counter.EVALUATION + prefix
        ancestor = ancestor.parent
    return kind


def read_step(result: Any) -> tuple[int, int | None]:
    """Environment steps and ended episodes in one step's result, in the usual shapes.

    (obs, reward, terminated, truncated, info), (obs, reward, done, info) or (obs, reward, done); each part a
    scalar, an array, a list, or a dict by agent; or a time step that says itself whether it is the last.
    Device tensors are never read: that would synchronise.
    """
    if type(result) is tuple and len(result) >= 4 and type(result[2]) is bool:  # nearly always
        cut = result[3] if len(result) >= 5 else False
        if type(cut) is bool:
            return 1, int(result[2] or cut)
    if hasattr(result, "step_type") and callable(getattr(result, "last", None)):
        return 1, int(bool(result.last()))
    if not isinstance(result, tuple) or len(result) < 3:
        return 1, None
    ended = result[2]
    cut = result[3] if len(result) >= 5 else False
    if isinstance(ended, dict):
        return 1, int(bool(ended) and all(_true(ended, cut, agent) for agent in ended))
    batch = _is_batch(ended)
    size = len(ended) if batch else 1
    if hasattr(ended, "device") and hasattr(ended, "detach"):  # a tensor, read without counting as a read
        if ended.device.type != "cpu":
            return size, None
        ended = ended.detach().__array__()
        cut = cut.detach().__array__() if hasattr(cut, "detach") else cut
    if not batch:
        return 1, int(bool(ended) or bool(cut))
    if hasattr(ended, "sum") and not isinstance(cut, list | tuple):  # `list != 0` is one bool, not many
        both = (ended != 0) | (cut != 0) if _is_batch(cut) else ended != 0
        return size, int(both.sum())
    cuts: Any = cut if _is_batch(cut) else [False] * size
    return size, sum(bool(a) or bool(b) for a, b in zip(ended, cuts, strict=True))


def _true(ended: dict[Any, Any], cut: Any, agent: Any) -> bool:
    return bool(ended[agent]) or (isinstance(cut, dict) and bool(cut.get(agent, False)))


def _is_batch(value: Any) -> bool:
    dimensions = getattr(value, "ndim", None)
    if dimensions is not None:
        return bool(dimensions >= 1)
    return isinstance(value, list | tuple)
