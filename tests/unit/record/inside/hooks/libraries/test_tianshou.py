"""Tianshou's vector environments and trainer, as a package of its shape."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from goldsplit.record.inside.after_import import _FINDER
from goldsplit.record.inside.engine import ThreadState
from goldsplit.record.inside.hooks.libraries import tianshou
from goldsplit.record.inside.span_wrapping import stage_of

VECTOR_ENVS = """
import numpy as np

class BaseVectorEnv:
    def reset(self):
        return 0

    def step(self, action):
        ends = np.array([True, False, False])
        return ends, ends, ends, ends & False, ends
"""
TRAINER = """
class Trainer:
    def _test_step(self):
        return "tested"
"""


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package with the modules and classes that are staged; the hooks wait for their import."""
    packages = (("__init__.py", ""), ("env/__init__.py", ""))  # without them an installed one would be found
    for name, text in (*packages, ("env/venvs.py", VECTOR_ENVS), ("trainer.py", TRAINER)):
        file = tmp_path / "tianshou" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)
    tianshou.install()
    yield
    for name in set(sys.modules) - before:
        if name.startswith("tianshou"):
            del sys.modules[name]
    _FINDER.waiting.clear()
    if _FINDER in sys.meta_path:
        sys.meta_path.remove(_FINDER)


def load(name: str) -> ModuleType:
    return importlib.import_module(f"tianshou.{name}")


@pytest.mark.usefixtures("library")
def test_steps_are_counted_by_the_driver(state: ThreadState) -> None:
    """Its workers are ended by a signal: what they counted last would be lost."""
    envs = load("env.venvs").BaseVectorEnv()
    envs.reset()
    envs.step(None)
    assert state.counts == {"vec_env_steps": 3, "vec_episodes": 1}
    assert [stage_of(getattr(type(envs), name)) for name in ("step", "reset")] == ["vec.copy", "env.reset"]


@pytest.mark.usefixtures("library")
def test_the_trainers_test_is_an_evaluation(state: ThreadState) -> None:
    trainer = load("trainer").Trainer()
    assert trainer._test_step() == "tested"
    assert [node.stage for node in state.root.children.values()] == ["eval"]
