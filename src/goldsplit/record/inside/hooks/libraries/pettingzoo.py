"""PettingZoo's environments in which agents move in turn (AEC): a move is a step.

Its `step` returns nothing; who has ended stands in the environment. An ended agent is stepped once more with
no action, which is not a move. Parallel environments return what Gymnasium's do, by agent.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any
from weakref import WeakSet

from goldsplit.model.stage import ENV_OBSERVE, ENV_RESET, ENV_STEP
from goldsplit.record.inside.after_import import when_imported
from goldsplit.record.inside.engine import ThreadState
from goldsplit.record.inside.hooks.patching import stage_attribute, stage_methods
from goldsplit.record.inside.hooks.stepping import add_step
from goldsplit.record.inside.node import Node
from goldsplit.record.inside.own_failures import is_programs_own

#: Environments whose episode is over and counted.
_over: WeakSet[Any] = WeakSet()


def install() -> None:
    """Wait for the module of the base classes; the user's own are seen as they are made."""
    when_imported("pettingzoo.utils.env", _stage_last)


def _stage_last(module: ModuleType) -> None:
    stage_methods(module.AECEnv, {"last": ENV_OBSERVE})


def stage_turns(cls: type) -> None:
    """Stage a class of environments in which agents move in turn."""
    own = vars(cls)
    if "step" in own:
        stage_attribute(cls, "step", ENV_STEP, after_turn)
    if "reset" in own:
        stage_attribute(cls, "reset", ENV_RESET, after_reset)


def after_turn(state: ThreadState, node: Node, args: tuple[Any, ...], result: Any) -> None:
    """Count one agent's move, and the episode when all agents have ended."""
    try:
        env = args[0]
        if len(args) > 1 and args[1] is None:  # an agent that has ended is taken out
            return
        add_step(state, node, (None, None, _ends_now(env), False, None), "")
    except Exception as error:  # an environment of one's own may lack anything
        if is_programs_own(error):
            raise
        add_step(state, node, None, "")


def after_reset(state: ThreadState, node: Node, args: tuple[Any, ...], result: Any) -> None:
    """A new episode."""
    try:
        _over.discard(args[0])
    except (IndexError, TypeError):  # kept by no weak reference
        return


def _ends_now(env: Any) -> bool:
    """Whether the episode is over since this move; dictionaries without agents say nothing."""
    ended, cut = env.terminations, env.truncations
    if not ended:
        return False
    if not all(ended[agent] or cut.get(agent, False) for agent in ended):
        _over.discard(env)
        return False
    if env in _over:
        return False
    _over.add(env)
    return True
