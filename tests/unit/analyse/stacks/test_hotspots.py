"""Hot spots: the user's own functions, by stage, on enough samples."""

from __future__ import annotations

import dataclasses

from goldsplit.analyse.stacks.frame_stages import Classified
from goldsplit.analyse.stacks.hotspots import hotspots
from goldsplit.analyse.stacks.samples import Sampled
from goldsplit.analyse.wall.account import Weight
from goldsplit.model.recording import Frame, NativeThread, ProcessId

LIB = "/venv/lib/python3.11/site-packages/yaml"
MAIN, BURN = Frame("main", "/home/me/train.py", 90), Frame("burn", "/home/me/game.py", 4)
READ = Frame("SpecReader.__init__", "/home/me/game.py", 30)
LOAD, SCAN = Frame("load", f"{LIB}/__init__.py", 3), Frame("Scanner.scan", f"{LIB}/scanner.py", 60)
FETCH = Frame("Scanner.fetch", f"{LIB}/scanner.py", 70)
FRAMES = [MAIN, BURN, READ, LOAD, SCAN, FETCH]


def weight(stage: str | None, count: int, *frames: int) -> Weight:
    row = Sampled(NativeThread(ProcessId(1), 1), frames, count, Classified(stage, False, False))
    return Weight(row, stage, 1.0, count)


def test_library_code_is_the_users_who_called_it() -> None:
    (spot,) = hotspots(
        [(weight("env.reset", 9, 0, 2, 3, 4), 0.06), (weight("env.reset", 9, 0, 2, 3, 5), 0.05)], FRAMES
    )
    assert (spot.function, spot.line, spot.samples, spot.kind) == ("SpecReader.__init__", 30, 18, "library")
    assert round(spot.self_share, 3) == 0.11
    assert (spot.library, spot.library_file) == ("load", LOAD.file)


def test_a_function_of_two_stages_has_two_rows() -> None:
    spots = hotspots([(weight("env.step", 9, 0, 1), 0.4), (weight("act", 9, 0, 1), 0.3)], FRAMES)
    assert [(spot.function, spot.stage, spot.self_share) for spot in spots] == [
        ("burn", "env.step", 0.4),
        ("burn", "act", 0.3),
    ]


def test_nothing_is_named_on_seven_samples() -> None:
    assert hotspots([(weight("env.step", 7, 0, 1), 0.9)], FRAMES) == []


def test_an_instruction_without_a_line_does_not_place_a_function_at_line_0() -> None:
    frames = [MAIN, dataclasses.replace(BURN, line=0), BURN]
    (spot,) = hotspots([(weight("act", 90, 0, 1), 0.4), (weight("act", 9, 0, 2), 0.3)], frames)
    assert spot.line == BURN.line
