"""goldsplit try without processes: what is dropped when, what is kept, what Ctrl-C and deadlines leave."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from goldsplit.errors import CommandError
from goldsplit.experiment.remedies.schedule import Schedule
from goldsplit.experiment.remedies.try_task import Readers, Step, Task
from goldsplit.experiment.remedies.trying import Trying
from goldsplit.model.experiment.design import Plan, Variant
from goldsplit.model.experiment.tried import DROP, KEEP, UNDECIDED, Candidate, TryResult
from goldsplit.model.overlays.overlay import OverlayUse
from goldsplit.model.trajectory import FIELDS, Checkpoint, Trajectory
from goldsplit.store.experiment_files import read_result, read_trials

FAST, SLOW, SAME = "constant:game:sees", "threads:1", "no-validation"
FOUND = tuple(Candidate(text, "a-rule", "title", 1.5, "write this") for text in (FAST, SLOW, SAME))
SECONDS = {"base": 10.0, "1-constant-game-sees": 5.0, "2-threads-1": 8.0, "3-no-validation": 10.0}


def played(digest: str = "a") -> Trajectory:
    return Trajectory({"main/env-0": (Checkpoint(64, (digest,) * len(FIELDS)),)})


class Play:
    """What each trial's environments returned; what is not named plays as the base does."""

    def __init__(self, differing: dict[str, str] | None = None, idle: Sequence[str] = ()) -> None:
        self.differing = differing or {}
        self.idle = idle

    def trajectory(self, run_dir: Path) -> Trajectory:
        return played(self.differing.get(run_dir.name.split("-", 1)[1], "a"))

    def uses(self, run_dir: Path) -> list[OverlayUse]:
        number = int(run_dir.name.split("-")[1]) - 1
        text = FOUND[number].overlay
        return [OverlayUse(text, {} if text in self.idle else {"calls": 5})]


def try_out(
    folder: Path, world: Any, play: Play | None = None, changes: dict[str, Any] | None = None
) -> tuple[TryResult, list[Step]]:
    given = {"candidates": FOUND, "deadline": 1e9, "command": ("python", "train.py", "{seed}")} | (
        changes or {}
    )
    plan = Plan("try-train", given["command"], (Variant("base"),))
    schedule = Schedule(given["candidates"], given.get("left_out", ()), 8, 20.0)
    play = play or Play()
    said: list[Step] = []
    task = Task("run-1", plan, folder, schedule, given["deadline"])
    trying = Trying(task, said.append, world.tools(), Readers(play.trajectory, play.uses))
    return trying.go(), said


@pytest.fixture
def world(make: SimpleNamespace) -> Any:
    return make.world(dict(SECONDS))


def verdicts(result: TryResult) -> dict[str, str]:
    return {one.candidate.overlay: one.verdict for one in result.tried}


def test_what_pays_is_kept_and_timed_together(tmp_path: Path, world: Any) -> None:
    world.seconds["together"] = 4.0
    result, said = try_out(tmp_path, world)
    assert verdicts(result) == {FAST: KEEP, SLOW: KEEP, SAME: DROP}
    best = result.tried[0]
    assert best.candidate.overlay == FAST
    assert best.measured.gain == pytest.approx(2.0, rel=0.01)
    assert best.equal == "yes"
    assert "no gain of 1.03x in any of 4 pairs" in result.tried[-1].why
    assert result.together is not None
    assert result.together.overlays == (FAST, SLOW)
    assert result.together.measured.gain == pytest.approx(2.5, rel=0.01)
    assert (result.together.equal, result.together.verdict) == ("yes", KEEP)
    assert any(step.what == f"pair 1 of 8: {FAST}" for step in said)
    assert result.command == ("python", "train.py", "1")


def test_the_hopeless_leave_and_the_ledger_gets_the_rest(tmp_path: Path, world: Any) -> None:
    try_out(tmp_path, world)
    timed = [trial.variant for trial in read_trials(tmp_path)]
    assert timed.count("3-no-validation") == 4
    assert timed.count("base") == timed.count("2-threads-1") == 8
    written = read_result(tmp_path)
    assert written is not None
    assert {row["variant"]: row["predicted"] for row in written["judged"]}["2-threads-1"] == 1.5
    said = {row["variant"]: (row["decision"], row["why"]) for row in written["judged"]}
    assert said["3-no-validation"] == (DROP, "no gain of 1.03x in any of 4 pairs")


def test_one_that_fails_is_not_timed(tmp_path: Path, world: Any) -> None:
    def fails(variant: str, number: int) -> int:
        return 1 if variant == "1-constant-game-sees" else 0

    world.fails = fails
    result, _ = try_out(tmp_path, world)
    row = next(one for one in result.tried if one.candidate.overlay == FAST)
    assert (row.verdict, row.measured.pairs) == (DROP, 0)
    assert row.why == "the program fails with it: exit code 1: one line | TypeError: unhashable"
    assert not any("constant" in trial.variant for trial in read_trials(tmp_path))


def test_a_broken_promise_of_the_same_game_and_an_idle_remedy_are_dropped(tmp_path: Path, world: Any) -> None:
    play = Play({"1-constant-game-sees": "b", "2-threads-1": "c"}, idle=(SAME,))
    result, _ = try_out(tmp_path, world, play)
    rows = {one.candidate.overlay: one for one in result.tried}
    assert rows[FAST].verdict == DROP
    assert rows[FAST].why.startswith("the game is not the same any more: ")
    assert (rows[SLOW].equal, rows[SLOW].verdict) == ("no", KEEP)  # threads promise no equal sums
    assert rows[SAME].why == "it changed nothing in this program"
    assert result.together is not None
    assert result.together.why == "the only one kept"


def test_a_program_that_differs_from_itself_is_not_comparable(tmp_path: Path, world: Any) -> None:
    result, _ = try_out(tmp_path, world, Play({"base-again": "z"}))
    assert {one.equal for one in result.tried} == {"not comparable"}
    assert "two runs of the unchanged program differ" in result.tried[0].equal_why
    assert result.tried[0].verdict == KEEP


def test_an_unseeded_program_is_seeded_for_the_comparison_only(tmp_path: Path, world: Any) -> None:
    result, _ = try_out(tmp_path, world, changes={"command": ("python", "train.py")})
    hashed = [one.overlays for one in world.options if one.trajectory]
    timed = [one.overlays for one in world.options if not one.trajectory]
    assert all(overlays[0] == "seed:1" for overlays in hashed)
    assert not any("seed:1" in overlays for overlays in timed)
    assert "seeded from outside" in result.notes[0]


def test_ctrl_c_keeps_what_is_done(tmp_path: Path, world: Any) -> None:
    world.interrupt_at = 5 + 4 * 7 + 1  # equality, seven blocks, and in the eighth
    result, _ = try_out(tmp_path, world)
    assert result.interrupted
    assert result.tried[0].measured.pairs >= 7
    assert result.tried[0].measured.gain == pytest.approx(2.0, rel=0.01)
    assert read_result(tmp_path) is not None


def test_ctrl_c_before_any_timing_leaves_all_undecided(tmp_path: Path, world: Any) -> None:
    world.interrupt_at = 1
    result, _ = try_out(tmp_path, world)
    assert result.interrupted
    assert set(verdicts(result).values()) == {UNDECIDED}
    assert result.together is None


def test_the_deadline_ends_it_and_is_told(tmp_path: Path, world: Any) -> None:
    changes = {"deadline": 100.0 + 47.0 + 5 * 34.0, "candidates": FOUND[:1]}
    result, _ = try_out(tmp_path, world, changes=changes)
    assert 6 <= result.tried[0].measured.pairs < 16
    late = try_out(tmp_path / "late", world, changes={"deadline": world.time + 60.0})[0]
    assert any("the time was over after 1 of 8 pairs" in note for note in late.notes)
    assert set(verdicts(late).values()) == {UNDECIDED}


WAITING = {"candidates": (FOUND[2],), "left_out": (FOUND[0], FOUND[1])}
SECONDS_WAITING = {"base": 10.0, "1-no-validation": 10.0, "2-constant-game-sees": 5.0, "3-threads-1": 8.0}


def test_no_time_is_held_back_for_all_together_before_anything_can_be_kept(
    tmp_path: Path, world: Any
) -> None:
    changes = {"deadline": world.time + 33 + 8 * 24, "candidates": FOUND[:2]}
    result, _ = try_out(tmp_path, world, changes=changes)
    assert verdicts(result) == {FAST: KEEP, SLOW: KEEP}
    assert result.together is not None
    assert result.together.verdict == UNDECIDED
    assert world.time <= changes["deadline"]


def test_time_that_a_hopeless_one_leaves_goes_to_those_that_had_none(
    tmp_path: Path, make: SimpleNamespace
) -> None:
    world = make.world(dict(SECONDS_WAITING))
    # 9 trials for play, 16 for the one that fits; four of its pairs are left, and some time besides
    changes = WAITING | {"deadline": world.time + 30 + 4 * 20 + 5 + 8 * 15 + 10}
    play = Play()
    play.uses = lambda run_dir: []  # type: ignore[method-assign]
    result, _ = try_out(tmp_path, world, play, changes)
    assert verdicts(result) == {FAST: KEEP, SAME: DROP}
    assert result.left_out == (SLOW,)
    rows = {one.candidate.overlay: one.measured.pairs for one in result.tried}
    assert rows == {FAST: 8, SAME: 4}
    written = read_result(tmp_path)
    assert written is not None
    assert [row["variant"] for row in written["judged"]] == ["1-no-validation", "2-constant-game-sees"]
    assert world.time <= changes["deadline"]


def test_with_time_for_all_nobody_stays_out(tmp_path: Path, make: SimpleNamespace) -> None:
    play = Play()
    play.uses = lambda run_dir: []  # type: ignore[method-assign]
    result, _ = try_out(tmp_path, make.world(dict(SECONDS_WAITING)), play, WAITING)
    assert verdicts(result) == {FAST: KEEP, SLOW: KEEP, SAME: DROP}
    assert result.left_out == ()
    assert result.together is not None
    assert result.together.overlays == (FAST, SLOW)


def test_a_command_that_fails_is_named(tmp_path: Path, world: Any) -> None:
    world.fails = lambda variant, number: 1
    with pytest.raises(CommandError, match="the command fails: exit code 1: one line"):
        try_out(tmp_path, world)


def test_nothing_to_try(tmp_path: Path, world: Any) -> None:
    result, said = try_out(tmp_path, world, changes={"candidates": ()})
    assert (result.tried, result.together, said) == ((), None, [])
    assert result.to_json()["together"] == {}
