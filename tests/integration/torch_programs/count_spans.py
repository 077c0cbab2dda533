"""Run the programs that are named, one after the other, with hooks but without a recording; print as JSON
what each of them says of itself and the spans and counts of all its threads."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from goldsplit.record.inside.engine import ENGINE
from goldsplit.record.inside.hooks import classes, learning_functions
from goldsplit.record.inside.hooks import torch as torch_hooks

torch_hooks.install()
classes.install()
import torch  # noqa: E402 - after the hooks, as in a recorded program

torch.set_num_threads(1)
HERE = Path(__file__).parent


def counted() -> dict[str, float]:
    """Spans by the stage that owns them at the top, and counters by what they begin with."""
    found: dict[str, float] = {}
    for state in ENGINE.threads:
        for node in state.nodes:
            if node.stage and node.parent is state.root:
                found[node.stage] = found.get(node.stage, 0) + node.count
        for name, value in state.counts.items():
            kind, colon, _ = name.partition(":")
            if colon and kind in ("updates", "backward", "gradients"):
                found[kind] = max(found.get(kind, 0), value)
    return found


def run(name: str) -> dict[str, Any]:
    ENGINE.forget()
    learning_functions.forget_all()
    path = HERE / f"{name}.py"
    names: dict[str, Any] = {"__name__": "__main__", "__file__": str(path)}
    exec(compile(path.read_text(), str(path), "exec"), names)
    return {"truth": names["TRUTH"], "counted": counted()}


sys.path.insert(0, str(HERE))
print(json.dumps({name: run(name) for name in sys.argv[1:]}))
