"""What compilers are told about our modules."""

from __future__ import annotations

import importlib.util
from types import SimpleNamespace
from typing import Any

from goldsplit.record.inside.hooks import compilers


def test_torch_is_told_of_modules_that_exist() -> None:
    """It silently ignores a name that leads nowhere, and would then look into our frames."""
    told: list[str] = []
    trace_rules: Any = SimpleNamespace(add=told.append)
    compilers._skip_our_frames(trace_rules)
    assert told
    assert [name for name in told if importlib.util.find_spec(name) is None] == []
