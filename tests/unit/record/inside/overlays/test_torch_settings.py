"""threads and no-validation: what torch is told, and what the program may no longer tell it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from goldsplit.model.wire import Variable
from goldsplit.record.inside.overlays import no_validation, threads
from goldsplit.record.inside.overlays.changes import Changes

Changed = Callable[..., dict[str, float]]


@pytest.fixture
def pool() -> Any:
    """A module with torch's two functions."""
    module: Any = ModuleType("torch")
    module.number = 4
    module.get_num_threads = lambda: module.number

    def set_num_threads(int: int) -> None:
        module.number = int

    module.set_num_threads = set_num_threads
    return module


def test_torch_keeps_the_number(pool: Any, changed: Changed) -> None:
    threads._change(Changes("threads:1"), [1], pool)
    assert pool.number == 1
    pool.set_num_threads(3)
    pool.set_num_threads(1)
    assert pool.number == 1
    assert changed() == {
        "torch told to use 1 thread": 1,
        "torch.set_num_threads(3) of the program overridden": 1,
    }


@pytest.fixture
def system(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A process with number 7, and what is to be called in its forked children and after imports."""
    found: Any = SimpleNamespace(environ={Variable.FIRST_PROCESS: "7"}, getpid=lambda: 7, forked=[], hooks=[])
    found.register_at_fork = lambda after_in_child: found.forked.append(after_in_child)
    monkeypatch.setattr(threads, "when_imported", lambda name, hook: found.hooks.append(hook))
    monkeypatch.setattr(threads, "os", found)
    monkeypatch.setattr(threads, "_REAL", [])
    return found


def test_the_first_process_and_its_started_workers(system: Any, pool: Any, changed: Changed) -> None:
    threads.install(Changes("threads:2,workers=1"), "2,workers=1")
    assert system.environ == {Variable.FIRST_PROCESS: "7"}
    assert changed() == {}
    system.getpid = lambda: 8
    threads.install(Changes("threads:2,workers=1"), "2,workers=1")
    assert system.environ["OMP_NUM_THREADS"] == "1"
    system.hooks[1](pool)
    assert pool.number == 1
    assert changed() == {threads.WORKERS: 1, "torch told to use 1 thread": 1}


def test_forked_workers_get_their_number(
    system: Any, pool: Any, changed: Changed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", pool)
    threads.install(Changes("threads:2,workers=1"), "2,workers=1")
    system.hooks[0](pool)
    assert pool.number == 2
    system.forked[0]()
    assert (pool.number, system.environ["OMP_NUM_THREADS"]) == (1, "1")
    assert changed() == {
        "torch told to use 2 threads": 1,
        threads.WORKERS: 1,
        "torch told to use 1 thread": 1,
    }


@pytest.mark.parametrize("name", ["forkserver", "resource_tracker"])
def test_helpers_of_multiprocessing_are_no_workers(
    name: str, system: Any, changed: Changed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        sys, "orig_argv", ["python", "-c", f"from multiprocessing.{name} import main;main(3)"]
    )
    system.getpid = lambda: 8
    threads.install(Changes("threads:2,workers=1"), "2,workers=1")
    assert system.environ["OMP_NUM_THREADS"] == "1"
    assert changed() == {}


@pytest.fixture
def distributions() -> Iterator[Any]:
    torch = pytest.importorskip("torch")
    base = torch.distributions.Distribution
    before = (base.__init__, vars(base)["set_default_validate_args"], base._validate_args)
    yield torch.distributions
    base.__init__, base.set_default_validate_args, base._validate_args = before


def test_distributions_are_not_validated(distributions: Any, changed: Changed) -> None:
    import torch

    no_validation._change(Changes("no-validation"), distributions.distribution)
    wrong = torch.tensor([0.1, float("nan")])
    distributions.Categorical(logits=wrong)
    distributions.Categorical(logits=wrong, validate_args=True)
    distributions.Categorical(logits=wrong, validate_args=False)
    distributions.Distribution.set_default_validate_args(False)
    distributions.Normal(torch.zeros(1), torch.ones(1))
    assert changed() == {"distributions made without validation": 2}
