"""Count environment steps and episodes from what a step returns, at the outermost environment only."""

from __future__ import annotations

from typing import Any

from goldsplit.model.stage import ACT_SEARCH, ENV_OPPONENT, ENV_RESET, ENV_STEP, EVAL, VEC_COPY, VEC_RECV
from goldsplit.model.wire import Counter
from goldsplit.record.inside.core import settle_forward, this_thread
from goldsplit.record.inside.engine import ENGINE, ThreadState, clock
from goldsplit.record.inside.hooks.autoreset import only_reset, resets_with_next_step, was_reset
from goldsplit.record.inside.hooks.messages import SENT, look_at_info
from goldsplit.record.inside.hooks.step_results import read_step
from goldsplit.record.inside.node import Node
from goldsplit.record.inside.own_failures import is_programs_own

#: Inside these a step is none of the agent's: a move that is only tried to choose another one, a move of the
#: other side, or a part of a step that is counted itself.
_NOT_COUNTED_IN = (ENV_STEP, ENV_RESET, ENV_OPPONENT, VEC_COPY, VEC_RECV, ACT_SEARCH)
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
    add_step(state, node, result, Counter.VECTOR, args[0] if args else None)


def after_vector_reset(state: ThreadState, node: Node, args: tuple[Any, ...], result: Any) -> None:
    """A vector environment was reset by its user: none of its environments waits for that any more."""
    try:
        was_reset(args[0])
    except Exception as error:  # an environment of one's own may answer anything
        if is_programs_own(error):
            raise
        return


def add_step(state: ThreadState, node: Node, result: Any, prefix: str, vector: Any = None) -> None:
    """Add a step's environments and ended episodes to the thread's counters; `vector`: the vector environment
    that may have only reset some."""
    kind = node.counted_as
    if kind is None:
        kind = node.counted_as = counted_as(node, prefix)
        if kind in (Counter.OWN, Counter.VECTOR) and not _resets_with_next_step(vector):
            # From now on `core.count_step` does the usual ones without us.
            node.steps_key, node.episodes_key = _COUNTERS[kind]
    settle_forward(False)  # the forward passes before a step were for acting
    state.forward_ns = 0
    if not kind:
        return
    try:
        steps, episodes = read_step(result)
        if vector is not None:
            steps -= only_reset(vector, result)
    except Exception as error:  # an unusual result is one step, its episodes unknown
        if is_programs_own(error):
            raise
        steps, episodes = 1, None
    counts = state.counts
    steps_key, episodes_key = _COUNTERS[kind]
    counts[steps_key] = counts.get(steps_key, 0) + steps
    if episodes is not None:
        counts[episodes_key] = counts.get(episodes_key, 0) + episodes
    if not kind.startswith(Counter.EVALUATION):
        _mark(state, node, steps)


def after_progress(state: ThreadState, node: Node, args: tuple[Any, ...], result: Any) -> None:
    """Count one call of the function that the user has named as what a step is (`--progress`)."""
    kind = node.counted_as
    if not kind:  # "": what the user has named counts, also around a vector environment
        evaluating = counted_as(node, "").startswith(Counter.EVALUATION)
        kind = node.counted_as = Counter.EVALUATION if evaluating else Counter.USER
    counts, key = state.counts, kind + Counter.ENV_STEPS
    counts[key] = counts.get(key, 0) + 1
    if kind == Counter.USER:
        _mark(state, node, 1)


def _mark(state: ThreadState, node: Node, steps: int) -> None:
    """Remember when the first and the last step were."""
    if not ENGINE.first_step_ns:
        ENGINE.first_step_ns = node.t0
        if ENGINE.on_first_step is not None:
            ENGINE.on_first_step()  # a snapshot: the steady phase begins at one
    ENGINE.last_step_ns = clock()
    if ENGINE.on_beat is not None:
        ENGINE.on_beat(state, steps)


def _resets_with_next_step(vector: Any) -> bool:
    try:
        return vector is not None and resets_with_next_step(vector)
    except Exception as error:  # an environment of one's own may answer anything
        if is_programs_own(error):
            raise
        return False


def is_evaluating() -> bool:
    """Whether this thread is in an evaluation."""
    node: Node | None = this_thread().current
    while node is not None and node.stage != EVAL:
        node = node.parent
    return node is not None


def counted_as(node: Node, prefix: str) -> str:
    """The counter prefix for steps at this place: none inside another step or where moves are only tried,
    `eval_` inside an evaluation.

    What steps a library's vector environment is a wrapper around it: the vector environment knows how many of
    its environments moved, so it counts, and its wrappers do not.
    """
    ancestor = node.parent
    kind = prefix or Counter.OWN
    wrappers = []
    while ancestor is not None:
        if prefix == Counter.VECTOR and ancestor.stage == ENV_STEP:
            wrappers.append(ancestor)
        elif ancestor.stage in _NOT_COUNTED_IN:
            return ""
        if ancestor.stage == EVAL:
            kind = Counter.EVALUATION + prefix
        ancestor = ancestor.parent
    for wrapper in wrappers:
        wrapper.counted_as, wrapper.steps_key, wrapper.episodes_key = "", None, None
    return kind
