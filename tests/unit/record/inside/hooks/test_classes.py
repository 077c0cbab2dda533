"""Which classes get spans without a mapping, which are left alone."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from goldsplit.model.named_code import NamedFunction
from goldsplit.model.stage import ENV_STEP, LOG, ROLLOUT
from goldsplit.record.inside.core import IS_COMPILED
from goldsplit.record.inside.engine import ThreadState
from goldsplit.record.inside.hooks import classes
from goldsplit.record.inside.hooks.classes import consider, is_own_environment, is_users_module
from goldsplit.record.inside.span_wrapping import is_staged, stage_of


@pytest.fixture
def make(monkeypatch: pytest.MonkeyPatch, state: ThreadState) -> Callable[[str], Any]:
    """make(source): the classes of a user's module, each considered as it was made."""
    module = ModuleType("users_game")
    module.__file__ = "/home/u/game/users_game.py"
    monkeypatch.setitem(sys.modules, "users_game", module)
    monkeypatch.setattr(classes, "_module_is_users", {})

    def build(source: str) -> ModuleType:
        exec(source, vars(module))
        for value in list(vars(module).values()):
            if isinstance(value, type) and value.__module__ == "users_game":
                consider(value)
        return module

    return build


def stage(cls: Any, name: str) -> str | None:
    """The stage that calls of a class's own method are."""
    return stage_of(vars(cls).get(name))


@pytest.mark.parametrize(("stage_found", "is_span"), [(ROLLOUT, False), (ENV_STEP, True), (LOG, True)])
def test_a_step_that_plays_by_itself_is_no_span(
    make: Any, monkeypatch: pytest.MonkeyPatch, stage_found: str, is_span: bool
) -> None:
    """The source has told that it has a loop around another step."""
    found = NamedFunction("/home/u/game/users_game.py", "Runner.step", 3, 3, stage_found, "", False, None)
    monkeypatch.setattr(classes, "named", lambda step: found)
    runner = make(
        "class Runner:\n def reset(self): return 0\n def step(self, turns): return 0, 1.0, True, {}\n"
    ).Runner
    assert is_staged(vars(runner)["step"]) is is_span
    assert is_staged(vars(runner)["reset"])


def test_a_users_class_with_reset_and_step_is_an_environment(make: Any, state: ThreadState) -> None:
    game = make(
        "class Game:\n"
        " def reset(self): return 0\n"
        " def step(self, action): return self._get_obs(), 1.0, True, False, {}\n"
        " def _get_obs(self): return 0\n"
        " def action_masks(self): return 1\n"
        " def enemy_turn(self): return 1\n"
        " def name(self): return 'x'\n"
    ).Game
    assert [
        stage(game, name) for name in ("step", "reset", "_get_obs", "action_masks", "enemy_turn", "name")
    ] == [
        "env.step",
        "env.reset",
        "env.observe",
        "env.mask",
        "env.opponent",
        None,
    ]
    game().step(0)
    assert state.counts == {"own_env_steps": 1, "own_episodes": 1}


def test_wrappers_and_subclasses_count_once(make: Any, state: ThreadState) -> None:
    module = make(
        "class Game:\n"
        " def reset(self): return 0\n"
        " def step(self, action): return 0, 1.0, False, False, {}\n"
        "class Harder(Game):\n"
        " def step(self, action): return super().step(action)\n"
        "class Wrapper:\n"
        " def __init__(self, env): self.env = env\n"
        " def reset(self): return self.env.reset()\n"
        " def step(self, action):\n"
        "  for _ in range(4): result = self.env.step(action)\n"
        "  return result\n"
    )
    module.Wrapper(module.Wrapper(module.Harder())).step(0)
    assert state.counts["own_env_steps"] == 1, "the outermost step is the agent's"


def test_a_gymnasium_environment_and_its_wrapper(state: ThreadState) -> None:
    gym = pytest.importorskip("gymnasium")

    class Corridor(gym.Env):
        def reset(self, **options: Any) -> Any:
            return 0, {}

        def step(self, action: Any) -> Any:
            return 0, 1.0, True, False, {}

        def _get_obs(self) -> int:
            return 0

    class Doubled(gym.Wrapper):
        def step(self, action: Any) -> Any:
            return self.env.step(action)

    class Vector(gym.vector.VectorEnv):
        def step(self, actions: Any) -> Any:
            return 0, [1.0, 1.0], [True, False], [False, False], {}

        def reset(self, **options: Any) -> Any:
            return 0, {}

    for cls in (Corridor, Doubled, Vector):
        consider(cls)
    assert stage(Corridor, "step") == stage(Doubled, "step") == "env.step"
    assert stage(Vector, "step") == "vec.copy"
    Doubled(Corridor()).step(0)
    Vector().step(0)
    assert state.counts == {"own_env_steps": 1, "own_episodes": 1, "vec_env_steps": 2, "vec_episodes": 1}


def test_replay_memories(make: Any) -> None:
    module = make(
        "class PrioritizedReplay:\n"
        " def add(self, x): pass\n"
        " def sample(self, n): pass\n"
        " def update_priorities(self, i, p): pass\n"
        " def __len__(self): return 0\n"
        "class Storage:\n"
        " def push(self, x): pass\n"
        " def sample(self, n): pass\n"
        "class Shop:\n"
        " def add(self, x): pass\n"
        " def append(self, x): pass\n"
    )
    replay = module.PrioritizedReplay
    assert [stage(replay, n) for n in ("add", "sample", "update_priorities", "__len__")] == [
        "replay.add",
        "replay.sample",
        "replay.update",
        None,
    ]
    assert (stage(module.Storage, "push"), stage(module.Storage, "sample")) == ("replay.add", "replay.sample")
    assert (stage(module.Shop, "add"), stage(module.Shop, "append")) == (None, None)


def test_agents(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "torch", raising=False)  # with it, the calls around an action tell
    agent = make(
        "class Player:\n"
        " def select_action(self, obs): return 0\n"
        " def train_step(self): pass\n"
        " def compute_gae(self): pass\n"
        " def step(self): pass\n"
    ).Player
    assert (stage(agent, "select_action"), stage(agent, "train_step")) == ("act", "learn.loss")
    assert stage(agent, "compute_gae") == "learn.returns"
    assert stage(agent, "step") is None, "a step that takes nothing is not an environment's"


@pytest.mark.parametrize(
    "source",
    [
        "class Scheduler:\n def reset(self): pass\n def step(self, epoch): self.epoch = epoch\n",
        "class Policy:\n def reset(self): pass\n def step(self, obs): return 3\n",
        "class RnnAgent:\n def reset(self): pass\n def step(self, obs): return [0.1, 0.2]\n",
    ],
)
def test_a_step_that_returns_no_reward_is_left_alone(make: Any, state: ThreadState, source: str) -> None:
    """Schedulers return nothing, agents an action: as environments they would make every rate wrong."""
    module = make(source)
    cls = next(v for v in vars(module).values() if isinstance(v, type) and v.__module__ == "users_game")
    one = cls()
    for _ in range(3):
        one.step(1)
    assert "own_env_steps" not in state.counts


def test_a_game_whose_step_returns_nothing_is_still_a_game(make: Any, state: ThreadState) -> None:
    game = make(
        "class GameEngine:\n def reset(self): pass\n def step(self, action): self.a = action\n"
    ).GameEngine
    for _ in range(3):
        game().step(1)
    assert state.counts["own_env_steps"] == 3


def test_library_classes_are_left_alone(state: ThreadState) -> None:
    class Grid:
        def reset(self) -> None: ...

        def step(self, action: int) -> None: ...

    Grid.__module__ = "json.decoder"
    consider(Grid)
    assert stage(Grid, "step") is None
    assert not is_users_module("json")
    assert not is_users_module("numpy")
    assert not is_users_module("goldsplit.record.inside.engine")
    assert is_users_module("__main__") or sys.modules["__main__"].__file__ is not None


def test_what_looks_like_an_environment() -> None:
    class Takes:
        def reset(self) -> None: ...

        def step(self, action: int) -> None: ...

    class TakesAnything:
        def reset(self) -> None: ...

        def step(self, *args: int) -> None: ...

    class TakesNothing:
        def reset(self) -> None: ...

        def step(self) -> None: ...

    class HasNoReset:
        def step(self, action: int) -> None: ...

    found = [is_own_environment(cls) for cls in (Takes, TakesAnything, TakesNothing, HasNoReset)]
    assert found == [True, True, False, False]


def test_a_users_decorator_around_step_stays(make: Any, state: ThreadState) -> None:
    module = make(
        "import functools\n"
        "calls = []\n"
        "def counted(fn):\n"
        " @functools.wraps(fn)\n"
        " def inner(*args): calls.append(1); return fn(*args)\n"
        " return inner\n"
        "class Planner:\n"
        " def reset(self): pass\n"
        " @counted\n"
        " def step(self, goal): pass\n"
    )
    planner = module.Planner()
    for _ in range(4):
        planner.step(1)
    assert len(module.calls) == 4
    assert not is_staged(vars(module.Planner)["step"]), "it returned nothing: not an environment after all"
    rows = [row for event in state.engine.events if event["k"] == "codes" for row in event["codes"]]
    said = [stage for name, *_, stage in rows if name == "step"]
    assert said[-1:] == ([""] if IS_COMPILED else []), "stack samples are told, too"


def test_an_abstract_environment_stays_abstract(
    make: Any, monkeypatch: pytest.MonkeyPatch, state: ThreadState
) -> None:
    """Its step is staged while the class is being made, before the abstract methods are collected."""
    monkeypatch.setattr(builtins, "__build_class__", builtins.__build_class__)  # put back at the end
    classes.install()
    module = make(
        "from abc import ABC, abstractmethod\n"
        "class Game(ABC):\n"
        " def reset(self): return 0\n"
        " @abstractmethod\n"
        " def step(self, action): ...\n"
        "class Chess(Game):\n"
        " def step(self, action): return 0, 1.0, True, False, {}\n"
    )
    with pytest.raises(TypeError, match="abstract"):
        module.Game()
    module.Chess().step(0)
    assert state.counts == {"own_env_steps": 1, "own_episodes": 1}


def test_a_class_that_computes_its_module_is_left_alone(make: Any) -> None:
    """zope.interface has one; reading the module of such a class gives a property."""
    computed = property(lambda self: "somewhere")
    game = type("Game", (), {"__module__": computed, "reset": lambda self: 0, "step": lambda self, a: (0, 1)})
    consider(game)
    assert stage(game, "step") is None
