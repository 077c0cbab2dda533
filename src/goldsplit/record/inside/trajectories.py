"""Hash what the environments of a training return, step by step, to compare the run with another.

Only the outermost environment of nested ones is seen: what the training gets. Each has one running hash for
each field; their digests are written at some steps, so that the first step that differs can be told.
"""

from __future__ import annotations

import os
import sys
import threading
import weakref
from hashlib import blake2b
from typing import Any, NamedTuple

from goldsplit.model.stage import ENV_RESET, ENV_STEP, VEC_COPY
from goldsplit.model.trajectory import (
    ACTION,
    ENDED,
    FIELDS,
    OBSERVATION,
    RESET,
    REWARD,
    TrajectoryKey,
    is_checkpoint,
)
from goldsplit.model.wire import File, Variable
from goldsplit.record.encoding import VERSION, NotPlain, encoded, encoded_bools, encoded_numbers
from goldsplit.record.inside.alterations import alter_stages
from goldsplit.record.inside.engine import clock
from goldsplit.record.inside.own_failures import count_failure, safely
from goldsplit.record.writer import LineWriter

#: Environments of one process that are followed; programs that make one for each episode have many.
MOST_ENVIRONMENTS = 2000
_STEPS = (ENV_STEP, VEC_COPY)
#: The half of a vector step that gets no actions.
_WITHOUT_ACTION = "step_wait"
_inside = threading.local()


class Followed:
    """One environment, or one lane of a vector environment."""

    __slots__ = ("hashes", "name", "step", "unknown", "written")

    def __init__(self, name: str) -> None:
        self.name = name
        self.step = 0
        self.written = 0
        self.unknown = {RESET}
        self.hashes = {field: blake2b(field.encode(), digest_size=8) for field in FIELDS}

    def begin(self, observation: bytes) -> None:
        """An episode begins."""
        self.unknown.discard(RESET)
        self.hashes[RESET].update(self.step.to_bytes(8, "little") + observation)

    def add(self, parts: dict[str, bytes | None]) -> None:
        """One step: the bytes of each field; None: not known."""
        self.step += 1
        for field, part in parts.items():
            if part is None:
                self.unknown.add(field)
            else:
                self.hashes[field].update(part)

    def line(self) -> dict[str, Any]:
        """The digests up to now."""
        self.written = self.step
        digests = ["" if field in self.unknown else self.hashes[field].hexdigest() for field in FIELDS]
        return {
            TrajectoryKey.ENVIRONMENT: self.name,
            TrajectoryKey.STEP: self.step,
            TrajectoryKey.DIGESTS: digests,
        }


class Trajectories:
    """All environments of this process."""

    def __init__(self) -> None:
        self.by_owner: dict[int, list[Followed]] = {}
        self.kept: list[Any] = []
        self.made = 0
        self.writer: LineWriter | None = None
        self.problems: set[str] = set()

    def saw_reset(self, owner: Any, result: Any) -> None:
        """An environment began an episode."""
        is_pair = isinstance(result, tuple) and len(result) == 2 and isinstance(result[1], dict | list)
        observation = result[0] if is_pair else getattr(result, "observation", result)
        lanes = self.lanes_of(owner)
        for number, lane in enumerate(lanes):
            lane.begin(encoded(observation if len(lanes) == 1 else lane_of(observation, number)))

    def saw_step(self, owner: Any, action: Any, result: Any) -> None:
        """An environment made a step; `action` is a tuple of it, or empty where it is not known."""
        observation, reward, ended = read(result)
        lanes = self.lanes_of(owner)
        for number, lane in enumerate(lanes):
            if len(lanes) == 1:
                parts = (action, observation, reward, ended)
            else:
                parts = (
                    (lane_of(action[0], number),) if action else (),
                    *(lane_of(value, number) for value in (observation, reward)),
                    tuple(lane_of(flag, number) for flag in ended),
                )
            lane.add(
                {
                    ACTION: encoded(plain_action(parts[0][0])) if parts[0] else None,
                    OBSERVATION: encoded(parts[1]),
                    REWARD: encoded_numbers(parts[2]),
                    ENDED: encoded_bools(parts[3]),
                }
            )
            if is_checkpoint(lane.step):
                self.write(lane.line())

    def lanes_of(self, owner: Any) -> list[Followed]:
        """The running hashes of an environment, made when it is met for the first time."""
        found = self.by_owner.get(id(owner))
        if found is None:
            found = self.by_owner[id(owner)] = self._new(owner)
            try:
                weakref.finalize(owner, self.forget, id(owner)).atexit = False
            except TypeError:  # it cannot be asked to say when it ends: then it must not end
                self.kept.append(owner)
        return found

    def _new(self, owner: Any) -> list[Followed]:
        if self.made >= MOST_ENVIRONMENTS:
            raise OverflowError(f"more than {MOST_ENVIRONMENTS} environments in one process")
        number, self.made = self.made, self.made + 1
        lanes = getattr(owner, "num_envs", None) if not callable(owner) else None
        if isinstance(lanes, int) and lanes >= 1:
            return [Followed(f"vector-{number}[{lane}]") for lane in range(lanes)]
        return [Followed(f"env-{number}")]

    def forget(self, identity: int) -> None:
        """An environment has ended; another one may get its identity."""
        for lane in self.by_owner.pop(identity, ()):
            if lane.step > lane.written:
                self.write(lane.line())

    def write(self, line: dict[str, Any]) -> None:
        """Append a line to this process's file."""
        if self.writer is None:
            name = f"{File.TRAJECTORY_PREFIX}{os.getpid()}-{clock()}.jsonl"
            self.writer = LineWriter(os.path.join(os.environ[Variable.RUN_DIR], name))  # noqa: PTH118
            start = {
                TrajectoryKey.PROCESS: process_name(),
                TrajectoryKey.START: clock(),
                TrajectoryKey.VERSION: VERSION,
            }
            self.writer.write(start)
        self.writer.write(line)

    def finish(self) -> None:
        """Write the last digests of all environments."""
        for lanes in list(self.by_owner.values()):
            for lane in lanes:
                if lane.step > lane.written:
                    self.write(lane.line())

    def failed(self, where: Any, error: Exception) -> bool:
        """What cannot be hashed is said once; other failures of ours are counted. False: not ours."""
        if isinstance(error, NotPlain | OverflowError):
            text = str(error)
            if text not in self.problems:
                self.problems.add(text)
                self.write({TrajectoryKey.PROBLEM: text})
            return True
        return count_failure(where, error)


def read(result: Any) -> tuple[Any, Any, tuple[Any, ...]]:
    """Observation, reward and the flags of an end, of what a step returned."""
    if isinstance(result, tuple) and len(result) >= 3:
        return result[0], result[1], tuple(result[2:4] if len(result) >= 5 else result[2:3])
    if hasattr(type(result), "step_type") and callable(getattr(type(result), "last", None)):
        return result.observation, result.reward, (result.last(),)
    return result, None, ()


def lane_of(value: Any, number: int) -> Any:
    """One environment's part of what a vector environment returned or was given."""
    if isinstance(value, dict):
        return {key: lane_of(inner, number) for key, inner in value.items()}
    if isinstance(value, tuple) and not hasattr(value, "dtype"):
        return tuple(lane_of(inner, number) for inner in value) if _is_of_arrays(value) else value[number]
    return value[number]


def _is_of_arrays(value: tuple[Any, ...]) -> bool:
    return bool(value) and all(getattr(inner, "ndim", 0) >= 1 for inner in value)


def plain_action(action: Any) -> Any:
    """An action whatever its type is: one engine takes an int where another takes an array of it."""
    return action.tolist() if hasattr(action, "tolist") else action


def process_name() -> str:
    """A name that this process has in each run: by its role and number, not by its process id."""
    module = sys.modules.get("multiprocessing.process")
    identity = getattr(module.current_process(), "_identity", ()) if module is not None else ()
    if identity:
        return "worker-" + "-".join(map(str, identity))
    return "main" if os.environ.get(Variable.FIRST_PROCESS) == str(os.getpid()) else "process"


TRAJECTORIES = Trajectories()


def install() -> None:
    """Follow all environments from now on, if the launcher asked for it."""
    if os.environ.get(Variable.TRAJECTORY):
        alter_stages(_followed)
        os.register_at_fork(after_in_child=safely(_start_over))


def _start_over() -> None:
    """A forked child follows its own environments, from their beginning here."""
    TRAJECTORIES.__init__()  # type: ignore[misc]
    _inside.another = False


@safely
def finish() -> None:
    """The process ends."""
    TRAJECTORIES.finish()


class Seen(NamedTuple):
    """What is known about a function whose results are hashed."""

    is_step: bool
    is_method: bool
    takes_action: bool


def _followed(function: Any, stage: str) -> Any:
    """A step or reset whose result is hashed, unless it is called by another one."""
    if stage not in _STEPS and stage != ENV_RESET:
        return function
    name = getattr(function, "__qualname__", "")
    is_method = "." in name.rpartition("<locals>.")[2]
    seen = Seen(stage in _STEPS, is_method, not name.endswith(_WITHOUT_ACTION))

    def follow(*args: Any, **kwargs: Any) -> Any:  # refers to functions only: it may be sent to a worker
        return call(function, seen, args, kwargs)

    return follow


def call(function: Any, seen: Seen, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function of the program, and hash what it returns."""
    if getattr(_inside, "another", False):
        return function(*args, **kwargs)
    _inside.another = True
    try:
        result = function(*args, **kwargs)
    finally:
        _inside.another = False
    try:
        owner = args[0] if seen.is_method and args else function
        if seen.is_step:
            action = args[1:2] if seen.is_method else args[-1:]
            TRAJECTORIES.saw_step(owner, action if seen.takes_action else (), result)
        else:
            TRAJECTORIES.saw_reset(owner, result)
    except Exception as error:
        if not TRAJECTORIES.failed(call, error):
            raise
    return result
