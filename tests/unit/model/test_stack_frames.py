"""What one frame of a stack tells."""

from __future__ import annotations

from goldsplit.model.stack_frames import (
    is_importing,
    is_library,
    is_loop_frame,
    is_shipped_module,
    is_waiting_frame,
)


def test_waiting_is_known_by_file_and_function() -> None:
    assert is_waiting_frame("Condition.wait", "/usr/lib/python3.11/threading.py")
    assert is_waiting_frame("_recv", "/usr/lib/python3.11/multiprocessing/connection.py")
    assert not is_waiting_frame("wait", "/home/u/game/turns.py")
    assert is_waiting_frame("Worker.main_loop", "/venv/site-packages/ray/_private/worker.py")
    assert not is_waiting_frame("main_loop", "/home/u/game/worker.py")
    assert not is_waiting_frame("run", "/usr/lib/python3.11/threading.py")


def test_only_files_that_are_not_installed_are_the_users() -> None:
    assert not is_library("/home/u/game/env.py")
    assert is_library("/home/u/.venv/lib/python3.11/site-packages/torch/nn/functional.py")
    assert is_library("/usr/lib/python3.11/threading.py")
    assert is_library("<frozen importlib._bootstrap>")
    assert is_importing("<frozen importlib._bootstrap>")
    assert not is_importing("<string>")


def test_games_and_trainers_that_come_with_goldsplit_are_recorded_as_a_users_code() -> None:
    installed = "/home/u/.venv/lib/python3.11/site-packages/goldsplit/"
    assert not is_library(installed + "games/skirmish/plain.py")
    assert not is_library(installed + "train/dqn.py")
    assert is_library(installed + "fast/returns.py")
    assert is_library(installed + "record/inside/start.py")
    assert is_shipped_module("goldsplit.games.snake.plain")
    assert not is_shipped_module("goldsplit.fast.returns")


def test_the_loop_is_known_by_spans_and_by_usual_names_in_user_code() -> None:
    assert is_loop_frame("goldsplit:env.step", "")
    assert is_loop_frame("Game.step", "/home/u/game/env.py")
    assert not is_loop_frame("Game.step", "/usr/lib/python3.11/site-packages/game/env.py")
    assert not is_loop_frame("goldsplit:env.reset", "")
    assert not is_loop_frame("main", "/home/u/train.py")
