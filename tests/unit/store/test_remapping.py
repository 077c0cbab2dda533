"""The same recording with another mapping: spans, samples and notes."""

from __future__ import annotations

from typing import Any

from goldsplit.model.named_code import NamedFunction
from goldsplit.model.recording import (
    Frame,
    NodeInfo,
    ProcessRecord,
    Recording,
    StackChunk,
    StackCount,
    StagedCode,
)
from goldsplit.model.wire import COUNTED, UNSTAGED
from goldsplit.store.named_file import mark_named_code
from goldsplit.store.remapping import remapped
from goldsplit.store.staged_code import mark_staged_code

GAME, TRAIN = "/home/me/core/game.py", "/home/me/train.py"
FRAMES = [
    Frame("main", TRAIN, 5),
    Frame("Game.step", GAME, 12),
    Frame("Game.foe", GAME, 25),
    Frame("Game.look", GAME, 33),
    Frame("pick", TRAIN, 42),
    Frame("guess", TRAIN, 52),
]
MAIN, STEP, FOE, LOOK, PICK, GUESS = range(len(FRAMES))
NAMED = [
    NamedFunction(GAME, "Game.step", 10, 20, "env.step", "its result", counted=True, ends_at=2),
    NamedFunction(GAME, "Game.look", 30, 40, "env.observe", "what is seen"),
    NamedFunction(TRAIN, "pick", 40, 45, "act", "gives an action"),
    NamedFunction(TRAIN, "guess", 50, 55, "act", "gives an action"),
]
CODES = [
    StagedCode(one.file, one.function.rpartition(".")[2], one.first, one.last, one.stage) for one in NAMED
]
NODES = ["env.step", "env.observe", "act"]


def recorded(*stacks: tuple[int, ...], **changes: Any) -> Recording:
    """A recording as it is after reading."""
    process = ProcessRecord(1, 0, 0, codes=list(changes.pop("codes", CODES)))
    process.nodes = {(0, 0): NodeInfo(0, -1, "", "")}
    process.nodes |= {(0, place): NodeInfo(0, 0, stage, "") for place, stage in enumerate(NODES, 2)}
    chunk = StackChunk(0, 1, 7, 1, 0, 0, 0.0, tuple(StackCount(1, 1, "x", stack, 3) for stack in stacks))
    run = {"command": ["python", "train.py"], **changes.pop("run", {})}
    recording = Recording(run, [process], list(FRAMES), [chunk], [], named=list(NAMED), **changes)
    recording.read_files = frozenset({GAME, TRAIN})
    mark_named_code(recording)
    mark_staged_code(recording)
    return recording


def stages_of_spans(recording: Recording) -> list[str]:
    return [node.stage for node in list(recording.processes[0].nodes.values())[1:]]


def shown(recording: Recording) -> list[list[tuple[str, str | None]]]:
    """Each stack: functions, and what the source is said to show of them."""
    return [
        [(recording.frames[i].function, recording.frames[i].named) for i in stack.frames]
        for stack in recording.chunks[0].stacks
    ]


def notes(recording: Recording) -> str:
    return " | ".join(recording.run["notes"])


def test_without_a_mapping_nothing_changes() -> None:
    recording = recorded((MAIN, STEP))
    assert remapped(recording, {}) is recording


def test_the_guessed_mapping_changes_nothing_but_says_so() -> None:
    recording = recorded((MAIN, STEP, LOOK), (MAIN, PICK))
    same = {"core.game:Game.step": "env.step", "core.game:Game.look": "env.observe"}
    same |= {"train:pick": "act", "train:guess": "act"}
    result = remapped(recording, same)
    assert (stages_of_spans(result), shown(result)) == (NODES, shown(recording))
    assert sorted(result.named, key=str) == sorted(recording.named, key=str)
    assert "changes nothing" in notes(result)


def test_a_stage_of_one_function_is_renamed_with_its_spans() -> None:
    recording = recorded((MAIN, STEP, LOOK))
    result = remapped(recording, {"core.game:Game.look": "game.sight"})
    assert stages_of_spans(result) == ["env.step", "game.sight", "act"]
    assert shown(result) == [
        [
            ("main", ""),
            ("goldsplit:env.step", None),
            ("Game.step", "env.step"),
            ("goldsplit:game.sight", None),
            ("Game.look", "game.sight"),
        ]
    ]
    assert {one.function: one.stage for one in result.named}["Game.look"] == "game.sight"
    assert "core.game:Game.look is game.sight" in notes(result)
    assert stages_of_spans(recording) == NODES, "the recording itself stays as it is"


def test_functions_that_share_a_stage_are_renamed_together() -> None:
    both = remapped(recorded((MAIN, PICK)), {"train:pick": "game.bot", "__main__:guess": "game.bot"})
    assert stages_of_spans(both) == ["env.step", "env.observe", "game.bot"]


def test_one_of_two_functions_of_a_stage_is_told_apart_by_samples_only() -> None:
    result = remapped(recorded((MAIN, PICK), (MAIN, GUESS)), {"train:guess": "game.bot"})
    assert stages_of_spans(result) == NODES
    assert shown(result) == [
        [("main", ""), ("goldsplit:act", None), ("pick", "act")],
        [("main", ""), ("goldsplit:act", None), (f"goldsplit:{COUNTED}", None), ("guess", "game.bot")],
    ]
    assert "spans of train:guess were recorded as act, as those of other functions" in notes(result)


def test_forward_passes_may_be_of_the_same_stage() -> None:
    hook = StagedCode("/x/site-packages/torch/nn/modules/module.py", "_call_impl", 1, 9, "forward")
    mapping = {"train:pick": "game.bot", "train:guess": "game.bot"}
    assert stages_of_spans(remapped(recorded(codes=[*CODES, hook]), mapping)) == NODES


def test_a_function_that_was_no_span_gets_its_stage_from_samples() -> None:
    result = remapped(recorded((MAIN, STEP, FOE)), {"core.game:Game.foe": "env.opponent"})
    assert stages_of_spans(result) == NODES
    assert shown(result)[0][-1] == ("Game.foe", "env.opponent")
    assert "samples tell" not in notes(result)


def test_a_stage_can_be_taken_away() -> None:
    result = remapped(recorded((MAIN, STEP, LOOK)), {"core.game:Game.look": UNSTAGED})
    assert stages_of_spans(result) == ["env.step", COUNTED, "act"]
    assert shown(result)[0][1:] == [
        ("goldsplit:env.step", None),
        ("Game.step", "env.step"),
        ("Game.look", ""),
    ]
    assert "Game.look" not in {one.function for one in result.named}


def test_a_stage_taken_away_from_one_of_two_functions_goes_to_the_stage_around_it() -> None:
    result = remapped(recorded((MAIN, STEP, GUESS), (MAIN, GUESS)), {"train:guess": UNSTAGED})
    assert shown(result)[0][-1] == ("guess", "env.step")
    assert shown(result)[1][-1] == ("guess", "")


def test_spans_with_a_frame_of_their_own() -> None:
    """The Python core writes no codes: only frames tell, so nothing is renamed."""
    recording = recorded((MAIN, PICK), codes=[])
    recording.frames.append(Frame("goldsplit:env.observe", "/x/goldsplit/record/framed.py", 3))
    mark = len(recording.frames) - 1
    chunk = recording.chunks[0]
    recording.chunks[0] = StackChunk(0, 1, 7, 1, 0, 0, 0.0, (StackCount(1, 1, "x", (MAIN, mark, LOOK), 3),))
    assert chunk.stacks
    result = remapped(recording, {"core.game:Game.look": "game.sight"})
    assert stages_of_spans(result) == NODES
    assert shown(result)[0][-1] == ("Game.look", "game.sight")


def test_targets_that_are_not_there_are_said_with_the_nearest_names() -> None:
    result = remapped(recorded((MAIN, STEP)), {"core.game:Game.stepp": "env.opponent", "zzz:q": "act"})
    said = notes(result)
    assert "this run has no function core.game:Game.stepp" in said
    assert "nearest: core.game:Game.step" in said
    assert "this run has no function zzz:q, so that line does nothing |" in said


def test_calls_cannot_be_counted_afterwards() -> None:
    counters = {"core.game:Game.foe": "count:foes"}
    assert "not counted" in notes(remapped(recorded((MAIN, FOE)), counters))
    known = recorded((MAIN, FOE), run={"stages": counters})
    assert "not counted" not in notes(remapped(known, counters))


def test_the_mapping_of_the_recording_counts_too() -> None:
    """Its function has another stage by the source: samples follow the mapping, and nothing is said of it."""
    codes = [StagedCode(TRAIN, "guess", 50, 55, "game.bot"), *CODES[:3]]
    given = {"train:guess": "game.bot", "zzz:q": "act"}
    recording = recorded((MAIN, GUESS), codes=codes, run={"stages": given})
    result = remapped(recording, {})
    assert shown(result)[0][-2:] == [("goldsplit:game.bot", None), ("guess", "game.bot")]
    assert result.run["notes"] == []
    again = remapped(recording, {**given, "train:guess": "eval"})
    assert shown(again)[0][-2:] == [("goldsplit:eval", None), ("guess", "eval")]
    assert "zzz" not in notes(again)


def test_what_the_recording_took_away_stays_away() -> None:
    recording = recorded((MAIN, GUESS), codes=CODES[:3], run={"stages": {"train:guess": UNSTAGED}})
    assert shown(remapped(recording, {}))[0][-1] == ("guess", "")


def test_a_search_is_no_forward_pass() -> None:
    hook = StagedCode("/x/site-packages/torch/nn/modules/module.py", "_call_impl", 1, 9, "forward")
    codes = [StagedCode(GAME, "foe", 22, 28, "act.search"), hook]
    recording = recorded((MAIN, FOE), codes=codes)
    result = remapped(recording, {"core.game:Game.foe": "game.tree"})
    assert shown(result)[0] == [("main", ""), ("goldsplit:game.tree", None), ("Game.foe", "game.tree")]
