"""Why a recording is empty."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest

from goldsplit.analyse.empty_recording import deaf_option, nothing_recorded
from goldsplit.analyse.profile import analyse
from goldsplit.model.recording import (
    Frame,
    ProcessRecord,
    ProcessSample,
    Recording,
    StackChunk,
    StackCount,
    SystemSample,
)

FRAME = Frame("<module>", "/home/me/train.py", 1)
#: Of a main thread in a file of the user's.
CHUNK = StackChunk(0, 9_000_000_000, 20, 180, 0, 0, 0.1, (StackCount(7, 7, "MainThread", (0,), 180),))


@pytest.mark.parametrize(
    ("command", "option"),
    [
        ("python -E train.py", "-E"),
        ("/usr/bin/python3.12 -u -Es train.py", "-Es"),
        ("env A=1 python -I -m train", "-I"),
        ("python -S -c pass", "-S"),
        ("python train.py -E", ""),
        ("python -m train -I", ""),
        ("python -c pass -S", ""),
        ("python -W error -u train.py", ""),
        ("true -E", ""),
    ],
)
def test_options_that_keep_the_recorder_out(command: str, option: str) -> None:
    assert deaf_option(command.split()) == option


def test_the_cause_is_named() -> None:
    assert "python -E does not load what starts goldsplit" in nothing_recorded(
        {"command": ["python", "-E", "x.py"]}
    )
    short = {"command": ["true"], "start_ns": 0, "end_ns": 30_000_000}
    assert "ended after 0.03 s" in nothing_recorded(short)
    assert "too short, or is not Python" in nothing_recorded({})
    crashed = short | {"status": "crashed"}
    for began in (False, True):
        assert "ended with an error" in nothing_recorded(crashed, began)
        assert "longer" not in nothing_recorded(crashed, began), "it would end with that error again"
    assert "python -E" in nothing_recorded(crashed | {"command": ["python", "-E", "x.py"]})


def test_the_python_that_a_script_starts_is_looked_at_too(recording: Callable[..., Recording]) -> None:
    tree = {7: ProcessSample(1.0, 1, argv=("python3", "-Es", "train.py")), 8: ProcessSample(1.0, 1)}
    run = recording(command=["./train.sh"], end_ns=9_000_000_000)
    run.system = [SystemSample(1, 0.0, 0, tree)]
    (note,) = [note for note in analyse(run).trust.notes if "nothing was recorded" in note]
    assert "python -Es does not load what starts goldsplit" in note
    stacks = dataclasses.replace(run, chunks=[CHUNK], frames=[FRAME])
    assert any("no process recorded itself: python -Es" in note for note in analyse(stacks).trust.notes)


def test_a_python_program_that_was_recorded_is_not_called_another_thing(
    recording: Callable[..., Recording],
) -> None:
    silent = ProcessRecord(pid=7, ppid=1, start_ns=1, end_ns=2_000_000_000)
    header = {"command": ["python", "-c", "pass"], "end_ns": 2_200_000_000}
    run = dataclasses.replace(recording(**header), processes=[silent])
    (note,) = [note for note in analyse(run).trust.notes if "nothing was recorded" in note]
    assert "not Python" not in note
    assert "entered no known stage in its 2.20 s" in note
    assert "only after 5 s" in note
    assert "no stacks were sampled" in nothing_recorded(header | {"end_ns": 9_000_000_000}, began=True)


@pytest.mark.parametrize(
    ("command", "header", "told"),
    [
        ("python -E train.py", {}, True),
        ("python -Is train.py", {}, True),
        ("python train.py", {}, False),
        ("python -E train.py", {"target_pid": 7}, False),
    ],
)
def test_stacks_alone_say_what_kept_the_recorder_out(
    recording: Callable[..., Recording], command: str, header: dict[str, int], told: bool
) -> None:
    run = recording(command=command.split(), end_ns=9_000_000_000, **header)
    notes = analyse(dataclasses.replace(run, chunks=[CHUNK], frames=[FRAME])).trust.notes
    assert any("no process recorded itself: python -" in note for note in notes) == told
    of_itself = dataclasses.replace(run, chunks=[CHUNK], frames=[FRAME], silent_processes=1)
    assert not any("no process recorded itself" in note for note in analyse(of_itself).trust.notes)
