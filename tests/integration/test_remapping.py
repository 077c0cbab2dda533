"""A name is corrected after the recording: the same run, explained with another mapping."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from typing import Any

import pytest

PROGRAM = """
import time

class Field:
    def fresh(self):
        self.t = 0
        return 0

    def advance(self, choice):
        time.sleep(0.003)
        self.t += 1
        return self.t, 1.0, self.t % 50 == 0

def think(view):
    time.sleep(0.001)
    return view % 3

def main():
    field = Field()
    for _ in range(6):
        view = field.fresh()
        over = False
        while not over:
            choice = think(view)
            view, reward, over = field.advance(choice)

main()
"""


@pytest.mark.slow
def test_a_recording_is_explained_again_with_a_corrected_mapping(
    record: Callable[..., Any], goldsplit: Callable[..., Any]
) -> None:
    run = record(PROGRAM)
    assert run.exit_code == 0, run.stderr
    assert {"env.step", "act"} <= run.stages()
    before = {row["stage"]: row for row in run.report["stages"]}

    def command(*arguments: str) -> Any:
        done = goldsplit(*arguments, cwd=run.directory)
        assert done.returncode == 0, done.stderr
        return done

    where = str(run.run_dir)
    listed = json.loads(command("stages", "--explain", where, "--json").stdout)
    assert {row["function"]: row["known_by"] for row in listed}["Field.advance"] == "exact"
    command("map", where)
    file = run.directory / "goldsplit.toml"
    assert tomllib.loads(file.read_text())["stages"]["program:think"] == "act"
    refused = goldsplit("map", where, cwd=run.directory)
    assert refused.returncode == 2
    assert "--force" in refused.stderr

    same = json.loads(command("show", where, "--config", "goldsplit.toml", "--json").stdout)
    assert {row["stage"]: row for row in same["stages"]} == before

    file.write_text(file.read_text().replace('"program:think" = "act"', '"program:think" = "env.opponent"'))
    after = json.loads(command("show", where, "--config", "goldsplit.toml", "--json").stdout)
    rows = {row["stage"]: row for row in after["stages"]}
    assert "act" not in rows
    assert rows["env.opponent"]["wall_seconds"] == before["act"]["wall_seconds"]
    assert rows["env.opponent"]["calls"] == before["act"]["calls"]
    assert any("program:think is env.opponent" in note for note in after["trust"]["notes"])
    for told in (("plan",), ("export", "--format", "csv"), ("whatif",), ("report", "-o", "-")):
        assert "env.opponent" in command(*told, "--config", "goldsplit.toml", where).stdout
