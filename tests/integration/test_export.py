"""Exports and the plan of a really recorded run, through the command line."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import xml.etree.ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

Command = Callable[..., subprocess.CompletedProcess[str]]
TESTS = Path(__file__).parents[1]

GAME = """
import random
import time

class Game:
    def reset(self):
        self.turn = 0
        return [0.0] * 8

    def step(self, action):
        self.turn += 1
        return self.get_obs(), 0.0, self.turn >= 50, False, {}

    def get_obs(self):
        return [sum(i * j for i in range(60)) for j in range(8)]

def select_action(obs):
    return max(range(400), key=lambda i: random.random())

game, end = Game(), time.monotonic() + 2.5
obs = game.reset()
while time.monotonic() < end:
    obs, _, done, _, _ = game.step(select_action(obs))
    if done:
        obs = game.reset()
"""


@pytest.fixture(scope="module")
def run(record: Callable[..., Any]) -> Any:
    made = record(GAME, options=("--rate", "100"))
    assert made.exit_code == 0, made.stderr
    return made


def exported(goldsplit: Command, run: Any, *arguments: str) -> str:
    done = goldsplit("export", str(run.run_dir), "--format", *arguments, cwd=run.directory)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_flame_graph_shows_the_players_own_functions(goldsplit: Command, run: Any) -> None:
    svg = exported(goldsplit, run, "flamegraph")
    xml.etree.ElementTree.fromstring(svg)
    assert "program.py" in svg
    assert "get_obs" in svg


def test_speedscope_and_perfetto_files(goldsplit: Command, run: Any) -> None:
    speedscope = json.loads(exported(goldsplit, run, "speedscope"))
    jsonschema.validate(
        speedscope, json.loads((TESTS / "data" / "speedscope-file-format-schema.json").read_text())
    )
    assert any("Game.get_obs" in frame["name"] for frame in speedscope["shared"]["frames"])
    assert sum(speedscope["profiles"][0]["weights"]) <= run.report["phases"]["steady_seconds"] * 1.001
    trace = json.loads(exported(goldsplit, run, "perfetto"))
    steps = [event for event in trace["traceEvents"] if event["ph"] == "X" and event["name"] == "env.step"]
    assert len(steps) > 20
    counters = {event["name"] for event in trace["traceEvents"] if event["ph"] == "C"}
    assert {"env steps/s", "memory (MiB)"} <= counters


def test_tables_json_and_markdown_say_what_the_report_says(goldsplit: Command, run: Any) -> None:
    assert json.loads(exported(goldsplit, run, "json")) == run.report
    rows = list(csv.DictReader(io.StringIO(exported(goldsplit, run, "csv"))))
    assert [row["stage"] for row in rows] == [*(row["stage"] for row in run.report["stages"]), "(no stage)"]
    markdown = exported(goldsplit, run, "markdown")
    assert "| Category | Time (s) | % of wall time | Optimizable? |" in markdown
    windows = exported(goldsplit, run, "csv", "--table", "windows")
    assert "share:env.step" in windows.splitlines()[0] or "share:env.observe" in windows.splitlines()[0]


def test_a_plan_is_written_into_a_file(goldsplit: Command, run: Any) -> None:
    done = goldsplit("plan", "--out", str(run.out), "-o", "plan.md", cwd=run.directory)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert "written: plan.md" in done.stderr
    text = (run.directory / "plan.md").read_text()
    for section in (
        "Baseline",
        "Where the time goes",
        "Hot spots",
        "Steps",
        "Not worth doing",
        "What remains",
    ):
        assert section in text
    assert run.report["run"]["id"] in text


def test_a_format_that_does_not_exist(goldsplit: Command, run: Any) -> None:
    done = goldsplit("export", "--format", "flamgraph", "--out", str(run.out), cwd=run.directory)
    assert (done.returncode, done.stdout) == (2, "")
    assert "did you mean flamegraph?" in done.stderr
    assert "Traceback" not in done.stderr
