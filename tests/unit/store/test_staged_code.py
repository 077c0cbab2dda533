"""Stacks get the frames that compiled spans do not have."""

from __future__ import annotations

from goldsplit.model.recording import (
    Frame,
    ProcessRecord,
    Recording,
    StackChunk,
    StackCount,
    StagedCode,
)
from goldsplit.store.staged_code import mark_staged_code

GAME = "/home/me/game.py"
FRAMES = [
    Frame("<module>", GAME, 90),
    Frame("Game.step", GAME, 12),
    Frame("Game.step", GAME, 55),  # of another class in the same file
    Frame("Game.step", "/home/me/other.py", 12),
    Frame("Game.odds", GAME, 14),
    Frame("goldsplit:act", "/x/goldsplit/record/framed.py", 40),
    Frame("Agent.act", GAME, 70),
]
MODULE, STEP, NOT_STEP, ELSEWHERE, ODDS, WRAPPER, ACT = range(len(FRAMES))


def marked(*stack: int, codes: list[StagedCode] | None = None) -> list[str]:
    """The functions of a stack, as they are after reading."""
    process = ProcessRecord(1, 0, 0)
    step = StagedCode(GAME, "step", 10, 20, "env.step")
    process.codes += [step, StagedCode(GAME, "act", 70, 80, "act")] if codes is None else codes
    chunk = StackChunk(0, 1, 7, 1, 0, 0, 0.0, (StackCount(1, 1, "MainThread", stack, 3),))
    recording = Recording(run={}, processes=[process], frames=list(FRAMES), chunks=[chunk], system=[])
    mark_staged_code(recording)
    (found,) = recording.chunks[0].stacks
    assert (found.count, recording.frames[: len(FRAMES)]) == (3, FRAMES)
    return [recording.frames[place].function for place in found.frames]


def test_a_staged_function_is_preceded_by_its_stage() -> None:
    assert marked(MODULE, STEP, ODDS) == ["<module>", "goldsplit:env.step", "Game.step", "Game.odds"]


def test_the_lines_and_the_file_tell_functions_of_one_name_apart() -> None:
    assert marked(MODULE, NOT_STEP) == ["<module>", "Game.step"]
    assert marked(MODULE, ELSEWHERE) == ["<module>", "Game.step"]


def test_a_call_directly_inside_the_same_stage_is_no_span() -> None:
    found = marked(MODULE, STEP, ODDS, STEP, ACT, STEP)
    assert [name for name in found if name.startswith("goldsplit:")] == [
        "goldsplit:env.step",
        "goldsplit:act",
        "goldsplit:env.step",
    ]


def test_a_span_that_has_a_frame_gets_no_second_one() -> None:
    assert marked(MODULE, WRAPPER, ACT) == ["<module>", "goldsplit:act", "Agent.act"]


def test_a_recording_without_compiled_spans_stays_as_it_is() -> None:
    assert marked(MODULE, STEP, codes=[]) == ["<module>", "Game.step"]


def test_the_last_word_counts() -> None:
    before, after = (StagedCode(GAME, "step", 10, 20, stage) for stage in ("env.step", "act"))
    assert marked(STEP, codes=[before, after]) == ["goldsplit:act", "Game.step"]
    assert marked(STEP, codes=[before, StagedCode(GAME, "step", 10, 20, "")]) == ["Game.step"]
