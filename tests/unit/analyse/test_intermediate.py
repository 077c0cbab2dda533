"""What the profile and the detail share is worked out once, and changes neither."""

from __future__ import annotations

import copy
import dataclasses
import importlib.util
from pathlib import Path
from typing import Any

import pytest

from goldsplit.analyse.detail import explain_closely, look_closer
from goldsplit.analyse.intermediate import work_out
from goldsplit.analyse.profile import analyse
from goldsplit.model.recording import Recording

HOUR_LONG = Path(__file__).parents[2] / "integration" / "hour_long.py"


@pytest.fixture(scope="module")
def wide() -> Recording:
    """Some minutes of sixteen processes."""
    spec = importlib.util.spec_from_file_location("hour_long", HOUR_LONG)
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made: Recording = module.hour_long_recording(seconds=240)
    return made


@pytest.mark.parametrize("single_spans", [False, True])
def test_both_at_once_say_what_each_says_alone(wide: Recording, single_spans: bool) -> None:
    before = copy.deepcopy(wide)
    profile, detail = explain_closely(wide, single_spans)
    assert profile == analyse(wide)
    assert detail == look_closer(wide, single_spans=single_spans)
    assert bool(detail.raw) is single_spans
    assert wide == before, "what was analysed is as it was"


def test_where_no_loop_was_recognised_all_stacks_count(wide: Recording) -> None:
    starting = copy.copy(wide)
    starting.chunks = [dataclasses.replace(chunk, startup=True) for chunk in wide.chunks]
    _, detail = explain_closely(starting, single_spans=False)
    assert detail == look_closer(starting, single_spans=False)
    assert detail.stacks


def test_nothing_is_worked_out_without_a_process_that_recorded_itself(wide: Recording) -> None:
    alone = copy.copy(wide)
    alone.processes = []
    assert work_out(alone) is None
    profile, detail = explain_closely(alone, single_spans=True)
    assert profile.lanes
    assert detail.raw == []
