"""What asks the network inside a search, also where it is no class: `with torch.no_grad(): body(x)`."""

from __future__ import annotations

from goldsplit.model.stage import ACT_PREDICT, ACT_SEARCH
from goldsplit.naming.decision import Decision
from goldsplit.naming.reading.code_facts import Function


def predictions(d: Decision) -> None:
    """Name what a search asks the network by."""
    searching = [one for one, (stage, _) in d.stages.items() if stage == ACT_SEARCH]
    within = {target for one in searching for target in d.program.reached(one)}
    for function in within:
        if _asks_network(d, function):
            d.name(function, ACT_PREDICT, "the search asks the network by it")


def _asks_network(d: Decision, function: Function) -> bool:
    """Whether a function calls a network, or computes without gradients; not the search itself, whose tree
    may be walked without gradients as a whole."""
    if function.kind in d.env_classes or function in d.inside_env:
        return False
    asked = [one for call in function.calls for one in d.program.resolve(function, call)]
    if any(one.name in ("forward", "__call__") for one in asked):
        return True
    return (
        any(call.no_grad for call in function.calls)
        and bool(function.returns)
        and not d.stepping & d.program.reached(function)
        and not d.rules & d.program.reached(function)
        and function not in d.program.reached(function)  # a tree that is walked by recursion
    )
