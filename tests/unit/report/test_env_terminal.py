"""The look at an environment alone against golden files.

After a wanted change, look at the difference and write the files again:

    GOLDSPLIT_REGENERATE=1 python -m pytest tests/unit/report/test_env_terminal.py
"""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path

import pytest

from goldsplit.model.deep import DeepLook
from goldsplit.model.env_alone.env_look import (
    Asked,
    EnvLook,
    Episodes,
    Failure,
    Speed,
    Spread,
    TrajectoryHash,
    to_json,
)
from goldsplit.model.finding import Finding, Place
from goldsplit.model.profile import Hotspot
from goldsplit.model.report import Report
from goldsplit.report.env_terminal import EnvTerminalRenderer
from goldsplit.report.terminal import TerminalRenderer

GOLDEN = Path(__file__).parents[2] / "golden"
NOTHING = Spread(0, None, None, None, None, None, None)
GAME = EnvLook(
    asked=Asked("game.env:HexEnv", "HexEnv", "random", 1, 1, None, "action_masks()"),
    finished=True,
    steps=12_345,
    timed_steps=8000,
    timed_seconds=4.0,
    warm_up_steps=100,
    speed=Speed(2100.4, 1850.0, 2300.0, 40),
    step=Spread(7900, 451.0, 420.0, 980.0, 2400.0, 31_000.0, 0.31),
    reset=Spread(80, 1500.0, 1400.0, 2100.0, 2900.0, 3100.0, 0.1),
    first_reset_us=52_000.0,
    reset_share=0.031,
    mask_us=12.5,
    mask_share=0.027,
    driver_share=0.014,
    hash_share=0.004,
    episodes=Episodes(81, 98.5, 100.0, 41, 160),
    hash=TrajectoryHash("0123456789abcdef0123456789abcdef", 1000, True, True),
)
FAILED = dataclasses.replace(
    GAME,
    asked=dataclasses.replace(GAME.asked, policy="bots:greedy", mask=None, vector=4),
    finished=False,
    speed=Speed(2100.4, None, None, 2),
    reset=NOTHING,
    reset_share=None,
    mask_us=None,
    mask_share=None,
    hash_share=None,
    episodes=Episodes(0, None, None, None, None),
    hash=None,
    notes=["step does not return whether the episode is over, so no reset was made"],
    failure=Failure(
        "step raised at step 14: ValueError: off the board (env.py:5)", "look there", "Traceback …"
    ),
)
BATCH = dataclasses.replace(
    GAME,
    asked=dataclasses.replace(GAME.asked, target="VecSnake", batch=256, mask="action_mask in the info"),
    finished=False,
    step=NOTHING,
    mask_us=None,
    speed=Speed(None, None, None, 0),
    episodes=Episodes(None, None, None, None, None),
    hash=TrajectoryHash("0123456789abcdef0123456789abcdef", 7, False, None),
    driver_share=None,
)
HOT = [
    Hotspot("HexEnv.sees", "game/sight.py", 40, "env.opponent", 0.61, 0.66, 300, 90.0, "yours"),
    Hotspot("deepcopy", "lib/python3/copy.py", 128, "env.step", 0.08, 0.12, 40, None, "library"),
]
CONSTANT = Finding(
    code="constant-result",
    title="sees() answered True in all 3,000 compared calls: 66 % of wall time",
    where=Place("game/sight.py", 38, "HexEnv.sees"),
    stage="env.opponent",
    evidence={},
    share=0.66,
    ceiling_speedup=2.94,
    confidence="high",
    remedy="test for the empty set first",
    verify="goldsplit env game.env:HexEnv --seed 1 --hash",
)


@pytest.fixture
def explained(reports: dict[str, Report]) -> Report:
    """The recorded pass: what is hot, one finding, a deep look."""
    profile = reports["nothing"].profile
    trust = dataclasses.replace(profile.trust, samples=480)
    deep = DeepLook(5, 0.7, 31, 1.3, 0.02)
    return Report(dataclasses.replace(profile, hotspots=HOT, trust=trust, deep=deep), (CONSTANT,))


@pytest.mark.parametrize("width", [80, 120])
def test_matches_its_golden_file(width: int, explained: Report) -> None:
    check("game", GAME, explained, width)


def test_what_ended_early_and_what_is_missing(reports: dict[str, Report]) -> None:
    check("failed", FAILED, reports["nothing"], 80)
    check("batch", BATCH, None, 80)
    check("batch-timed", dataclasses.replace(BATCH, step=GAME.step, mask_us=30.0, finished=True), None, 80)


def check(name: str, look: EnvLook, report: Report | None, width: int) -> None:
    text = EnvTerminalRenderer(TerminalRenderer(width=width)).render(look, report)
    golden = GOLDEN / f"env-{name}-{width}.txt"
    if os.environ.get("GOLDSPLIT_REGENERATE"):
        golden.write_text(text)
    assert text == golden.read_text()
    assert all(len(line) <= width for line in text.splitlines())


def test_a_hash_that_cannot_be_repeated_is_a_warning() -> None:
    assert GAME.hash is not None
    shaky = dataclasses.replace(GAME, hash=dataclasses.replace(GAME.hash, repeated=False))
    text = " ".join(EnvTerminalRenderer(TerminalRenderer(width=100)).render(shaky, None).split())
    assert "played differently: the environment is not reproducible" in text


def test_a_stream_that_cannot_write_unicode_gets_ascii(explained: Report) -> None:
    page = TerminalRenderer(width=80, unicode=False)
    EnvTerminalRenderer(page).render(GAME, explained).encode("ascii")


def test_the_json_has_every_field_and_the_documentation_too(explained: Report) -> None:
    data = json.loads(json.dumps(to_json(GAME, explained, "/runs/x")))
    assert data["format"] == "goldsplit-env"
    assert data["run"]["path"] == "/runs/x"
    assert data["step"]["p99_us"] == 2400.0
    assert isinstance(data["hotspots"], list)
    assert to_json(BATCH, None, None)["findings"] is None, "not measured is not empty"
    page = (Path(__file__).parents[3] / "docs" / "reference" / "env.md").read_text()
    inner = [Asked, Speed, Spread, Episodes, TrajectoryHash, Failure]
    names = {field.name for record in inner for field in dataclasses.fields(record)} | set(data)
    assert {name for name in names if f"`{name}`" not in page} == set()
