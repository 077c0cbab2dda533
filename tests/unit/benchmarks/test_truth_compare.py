"""The comparison code that judges goldsplit, against small reports made by hand."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks"


def load(name: str, folder: Path = BENCHMARKS) -> ModuleType:
    """Benchmarks are scripts, not a package: load one by its file."""
    spec = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up here
    spec.loader.exec_module(module)
    return module


compare = load("truth_compare")
load("baton", BENCHMARKS / "programs")  # clocks imports it, as a script would
clocks = load("clocks", BENCHMARKS / "programs")
CATEGORIES = {"env": "environment", "vec": "communication", "learn": "learning", "act": "agent"}


def report(shares: dict[str, float], unattributed: float = 0.0, **sections: Any) -> dict[str, Any]:
    stages = [
        {"stage": name, "category": CATEGORIES.get(name.split(".")[0], "other"), "wall_share": share}
        for name, share in shares.items()
    ]
    return {"stages": stages, "unattributed": {"wall_share": unattributed}, **sections}


def missed(rows: list[Any]) -> list[str]:
    return [row.check for row in rows if not row.passed]


def test_a_report_within_three_points_passes_and_one_beyond_is_named() -> None:
    truth = {"env.step": 0.60, "learn.forward": 0.40}
    close = report({"env.step": 0.625, "learn.forward": 0.375})
    far = report({"env.step": 0.64, "learn.forward": 0.36})
    assert missed(compare.compare_stages(truth, close, compare.WITH_SPANS)) == []
    assert missed(compare.compare_stages(truth, far, compare.WITH_SPANS)) == ["env.step", "learn.forward"]
    assert missed(compare.compare_stages(truth, far, compare.STACKS_ONLY)) == []


def test_a_stage_that_goldsplit_never_saw_counts_as_zero() -> None:
    rows = compare.compare_stages(
        {"env.step": 0.9, "act": 0.1}, report({"env.step": 0.9}), compare.WITH_SPANS
    )
    assert missed(rows) == ["act"]
    assert next(row for row in rows if row.check == "act").difference == pytest.approx(-0.1)


def test_a_large_stage_that_only_goldsplit_knows_is_a_miss_with_its_name() -> None:
    rows = compare.compare_stages(
        {"env.step": 0.97}, report({"env.step": 0.95, "log": 0.05}), compare.WITH_SPANS
    )
    assert missed(rows) == [compare.OTHER]
    assert rows[-1].remark == "log"


def test_stages_below_half_a_point_share_one_row() -> None:
    truth = {"env.step": 0.992, "act": 0.004, "log": 0.004}
    rows = compare.compare_stages(truth, report({"env.step": 0.99, "log": 0.01}), compare.WITH_SPANS)
    assert [row.check for row in rows] == ["env.step", compare.OTHER]
    assert rows[-1].truth == pytest.approx(0.008)
    assert rows[-1].seen == pytest.approx(0.01)


def test_groups_claim_only_what_no_narrower_key_claims() -> None:
    stages = report({"vec.send": 0.1, "vec.wait": 0.2, "learn.forward": 0.3, "learn.loss": 0.4})["stages"]
    seen = compare.shares_by_key(["category:communication", "learn.forward", "learn.*"], stages)
    assert seen["category:communication"] == pytest.approx(0.3)
    assert seen["learn.forward"] == pytest.approx(0.3)
    assert seen["learn.*"] == pytest.approx(0.4)
    assert compare.shares_by_key(["learn.forward+learn.loss"], stages)["learn.forward+learn.loss"] == (
        pytest.approx(0.7)
    )


def test_partition_wants_a_sum_of_one_and_enough_attributed() -> None:
    assert missed(compare.compare_partition(report({"act": 0.985}, 0.015), compare.WITH_SPANS)) == []
    assert missed(compare.compare_partition(report({"act": 0.97}, 0.03), compare.WITH_SPANS)) == [
        "attributed"
    ]
    assert missed(compare.compare_partition(report({"act": 0.97}, 0.03), compare.STACKS_ONLY)) == []
    assert missed(compare.compare_partition(report({"act": 0.9999}, 0.0), compare.WITH_SPANS)) == [
        "sum of shares"
    ]


def test_shares_over_one_are_found_at_any_depth() -> None:
    lanes = [{"busy_share": 0.2, "stages": [{"self_share": 1.5}]}, {"wait_share": -0.1, "stages": []}]
    made = report({"act": 1.0}, lanes=lanes, hotspots=[{"total_share_high": 1.2, "calls": 5}])
    found = dict(compare.shares_outside_unit(made))
    assert found == {
        "lanes[0].stages[0].self_share": 1.5,
        "lanes[1].wait_share": -0.1,
        "hotspots[0].total_share_high": 1.2,
    }
    assert "shares out of 0..1" in missed(compare.compare_partition(made, compare.WITH_SPANS))


def test_counts_are_exact_and_only_stacks_may_leave_them_out() -> None:
    truth = {"env_steps": 100, "episodes": 3, "updates": 50}
    wrong = {"throughput": {"env_steps": 101, "episodes": 3, "updates": None}}
    assert missed(compare.compare_counts(truth, wrong, compare.WITH_SPANS)) == ["env_steps", "updates"]
    assert missed(compare.compare_counts(truth, wrong, compare.STACKS_ONLY)) == ["env_steps"]
    assert missed(compare.compare_counts(truth, {"throughput": truth}, compare.WITH_SPANS)) == []


def test_startup_must_be_split_off_within_half_a_second() -> None:
    for seen, passed in ((2.4, True), (2.6, False), (None, False)):
        rows = compare.compare_startup({"startup_seconds": 2.0}, {"phases": {"startup_seconds": seen}})
        assert rows[0].passed is passed


def lane(pid: int, busy: float, barrier: float) -> dict[str, Any]:
    return {
        "pid": pid,
        "role": "env-worker",
        "busy_share": busy,
        "wait_share": 1.0 - busy,
        "barrier_share": barrier,
        "stages": [{"stage": "env.step", "share": busy - 0.01}, {"stage": "vec.send", "share": 0.01}],
    }


def test_lanes_name_the_slow_worker_and_the_idle_barrier_of_the_others() -> None:
    truth: dict[str, Any] = {
        "steady_seconds": 10.0,
        "workers": {
            "11": {"busy_seconds": 2.0, "wait_seconds": 7.9, "finished_last": 1, "barrier_seconds": 6.0},
            "12": {"busy_seconds": 8.0, "finished_last": 99, "barrier_seconds": 0.0},
        },
    }
    lanes = [lane(11, 0.22, 0.58), lane(12, 0.81, 0.01)]
    assert missed(compare.compare_lanes(truth, {"lanes": lanes})) == []
    lanes[0] = lane(11, 0.95, 0.0)
    assert missed(compare.compare_lanes(truth, {"lanes": lanes})) == [
        "worker environment",
        "worker barrier_share",
        "worker wait_share",
        "worker busy_share",
        "slowest worker",
    ]
    assert "slowest worker" in missed(compare.compare_lanes(truth, {"lanes": []}))
    truth["workers"]["12"]["busy_seconds"] = 2.1
    assert "slowest worker" not in [row.check for row in compare.compare_lanes(truth, {"lanes": lanes})]


def test_the_idle_barrier_is_from_a_workers_end_to_the_last_ones() -> None:
    truth = clocks.Truth("made by hand", 1.0, None)
    truth.charge_wait(clocks.Interval(100, 210), [span("fast", 90, 140), span("slow", 130, 200)])
    truth._settle_waits()
    assert truth.workers["fast"]["barrier_seconds"] == pytest.approx(60e-9)
    assert truth.workers["slow"]["barrier_seconds"] == 0.0
    assert truth.workers["slow"]["finished_last"] == 1


def slowing_truth() -> dict[str, Any]:
    """100 steps/s for two seconds, then 25 steps/s for six."""
    counts = [(0, 0), (2, 200), (8, 350)]
    return {"snapshots": [{"ns": int(1e9 * s), "counts": {"env_steps": n}} for s, n in counts]}


def test_a_slowdown_must_be_visible_in_the_windows() -> None:
    windows = [{"seconds": 2.0, "env_steps": n} for n in (200, 50, 50, 50)]
    rows = compare.compare_slowdown(slowing_truth(), {"throughput": {"windows": windows}})
    assert rows[0].truth == pytest.approx(0.25)
    assert missed(rows) == []
    flat = [{"seconds": 2.0, "env_steps": 87.5} for _ in range(4)]
    assert missed(compare.compare_slowdown(slowing_truth(), {"throughput": {"windows": flat}})) == [
        "slow-down"
    ]
    assert missed(compare.compare_slowdown(slowing_truth(), {"throughput": {"windows": []}})) == ["slow-down"]


def test_truth_of_an_interval_comes_from_the_snapshots_inside_it() -> None:
    truth = {
        "snapshots": [
            {"ns": 0, "totals_ns": {}},
            {"ns": 100, "totals_ns": {"act": 50}},
            {"ns": 300, "totals_ns": {"act": 60, "env.step": 150}},
        ]
    }
    assert compare.shares_between(truth, 50, 400) == pytest.approx({"act": 0.05, "env.step": 0.75})
    with pytest.raises(ValueError, match="not in its loop"):
        compare.shares_between(truth, 250, 400)


def span(worker: str, start: int, end: int, stage: str = "env.step") -> Any:
    return clocks.WorkerSpan(worker, stage, clocks.Interval(start, end))


def test_a_wait_is_charged_to_the_last_worker_first_and_never_twice() -> None:
    wait = clocks.Interval(100, 200)
    spans = [span("fast", 90, 140), span("slow", 130, 160), span("slow", 160, 190, "env.reset")]
    # 100-130 the fast one kept the slow one from starting, 190-200 is the answer's way back.
    assert clocks.charge_to_cause(wait, spans) == {"env.reset": 30, "env.step": 60}
    assert clocks.charge_to_cause(wait, []) == {}
    assert clocks.charge_to_cause(wait, [span("all", 0, 500)]) == {"env.step": 100}


def test_nested_clocks_are_exclusive(monkeypatch: pytest.MonkeyPatch) -> None:
    readings = iter([0, 10, 40, 100])
    monkeypatch.setattr(clocks.time, "perf_counter_ns", lambda: next(readings))
    truth = clocks.Truth("made by hand", 1.0, None)
    with truth.clock("env.step"), truth.clock("env.opponent"):
        pass
    assert truth.totals_ns == {"env.step": 70, "env.opponent": 30}


def test_a_sum_may_have_families_and_categories_in_it() -> None:
    stage = {"stage": "rollout", "category": "your code"}
    assert compare.key_matches("act+category:your code", stage)
    assert compare.key_matches("act+learn.*", {"stage": "learn.loss", "category": "learning"})
    assert not compare.key_matches("act+env.step", stage)
