"""What samples of stacks tell about hot functions, and the file that says so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from goldsplit.model.wire import File
from goldsplit.record.outside.hot_functions import LEAST_SAMPLES, HotFunctions
from goldsplit.record.outside.stack_folding import ChunkResult

FRAMES: list[dict[str, Any]] = [
    {"name": "<module>", "file": "/game/train.py", "line": 9},
    {"name": "Game.step", "file": "/game/env.py", "line": 20},
    {"name": "Game.sight", "file": "/game/env.py", "line": 30},
    {"name": "dot", "file": "/lib/python3.11/site-packages/numpy/core.py", "line": 3},
    {"name": "wait", "file": "/usr/lib/python3.11/threading.py", "line": 300},
    {"name": "main", "file": "/game/train.py", "line": 5},
]


def chunk(samples: list[list[int]], pid: int = 7) -> ChunkResult:
    profile = {"name": f'Thread {pid} "MainThread"', "samples": samples}
    speedscope = {"shared": {"frames": FRAMES}, "profiles": [profile]}
    return ChunkResult(speedscope, len(samples), 0, 0, 0.1, pid, 50)


def test_shares_are_inclusive_and_only_of_the_users_functions(tmp_path: Path) -> None:
    hot = HotFunctions(tmp_path)
    hot.add(chunk([[0, 5, 1, 2, 3]] * 6 + [[0, 5, 1]] * 4 + [[0, 5, 4]] * 50), "main")
    assert [row[:2] for row in hot.hottest()] == [
        ["/game/train.py", "main"],
        ["/game/env.py", "Game.step"],
        ["/game/env.py", "Game.sight"],
    ]
    assert hot.samples["main"] == 10  # waiting says nothing about functions


def test_recursion_counts_once_a_sample(tmp_path: Path) -> None:
    hot = HotFunctions(tmp_path)
    hot.add(chunk([[1, 2, 2, 2]] * 10), "main")
    assert hot.inclusive["main"]["/game/env.py", "Game.sight"] == 10


def test_each_kind_of_process_has_its_first_functions_in_the_list(tmp_path: Path) -> None:
    hot = HotFunctions(tmp_path)
    hot.add(chunk([[5]] * 1000), "driver")
    hot.add(chunk([[1, 2]] * 10, 8), "worker")
    assert [row[1] for row in hot.hottest()][:2] == ["main", "Game.step"]


def test_few_samples_say_nothing(tmp_path: Path) -> None:
    hot = HotFunctions(tmp_path)
    hot.add(chunk([[1, 2]] * (LEAST_SAMPLES - 1)), "main")
    hot.write()
    assert not (tmp_path / File.HOT).exists()


def test_the_file_is_replaced_when_the_list_changes(tmp_path: Path) -> None:
    hot = HotFunctions(tmp_path)
    hot.add(chunk([[1]] * 10), "main")
    hot.write()
    first = (tmp_path / File.HOT).stat().st_ino
    hot.write()
    assert (tmp_path / File.HOT).stat().st_ino == first
    hot.add(chunk([[1, 2]] * 10), "main")
    hot.write()
    assert json.loads((tmp_path / File.HOT).read_text()) == {
        "functions": [["/game/env.py", "Game.step", 20], ["/game/env.py", "Game.sight", 30]]
    }
    assert [file.name for file in tmp_path.iterdir()] == [File.HOT]
