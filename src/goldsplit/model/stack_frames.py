"""What the function and file of one stack frame show: waiting, library code, the training loop."""

from __future__ import annotations

from goldsplit.model.stage import ACT, ENV_STEP, LEARN, REPLAY, ROLLOUT, VEC
from goldsplit.model.usual_names import stage_of_function

#: Frames of spans are named by this and the stage; stack samples are put into stages by it.
FRAME_PREFIX = "goldsplit:"

#: Where Python code waits: (end of file name, last part of function name).
_WAITING_FRAMES = frozenset(
    {
        ("connection.py", "_recv"),
        ("connection.py", "_recv_bytes"),
        ("connection.py", "wait"),
        ("connection.py", "_poll"),
        ("connection.py", "poll"),
        ("selectors.py", "select"),
        ("threading.py", "wait"),
        ("threading.py", "_wait_for_tstate_lock"),
        ("threading.py", "join"),
        ("queue.py", "get"),
        ("popen_fork.py", "poll"),
        ("popen_fork.py", "wait"),
        ("popen_spawn_posix.py", "poll"),
        ("synchronize.py", "acquire"),
        ("synchronize.py", "wait"),
        ("synchronize.py", "__enter__"),
        ("subprocess.py", "_wait"),
        ("subprocess.py", "_try_wait"),
        ("thread.py", "_worker"),
        ("_base.py", "result"),
        ("forkserver.py", "main"),
        ("resource_tracker.py", "main"),
    }
)
#: The same in libraries whose file names are common words: (part of the path, function).
_WAITING_IN_LIBRARIES = frozenset(
    {
        ("ray/_private/worker.py", "get_objects"),
        ("ray/_private/worker.py", "wait"),
        ("ray/_private/worker.py", "main_loop"),
    }
)


def is_waiting_frame(function: str, file: str) -> bool:
    """Whether a stack that ends in this frame is waiting for another thread or process."""
    last = function.rpartition(".")[2]
    if (file.rpartition("/")[2], last) in _WAITING_FRAMES:
        return True
    return ("/".join(file.split("/")[-3:]), last) in _WAITING_IN_LIBRARIES


#: Games and trainers that come with goldsplit: for a recording they are a user's code, installed or not.
_SHIPPED_PLACES = ("/goldsplit/games/", "/goldsplit/train/")
_SHIPPED_MODULES = ("goldsplit.games", "goldsplit.train")


def is_shipped(file: str) -> bool:
    """Whether a source file is one of the games and trainers that goldsplit ships."""
    return _SHIPPED_PLACES[0] in file or _SHIPPED_PLACES[1] in file


def is_shipped_module(name: str) -> bool:
    """The same by a module's name."""
    return name.startswith(_SHIPPED_MODULES)


def is_shipped_game(name: str) -> bool:
    """Whether a module is one of the games. Trainers are left to stacks: their worlds step vector
    environments whose rows may only begin a new game, and only those environments know which."""
    return name.startswith(_SHIPPED_MODULES[0])


def is_library(file: str) -> bool:
    """Whether a source file is not the user's own: installed, or the standard library."""
    return not is_shipped(file) and (
        "/site-packages/" in file
        or "/dist-packages/" in file
        or "/lib/python3" in file
        or file.startswith("<")
        or is_recorder(file)
    )


def is_recorder(file: str) -> bool:
    """Whether a source file is part of what works inside a recorded program, from wherever it is imported."""
    return "/goldsplit/record/" in file or "/goldsplit/model/" in file


#: Stages that only a running training loop has; a reset may still be start-up.
_LOOP_STAGES = (ENV_STEP, ACT, REPLAY, LEARN, ROLLOUT, VEC)


def is_loop_frame(function: str, file: str) -> bool:
    """Whether a stack with this frame is inside the training loop, not in start-up."""
    stage = function.removeprefix(FRAME_PREFIX) if function.startswith(FRAME_PREFIX) else None
    if stage is None and not is_library(file):
        stage = stage_of_function(function)
    return stage is not None and stage.startswith(_LOOP_STAGES)


def is_importing(file: str) -> bool:
    """Whether a frame of this file is the import system's."""
    return file.startswith("<frozen importlib")
