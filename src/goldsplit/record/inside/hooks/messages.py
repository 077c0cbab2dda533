"""Messages between processes: how large they are, which commands they carry, how much of them is `info`.

Every message is counted with its size, which costs two dictionary entries. About every 256th step of a worker
its info is pickled once more by itself, to know its part of the answer in bytes and in microseconds.
"""

from __future__ import annotations

import pickle
from types import ModuleType
from typing import Any

from goldsplit.model.fact_wire import FACT_SEPARATOR, FactKind
from goldsplit.model.wire import Counter
from goldsplit.record.inside.core import count_one, leave_commands_to, sized_call
from goldsplit.record.inside.core.counting import LOOK_AT_STEP, LOOK_AT_STEP_EVERY
from goldsplit.record.inside.engine import ThreadState, clock
from goldsplit.record.inside.facts import add_fact, users_place
from goldsplit.record.inside.node import Node
from goldsplit.record.inside.own_failures import is_programs_own

#: Different commands that are counted by name; a program that sends more sends data, not commands.
MAX_COMMANDS = 64
LARGEST_KEYS = 3

_MESSAGE = FACT_SEPARATOR.join((FactKind.MESSAGE, "sent", ""))
SENT = Counter.FACT_COUNT + _MESSAGE
SENT_BYTES = Counter.FACT_SUM + _MESSAGE
#: Commands whose argument names what is really asked for.
_CALLS = frozenset({"env_method", "get_attr", "set_attr", "_call", "call"})

_command_keys: dict[str, str] = {}
_looked_at_keys: set[int] = set()


def watch_sizes(module: ModuleType) -> None:
    """Count what goes out through `multiprocessing.connection`, already pickled."""
    module.Connection._send_bytes = sized_call(module.Connection._send_bytes, SENT, SENT_BYTES)


def unknown_command(message: tuple[Any, ...]) -> None:
    """Count a message (command, argument) that the core leaves to us: the first with each command, and those
    whose argument says what is really asked for."""
    command = message[0]
    if command in _CALLS and len(message) > 1:
        command = f"{command}:{called_name(message[1])}"
    key = _command_keys.get(command)
    if key is None:
        if len(_command_keys) >= MAX_COMMANDS or len(command) > 60:
            return
        key = Counter.FACT_COUNT + FACT_SEPARATOR.join((FactKind.COMMAND, command, users_place()))
        _command_keys[command] = key
    count_one(key)


leave_commands_to(unknown_command, _command_keys)


def called_name(argument: Any) -> str:
    """The method or attribute that a call to a worker asks for: SB3 and Gymnasium put its name first."""
    name = argument[0] if isinstance(argument, tuple) and argument else argument
    return name if isinstance(name, str) else "?"


def look_at_info(state: ThreadState, node: Node, args: tuple[Any, ...], result: Any) -> None:
    """From time to time, in a process that sends an answer for every step: what its info alone costs."""
    if (
        node.count % LOOK_AT_STEP_EVERY != LOOK_AT_STEP
        or state.counts[SENT] < state.counts.get(Counter.OWN_ENV_STEPS, 0) / 2
    ):
        return
    info = result[-1] if isinstance(result, tuple) and len(result) >= 3 else None
    if not isinstance(info, dict):
        return
    place = step_place(args[0]) if args else ""
    try:
        begun = clock()
        packed = pickle.dumps(info)
        pickle.loads(packed)
        microseconds = (clock() - begun) / 1e3
    except Exception as error:  # what cannot be pickled is not sent either
        if is_programs_own(error):
            raise
        return
    add_fact(FactKind.INFO, "", len(packed), 1.0, place)
    add_fact(FactKind.INFO_US, "", microseconds, 1.0, place)
    if state.index not in _looked_at_keys:
        _looked_at_keys.add(state.index)
        _count_largest(info, place)


def _count_largest(info: dict[Any, Any], place: str) -> None:
    sizes = sorted(((len(pickle.dumps(value)), str(key)[:40]) for key, value in info.items()), reverse=True)
    for size, key in sizes[:LARGEST_KEYS]:
        add_fact(FactKind.INFO_KEY, key, size, 1.0, place)


def step_place(env: Any) -> str:
    """Where the innermost environment's `step` is written: it makes the info."""
    step: Any = getattr(type(getattr(env, "unwrapped", env)), "step", None)
    while hasattr(step, "__wrapped__"):  # our own span around it, and in a deep window one more
        step = step.__wrapped__
    code = getattr(step, "__code__", None)
    return "" if code is None else f"{code.co_filename}:{code.co_firstlineno}:{code.co_qualname}"
