"""Which calls ask a network?"""

from __future__ import annotations

from goldsplit.naming.decision import Decision, is_network
from goldsplit.naming.reading.code_facts import Call, Function


def is_forward(d: Decision, function: Function, call: Call) -> bool:
    """Whether a call is a network's forward pass, by whatever method; or the call of an object (`net(seen)`,
    `parts["body"](seen)`), whatever a library made it of: without gradients, or beside a backward pass."""
    resolved = d.program.resolve(function, call)
    asked = call.no_grad or function in d.backward
    if resolved or not asked or call.receiver or not call.arguments:
        return any(one.name in ("forward", "__call__") or is_network(one.kind) for one in resolved)
    bound = [*function.assignments, *d.program.module_of(function).assignments]
    objects = {*function.parameters, *(name for one in bound for name in one.targets)}
    return call.name.partition(".")[0] in objects or call.name.startswith(f"{function.self_name or '?'}.")
