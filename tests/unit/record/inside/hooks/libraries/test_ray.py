"""Ray, as modules of its shape: waits with the actor's channel, and what a worker executes."""

from __future__ import annotations

import threading
from types import ModuleType
from typing import Any, NamedTuple

import pytest

from goldsplit.record.inside.engine import ENGINE, ThreadState
from goldsplit.record.inside.hooks.libraries import ray


class ActorId:
    def __init__(self, text: str) -> None:
        self.text = text

    def is_nil(self) -> bool:
        return not self.text

    def hex(self) -> str:
        return self.text


class Ref:
    def __init__(self, actor: str) -> None:
        self.actor = actor

    def task_id(self) -> Ref:
        return self

    def actor_id(self) -> ActorId:
        return ActorId(self.actor)


@pytest.mark.parametrize(
    ("refs", "expected"),
    [
        (Ref("00000000000a"), "pipe:10"),
        ([Ref("00000000000a"), Ref("00000000000a")], "pipe:10"),
        ([Ref("00000000000a"), Ref("00000000000b")], ""),
        (Ref(""), ""),
        ([], ""),
        (object(), ""),
    ],
)
def test_channels(refs: Any, expected: str) -> None:
    assert ray.channel_of(refs) == expected


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["python", "-u", "/lib/site-packages/ray/dashboard/agent.py", "--node"], True),
        (["python", "/lib/site-packages/ray/_private/workers/default_worker.py"], False),
        (["python", "train.py", "--log", "x", "/ray/dashboard/"], False),
        (["python"], False),
    ],
)
def test_services_of_ray_are_not_recorded(argv: list[str], expected: bool) -> None:
    assert ray.is_service(argv) is expected


@pytest.fixture
def worker_module() -> ModuleType:
    module = ModuleType("ray._private.worker")
    source = (
        "class Worker:\n def deserialize_objects(self, x):\n  return x\n"
        "def get(refs, *, timeout=None):\n return Worker().deserialize_objects(refs)\n"
        "def wait(refs, *, num_returns=1):\n return refs[:num_returns], refs[num_returns:]\n"
        "def put(value):\n return value\n"
    )
    exec(source, vars(module))
    ray._watch_results(module)
    return module


def test_waits_name_the_actor(state: ThreadState, worker_module: ModuleType) -> None:
    one, two = Ref("00000000000a"), Ref("00000000000b")
    assert worker_module.get(one) is one
    assert worker_module.wait([one, two]) == ([one], [two])
    assert worker_module.get([one, two]) == [one, two]
    waits = {key: node.count for key, node in state.root.children.items()}
    assert waits[("vec.wait", "pipe:10")] == 2
    assert "vec.recv" in state.root.children[("vec.wait", "pipe:10")].children


class Info(NamedTuple):
    function: Any
    function_name: str


def test_a_worker_waits_between_its_tasks(state: ThreadState, monkeypatch: pytest.MonkeyPatch) -> None:
    written = threading.Event()
    tasks = ray.Tasks(written.set)
    monkeypatch.setattr(ray, "TASKS", tasks)
    monkeypatch.setattr(ray.Tasks, "_introduce", staticmethod(lambda args: "pipe:10"))

    def collect(actor: Any, number: int) -> int:
        assert state.current is state.root
        return number + 1

    collect.method = collect  # type: ignore[attr-defined]
    execute = ray.executed(collect)
    assert execute.method is collect
    assert execute(None, 1) == 2
    assert (state.current.stage, state.current.detail) == ("vec.wait", "pipe:10")
    assert execute(None, 2) == 3
    assert state.root.children[("vec.wait", "pipe:10")].count == 1
    assert written.wait(5)
    tasks.begin()


def test_coroutines_and_odd_callables_stay(state: ThreadState) -> None:
    async def serve() -> None:
        return None

    assert ray.executed(serve) is serve
    assert ray.executed(len) is len


def test_another_version_is_noted(state: ThreadState) -> None:
    module = ModuleType("ray._private.function_manager")

    class FunctionActorManager:
        def get_execution_info(self, job: Any) -> Any:
            return "something else"

    module.FunctionActorManager = FunctionActorManager  # type: ignore[attr-defined]
    ray._watch_execution(module)
    assert FunctionActorManager().get_execution_info(1) == "something else"
    assert any("Ray" in str(event) for event in ENGINE.events)


def test_executed_functions_are_made_once(state: ThreadState) -> None:
    module = ModuleType("ray._private.function_manager")
    info = Info(lambda: 1, "f")

    class FunctionActorManager:
        def get_execution_info(self) -> Any:
            return info

    module.FunctionActorManager = FunctionActorManager  # type: ignore[attr-defined]
    ray._watch_execution(module)
    manager = FunctionActorManager()
    assert manager.get_execution_info().function is manager.get_execution_info().function
    assert manager.get_execution_info().function is not info.function
