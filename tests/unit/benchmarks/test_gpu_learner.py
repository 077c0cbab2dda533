"""How the benchmark of the graphed learner judges, and where it writes; the example without a GPU."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

ROOT = Path(__file__).resolve().parents[3]


def loaded(folder: str, name: str) -> Any:
    sys.path.insert(0, str(ROOT / folder))
    try:
        spec = importlib.util.spec_from_file_location(name, ROOT / folder / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    finally:
        sys.path.remove(str(ROOT / folder))


def test_the_interval_of_a_difference_is_that_of_welch() -> None:
    interval = loaded("benchmarks", "gpu_learner_sb3").interval
    a, b = np.array([1.0, 2.0, 3.0, 4.0, 5.0]), np.array([2.0, 4.0, 6.0, 8.0, 10.0])
    low, high = interval(a, b)
    assert (low, high) == pytest.approx((-0.87, 6.87), abs=0.02)  # as scipy's ttest_ind(equal_var=False)
    assert interval(a, a + 100)[0] > 0
    assert interval(np.ones(3), np.ones(3)) == (0.0, 0.0)


def test_the_table_goes_between_the_marks_of_a_page(tmp_path: Path) -> None:
    benchmark = loaded("benchmarks", "gpu_learner")
    page = tmp_path / "page.md"
    page.write_text(f"before\n{benchmark.BEGIN}\nold\n{benchmark.END}\nafter\n")
    for _ in range(2):
        benchmark.write_table(page, "| new |\n")
    assert page.read_text() == f"before\n{benchmark.BEGIN}\n\n| new |\n\n{benchmark.END}\nafter\n"
    benchmark.write_table(tmp_path / "other.md", "| new |\n")
    assert (tmp_path / "other.md").read_text() == "| new |\n"
    kept = (ROOT / "docs" / "gpu.md").read_text()
    assert benchmark.BEGIN in kept
    assert benchmark.END in kept


def test_a_part_that_fails_is_a_row_and_ratios_are_paired(capsys: pytest.CaptureFixture[str]) -> None:
    benchmark = loaded("benchmarks", "gpu_learner")
    benchmark.PARTS["broken"] = lambda device, quick: 1 / 0
    rows = benchmark.measured("broken", "cpu", True)
    assert rows[0][:3] == ("broken", "all", "not measured")
    assert "ZeroDivisionError" in capsys.readouterr().out
    times = {"slow": [10.0, 20.0, 30.0], "quick": [1.0, 2.0, 3.0]}
    assert [row[3] for row in benchmark.compared("x", times, "slow", {})] == [
        "1.00x [1.00-1.00]",
        "10.00x [10.00-10.00]",
    ]


def test_the_example_runs_without_a_gpu() -> None:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        said = loaded("examples", "graphed_dqn").main(700)
    finally:
        torch.set_num_threads(threads)
    assert np.isfinite(said["last"])
    assert torch.cuda.is_available() or (said["update"], said["acting"]) == ("eager", "eager")
