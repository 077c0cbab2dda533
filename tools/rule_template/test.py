"""TODO: what is slow, in a few words."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rules.my_rule import RULE

# tests/unit/diagnose/conftest.py says what `make` can make: rows, facts, lanes, deep looks.


def test_the_fault_is_found(make: SimpleNamespace) -> None:
    seen = make.profile({"env.step": 0.6, "act": 0.2})  # TODO: a run with the fault
    findings = make.found(RULE, seen)
    assert findings, "TODO: write check() of the rule, and above a profile in which it finds the fault"
    assert findings[0].share == pytest.approx(0.6)


@pytest.mark.parametrize("share", [0.0, 0.01], ids=["no steps", "cheap"])  # TODO: runs without the fault
def test_no_finding(make: SimpleNamespace, share: float) -> None:
    assert make.found(RULE, make.profile({"env.step": share, "act": 0.2})) == []
