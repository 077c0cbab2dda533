"""What each function of a run was taken for, with its part of the samples."""

from __future__ import annotations

from goldsplit.analyse.user_functions import package_of, user_functions
from goldsplit.model.named_code import FunctionRow, NamedFunction
from goldsplit.model.recording import (
    Frame,
    ProcessRecord,
    Recording,
    Snapshot,
    StackChunk,
    StackCount,
    StagedCode,
)
from goldsplit.model.stage import is_stage_name, stage_named_after
from goldsplit.store.named_file import mark_named_code
from goldsplit.store.remapping import remapped
from goldsplit.store.staged_code import mark_staged_code

GAME, TRAIN, TORCH = "/p/game.py", "/p/train.py", "/x/site-packages/torch/optim/adam.py"
FRAMES = [
    Frame("main", TRAIN, 5),
    Frame("Game.play", GAME, 12),
    Frame("rays", GAME, 50),
    Frame("tidyUp", TRAIN, 60),
    Frame("main.<locals>.<listcomp>", TRAIN, 7),
    Frame("Adam.step", TORCH, 214),
    Frame("cold", TRAIN, 80),
]
MAIN, PLAY, RAYS, TIDY, INNER, ADAM, COLD = range(len(FRAMES))
NAMED = [
    NamedFunction(GAME, "Game.play", 10, 20, "env.step", "its result has a reward"),
    NamedFunction(TRAIN, "never", 90, 95, "eval", "now and then"),
]
CODES = [StagedCode(GAME, "play", 10, 20, "env.step"), StagedCode(TORCH, "step", 210, 220, "learn.optimizer")]
STACKS = {
    (MAIN, PLAY, RAYS): 30,
    (MAIN, PLAY): 10,
    (MAIN, TIDY): 30,
    (MAIN, TIDY, COLD): 2,
    (MAIN, INNER, PLAY): 8,
    (MAIN, ADAM): 20,
}


def rows(**changes: object) -> dict[str, FunctionRow]:
    process = ProcessRecord(1, 0, 0, codes=list(CODES), snapshots=[Snapshot(1, {}, {}, {})])
    stacks = tuple(StackCount(1, 1, "MainThread", frames, count) for frames, count in STACKS.items())
    chunk = StackChunk(0, 1, 7, 100, 0, 0, 0.0, stacks)
    run = {"command": ["python", "train.py"], **changes}
    recording = Recording(run, [process], list(FRAMES), [chunk], [], named=list(NAMED))
    recording.read_files = frozenset({GAME, TRAIN})
    mark_named_code(recording)
    mark_staged_code(recording)
    return {row.function: row for row in user_functions(recording)}


def test_the_hottest_comes_first_and_loops_are_no_stage() -> None:
    found = rows()
    assert next(iter(found)) == "main"
    assert (found["main"].stage, found["main"].inside, found["main"].suggested) == (None, None, None)
    assert found["main"].reason == "the stages are inside it"


def test_a_named_function_has_its_reason_and_its_share() -> None:
    play = rows()["Game.play"]
    assert (play.stage, play.reason, play.known_by) == ("env.step", "its result has a reward", "exact")
    assert (play.share, play.samples, play.target) == (0.48, 48, "game:Game.play")
    never = rows()["never"]
    assert (never.stage, never.known_by, never.share, never.samples) == ("eval", "not seen", 0.0, 0)


def test_what_a_stage_calls_belongs_to_it() -> None:
    rays = rows()["rays"]
    assert (rays.stage, rays.inside, rays.known_by) == (None, "env.step", "sampled")
    assert (rays.suggested, rays.target) == ("game.rays", "game:rays")


def test_what_has_no_stage_has_a_line_to_paste() -> None:
    tidy = rows()["tidyUp"]
    assert (tidy.stage, tidy.inside, tidy.suggested) == (None, None, "game.tidy_up")
    assert tidy.target == "train:tidyUp"


def test_library_functions_are_there_where_a_hook_made_them_spans() -> None:
    adam = rows()["Adam.step"]
    assert (adam.stage, adam.reason, adam.target) == ("learn.optimizer", "hook: torch", None)


def test_cold_functions_and_comprehensions_are_left_out() -> None:
    assert {"cold", "main.<locals>.<listcomp>"}.isdisjoint(rows())


def test_a_mapping_of_the_recording_is_the_reason() -> None:
    guessed = NamedFunction(GAME, "Game.play", 10, 20, "act", "a wrong guess")
    process = ProcessRecord(1, 0, 0, codes=list(CODES), snapshots=[Snapshot(1, {}, {}, {})])
    run = {"command": ["python", "train.py"], "stages": {"game:Game.play": "env.step"}}
    recording = remapped(Recording(run, [process], list(FRAMES), [], [], named=[guessed]), {})
    (play,) = [row for row in user_functions(recording) if row.function == "Game.play"]
    assert (play.stage, play.reason, play.share) == ("env.step", "your mapping", None)
    assert "notes" not in recording.run or recording.run["notes"] == []


def test_names_of_packages_and_stages() -> None:
    assert package_of("/v/lib/python3.11/site-packages/gymnasium/core.py") == "gymnasium"
    assert package_of("/usr/lib/python3.11/threading.py") == "threading"
    assert package_of("/usr/lib/python3/dist-packages/numpy/x.py") == "numpy"
    for name in ("Game.doRound", "_x", "__call__", "été", "9lives", "a.B"):
        assert is_stage_name(stage_named_after(name))
    assert stage_named_after("Game.doRound") == "game.do_round"
