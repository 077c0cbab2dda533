"""What-if and horizon for a terminal, against golden files.

After a wanted change, look at the difference and write the files again:

    GOLDSPLIT_REGENERATE=1 python -m pytest tests/unit/report/test_answers_terminal.py
"""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import pytest

from goldsplit.model.horizon import Horizon, Trend
from goldsplit.model.progress import Drift
from goldsplit.model.whatif import Ceiling, Prediction, Scenario, WhatIf
from goldsplit.report.horizon_terminal import HorizonRenderer
from goldsplit.report.terminal import TerminalRenderer
from goldsplit.report.verdict import drift, episodes
from goldsplit.report.whatif_terminal import WhatIfRenderer

GOLDEN = Path(__file__).parents[2] / "golden"
LOCK_STEP = (
    "lock-step: the driver waits for the slowest of 4 worker processes, 8 environments in all; "
    "212 turns seen span by span"
)
RECORDED: dict[str, float | None] = {
    "env_steps_per_second": 412.0,
    "envs": 8,
    "workers": 4,
    "cores": 8,
    "updates_per_env_step": 0.25,
}


def asked() -> WhatIf:
    scenario = Scenario({"env.step": 0.5, "log": 0.0}, envs=16, updates_per_step=0.125)
    prediction = Prediction(
        1.83,
        1.61,
        1.9,
        754.0,
        LOCK_STEP,
        ["16 environments on 4 workers (recorded: 8 on 4)", "as many updates per env step as asked for"],
    )
    return WhatIf("20260101-120000-train-001", LOCK_STEP, RECORDED, scenario, prediction, [])


def unasked() -> WhatIf:
    ceilings = [
        Ceiling("env.step", 0.62, 2.11, 1.38, 2.63),
        Ceiling("replay.sample", 0.237, 1.0, 1.0, 1.31),
        Ceiling("learn.backward", 0.08, 1.08, 1.04, 1.087),
        Ceiling("game.everything", 0.9995, None, 1.99, None),
    ]
    return WhatIf("20260101-120000-train-001", LOCK_STEP, RECORDED, Scenario(), None, ceilings)


def far() -> Horizon:
    return Horizon(
        run="20260101-120000-train-001",
        unit="episodes",
        target=5000.0,
        recorded=600.0,
        factor=5000 / 600,
        wall_seconds=9300.0,
        low_seconds=7100.0,
        high_seconds=15_200.0,
        env_steps=412_000.0,
        naive_seconds=4100.0,
        naive_error=4100 / 9300 - 1,
        recorded_seconds=512.0,
        cost_us=Trend("linear", 820.0, 1530.0, 6900.0, stage="replay.sample"),
        episode_steps=Trend("saturating", 31.0, 88.0, 88.0, 21_000.0),
        warnings=["this extrapolates to 15.0 times the recorded env steps; the interval covers growth"],
    )


def near() -> Horizon:
    return dataclasses.replace(
        far(),
        unit="env_steps",
        factor=1.5,
        naive_seconds=9250.0,
        naive_error=-0.005,
        cost_us=Trend("constant", 820.0, 821.0, 821.0),
        episode_steps=None,
        warnings=[],
    )


@pytest.mark.parametrize("width", [80, 110])
@pytest.mark.parametrize(
    ("name", "answer"),
    [("whatif", asked()), ("whatif-ceilings", unasked()), ("horizon", far()), ("horizon-near", near())],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_matches_its_golden_file(name: str, answer: WhatIf | Horizon, width: int) -> None:
    page = TerminalRenderer(width=width)
    text = (
        WhatIfRenderer(page).render(answer)
        if isinstance(answer, WhatIf)
        else HorizonRenderer(page).render(answer)
    )
    golden = GOLDEN / f"terminal-{name}-{width}.txt"
    if os.environ.get("GOLDSPLIT_REGENERATE"):
        golden.write_text(text)
    assert text == golden.read_text()
    assert max(map(len, text.splitlines())) <= width


def test_growth_is_told_with_factor_and_what_it_goes_with() -> None:
    row = {
        "stage": "replay.sample",
        "us_per_env_step_first": 210.0,
        "us_per_env_step_last": 650.0,
        "factor": 3.1,
        "against": "transitions stored",
        "against_first": 4200.0,
        "against_last": 310_000.0,
    }
    told = Drift(-0.4, [row], cost_factor=1.7, slows_down=True, windows_compared=20)
    text = drift(told).text
    assert text.startswith("slows down: 40 % fewer env steps/s in the last quarter than in the first; ")
    assert "an env step costs 1.70x as much" in text
    assert "replay.sample 210 us → 650 us per env step (3.1x, with transitions stored 4200 → 310k)" in text
    memory = drift(
        dataclasses.replace(told, growing_stages=[row | {"against": "memory", "against_last": 2.0**31}])
    )
    assert "with memory 4.1 KiB → 2.0 GiB" in memory.text


def test_no_trend_is_not_called_a_slow_down() -> None:
    text = drift(Drift(-0.2, [], cost_factor=1.04, windows_compared=20)).text
    assert text.startswith("no trend: 20 % fewer env steps/s")
    assert drift(Drift(0.01, [], windows_compared=20)).text.startswith("steady")
    short = drift(Drift(-0.3, [], windows_compared=0))
    assert short.text.endswith("the time since learning began is too short to show a trend")
    assert short.tone != "warning"


def test_episodes_are_told_in_env_steps() -> None:
    longer = Drift(
        -0.1,
        [],
        cost_factor=1.5,
        episode_steps_first=31.0,
        episode_steps_last=93.0,
        episode_factor=3.0,
        episodes_change="longer",
    )
    assert "Episodes became longer: 31 → 93 env steps (3.0x)" in episodes(longer).text
    assert "4.5x as long" in episodes(longer).text
    assert episodes(dataclasses.replace(longer, episodes_change="steady")).text == ""
