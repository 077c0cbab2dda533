"""Functions of a run by the names that a mapping has for them."""

from __future__ import annotations

import pytest

from goldsplit.model.named_code import NamedFunction
from goldsplit.model.recording import Frame, ProcessRecord, Recording, StagedCode
from goldsplit.store.run_functions import RunFunctions

FRAMES = [
    Frame("main", "/p/scripts/train.py", 9),
    Frame("Env.step", "/p/scripts/core/env.py", 20),
    Frame("Env.step", "/p/scripts/old/core/env.py", 20),
    Frame("helper", "/p/scripts/tools/__init__.py", 4),
    Frame("wait", "/usr/lib/python3.11/threading.py", 300),
    Frame("Model.fit", "/elsewhere/model.py", 3),
]


def functions(*command: str, codes: tuple[StagedCode, ...] = ()) -> RunFunctions:
    process = ProcessRecord(1, 0, 0, codes=list(codes))
    return RunFunctions(Recording({"command": list(command)}, [process], FRAMES, [], []))


@pytest.mark.parametrize(
    ("command", "target", "file"),
    [
        (("python", "scripts/train.py"), "train:main", "/p/scripts/train.py"),
        (("python", "/p/scripts/train.py"), "__main__:main", "/p/scripts/train.py"),
        (("python", "-m", "scripts.train"), "scripts.train:main", "/p/scripts/train.py"),
        (("python", "scripts/train.py"), "core.env:Env.step", "/p/scripts/core/env.py"),
        (("python", "scripts/train.py"), "old.core.env:Env.step", "/p/scripts/old/core/env.py"),
        (("python", "scripts/train.py"), "tools:helper", "/p/scripts/tools/__init__.py"),
        (("bash", "run.sh"), "model:Model.fit", "/elsewhere/model.py"),
    ],
)
def test_targets_and_files(command: tuple[str, ...], target: str, file: str) -> None:
    found = functions(*command)
    function = found.find(target)
    assert function is not None
    assert function.file == file
    if not target.startswith("__main__"):
        assert found.target(function) == target


def test_what_is_not_there() -> None:
    found = functions("python", "scripts/train.py")
    assert found.find("core.env:Env.stop") is None
    assert found.find("other:Env.step") is None
    assert functions("bash", "run.sh").find("__main__:main") is None
    assert "core.env:Env.step" in found.nearest("core.env:Env.stop")


def test_spans_belong_to_the_function_at_their_lines() -> None:
    file = "/p/scripts/core/env.py"
    taken_back = StagedCode(file, "step", 18, 25, "")
    found = functions("python", "x.py", codes=(StagedCode(file, "step", 18, 25, "env.step"),))
    assert found.by_key[file, "Env.step"].spans == {"env.step"}
    code = StagedCode(file, "step", 18, 25, "env.step")
    assert functions("python", "x.py", codes=(code, taken_back)).by_key[file, "Env.step"].spans == set()
    other = functions("python", "x.py", codes=(StagedCode(file, "step", 90, 99, "act"),))
    assert other.by_key[file, "Env.step"].spans == set()
    assert other.by_key[file, "step"].spans == {"act"}


def test_a_named_function_has_its_own_lines() -> None:
    named = NamedFunction("/p/a.py", "f", 3, 9, "act", "why")
    recording = Recording({}, [], [Frame("f", "/p/a.py", 5)], [], [], named=[named])
    function = RunFunctions(recording).by_key["/p/a.py", "f"]
    assert (function.first, function.last, function.named) == (3, 9, named)
