"""`SharedVectorEnv`: a Gymnasium vector environment over shared memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar

import numpy as np
from gymnasium.error import ClosedEnvironmentError
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from goldsplit.fast.vector.group import ResetRequest, call_attribute, set_attribute
from goldsplit.fast.vector.infos import Info, InfoPolicy, Note, gather_infos, make_policy
from goldsplit.fast.vector.leaves import copy_tree, take_rows, write_batch
from goldsplit.fast.vector.memory import Buffers, parse_info_fields
from goldsplit.fast.vector.opening import Plan, open_backend, reconsidered
from goldsplit.fast.vector.requests import Seeds, check_ids, needed_envs, plan_reset, whole_workers
from goldsplit.fast.vector.sampling import sample_masked, sample_unmasked

ALL = slice(None)
Result = TypeVar("Result")


class Ready(NamedTuple):
    """The part of a vector step that is ready, one row per entry of `env_ids` ."""

    env_ids: NDArray[np.intp]
    observations: Any
    rewards: NDArray[np.float64]
    terminations: NDArray[np.bool_]
    truncations: NDArray[np.bool_]
    infos: Info


class SharedVectorEnv(VectorEnv):
    """Several environments per worker process, their results written straight into shared memory.

    Takes the place of `gymnasium.vector.SyncVectorEnv` and `AsyncVectorEnv`; see `docs/fast/vector.md`.

    Args:
        env_fns: one function per environment.
        workers: processes that step; None: one per core. With "mixed" the caller's is one of them.
        backend: "auto" measures a step and a message and chooses; "inprocess", "workers" (none is stepped
            in the caller's process) and "mixed" (the caller steps some, workers the others) decide.
        info: "final" keeps infos of steps that end an episode and of `reset`, "lean" none, "full" all.
        info_keys: keys wanted from every info all the same; a mapping key -> dtype or (shape, dtype)
            gives them a place in shared memory.
        autoreset_mode: as in Gymnasium.
        copy: False hands out the observation buffers themselves, which the next step overwrites.
        mask: name of the method (or, failing that, of the info key) that says which actions are legal.
        context: multiprocessing start method; None: Python's default.
        spin_us: how long to spin before sleeping; None: only with a core for every process.
    """

    def __init__(
        self,
        env_fns: Sequence[Callable[[], Any]],
        *,
        workers: int | None = None,
        backend: str = "auto",
        info: str = "final",
        info_keys: Sequence[str] | Mapping[str, Any] = (),
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        mask: str | None = None,
        context: str | None = None,
        spin_us: float | None = None,
    ) -> None:
        super().__init__()
        self.closed = True  # until it is open, so that a failure here leaves nothing to close
        self.num_envs = len(env_fns)
        self.copy = copy
        self.mask = mask
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        policy = make_policy(info, info_keys)
        fields = parse_info_fields(info_keys) if policy.stored_keys else {}
        plan = Plan(list(env_fns), workers, context, spin_us, self.autoreset_mode, policy, fields, mask)
        self._plan = plan
        self._backend, self.choice = open_backend(plan, backend)
        self._untouched = True  # no environment was reset, stepped, asked or changed
        self._buffers = self._backend.buffers
        self._policy = policy
        self._pending = np.zeros(self.num_envs, np.bool_)
        self._busy = 0
        hello = self._backend.hello
        self.single_observation_space = hello.observation_space
        self.single_action_space = hello.action_space
        self.observation_space = batch_space(hello.observation_space, self.num_envs)
        self.action_space = batch_space(hello.action_space, self.num_envs)
        self.metadata = {**hello.metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = hello.render_mode
        self.closed = False

    # Gymnasium's API

    def reset(self, *, seed: Seeds = None, options: dict[str, Any] | None = None) -> tuple[Any, Info]:
        """Reset all environments, or those of `options["reset_mask"]`; environment i gets `seed + i`."""
        request = plan_reset(seed, options, self.num_envs)
        super().reset(seed=int(seed) if isinstance(seed, (int, np.integer)) else None)
        notes = self.reset_each(request)
        reset_only = np.asarray(request.chosen)
        return self._observations(), gather_infos(
            self._buffers, notes, self._policy, reset_only, at_reset=True
        )

    def step(
        self, actions: Any
    ) -> tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], Info]:
        """Step every environment and wait for all."""
        notes = self.advance(actions)
        buffers = self._buffers
        return (
            self._observations(),
            buffers.rewards.copy(),
            buffers.terminations.copy(),
            buffers.truncations.copy(),
            gather_infos(buffers, notes, self._policy),
        )

    def render(self) -> tuple[Any, ...]:
        """A frame of every environment."""
        return self.call("render")

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Call a method of every environment, or read an attribute."""
        arguments = dict.fromkeys(range(self.num_envs), (name, args, kwargs))
        return tuple(self.apply(call_attribute, arguments))

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """An attribute of every environment."""
        return self.call(name)

    def set_attr(self, name: str, values: list[Any] | tuple[Any, ...] | Any) -> None:
        """Set an attribute: one value for all, or a list or tuple with one per environment."""
        if not isinstance(values, (list, tuple)):
            values = [values] * self.num_envs
        if len(values) != self.num_envs:
            raise ValueError(f"{len(values)} values of {name!r} for {self.num_envs} environments")
        self.apply(set_attribute, {index: (name, value) for index, value in enumerate(values)})

    def close_extras(self, **kwargs: Any) -> None:
        """Close the environments and end the workers."""
        self._backend.close()

    # Without a barrier

    def send(self, actions: Any, env_ids: Any = None) -> None:
        """Start a step of some environments (all that a worker holds, or none of them) and return at once."""
        ids = np.arange(self.num_envs) if env_ids is None else check_ids(env_ids, self.num_envs)
        self._check_open()
        if self._pending[ids].any():
            busy = ids[self._pending[ids]].tolist()
            raise RuntimeError(f"environments {busy} are still stepping\nhint: recv them first")
        workers = whole_workers(ids, self._backend.spans, self._backend.worker_of)
        self._check_not_over(ids)
        write_batch(self._buffers.actions, actions, "actions", ids)
        self._pending[ids] = True
        self._busy += len(ids)
        self._backend.begin_step(workers)

    def recv(self, fraction: float = 1.0) -> Ready:
        """Wait until that fraction of the environments that are stepping is ready, and return what is."""
        self._check_open()
        if not self._pending.any():
            raise RuntimeError("no environment is stepping\nhint: send actions first")
        workers, notes = self._run(self._backend.finish_some, needed_envs(fraction, self._busy))
        notes.sort(key=itemgetter(0))  # they come in the order of arrival
        ids = np.concatenate([np.asarray(self._backend.spans[worker], np.intp) for worker in workers])
        self._pending[ids] = False
        self._busy -= len(ids)
        arrived = np.zeros(self.num_envs, np.bool_)
        arrived[ids] = True
        buffers = self._buffers
        return Ready(
            ids, take_rows(buffers.observations, ids), buffers.rewards[ids],
            buffers.terminations[ids], buffers.truncations[ids],
            gather_infos(buffers, notes, self._policy, arrived),
        )  # fmt: skip

    # Masks

    @property
    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal now, one row per environment; all of them where an episode is over."""
        masks = self._buffers.masks
        if masks is None:
            raise AttributeError('this vector environment was made without masks\nhint: mask="action_masks"')
        return masks.copy() if self.copy else masks

    def sample_actions(self, rng: np.random.Generator | None = None) -> Any:
        """Random legal actions, drawn here for all environments at once."""
        generator = self.np_random if rng is None else rng
        if self._buffers.masks is None:
            return sample_unmasked(self.single_action_space, self.action_space, self.num_envs, generator)
        return sample_masked(self.single_action_space, self._buffers.masks, generator)

    # For adapters: the same steps without Gymnasium's merged infos

    def reset_each(self, request: ResetRequest) -> list[Note]:
        """Reset with seeds and options per environment; results are in the buffers."""
        self._check_idle()
        if self._untouched:
            self._backend, self.choice = reconsidered(self._plan, self._backend, self.choice)
            self._buffers, self._untouched = self._backend.buffers, False
        return self._run(self._backend.reset, request)

    def advance(self, actions: Any) -> list[Note]:
        """Step all environments; results are in the buffers."""
        self.begin(actions)
        return self.complete()

    def begin(self, actions: Any) -> None:
        """First half of `advance`: workers start."""
        self._check_idle()
        self._check_not_over(ALL)
        write_batch(self._buffers.actions, actions, "actions", ALL)
        self._busy = self.num_envs
        self._backend.begin_all()

    def complete(self) -> list[Note]:
        """Second half of `advance`: wait for every worker."""
        notes = self._run(self._backend.finish_all)
        self._busy = 0
        return notes

    def apply(
        self, function: Callable[..., Any], arguments: dict[int, tuple[Any, ...]], *, only_reads: bool = False
    ) -> list[Any]:
        """`function(env, *arguments[index])` in the process of each environment; importable there."""
        self._check_idle()
        self._untouched = self._untouched and only_reads
        return self._run(self._backend.apply, function, arguments)

    @property
    def buffers(self) -> Buffers:
        """The arrays themselves, overwritten by the next step."""
        return self._buffers

    @property
    def worker_pids(self) -> tuple[int, ...]:
        """Process ids of the workers; none in process."""
        return self._backend.pids

    @property
    def info_policy(self) -> InfoPolicy:
        """Which infos are kept."""
        return self._policy

    def _run(self, action: Callable[..., Result], *arguments: Any) -> Result:
        """An interrupt in the middle leaves answers under way that nobody would take: end the workers."""
        try:
            return action(*arguments)
        except Exception:
            raise
        except BaseException:
            self._backend.terminate()
            raise

    def _observations(self) -> Any:
        return copy_tree(self._buffers.observations) if self.copy else self._buffers.observations

    def _check_open(self) -> None:
        if self.closed or self._backend.ended:
            why = "was closed" if self.closed else "ended when a step failed or was interrupted"
            raise ClosedEnvironmentError(f"this vector environment {why}\nhint: make a new one")

    def _check_idle(self) -> None:
        self._check_open()
        if self._busy:
            raise RuntimeError(f"{self._busy} environments are still stepping\nhint: recv them first")

    def _check_not_over(self, ids: NDArray[np.intp] | slice) -> None:
        """Without autoreset, stepping an episode that is over is the caller's mistake."""
        if self.autoreset_mode is not AutoresetMode.DISABLED:
            return
        over = self._buffers.terminations[ids] | self._buffers.truncations[ids]
        if over.any():
            found = np.arange(self.num_envs)[ids][over].tolist()
            raise RuntimeError(
                f"the episodes of environments {found} are over and autoreset_mode is DISABLED\n"
                "hint: reset(options={'reset_mask': terminations | truncations})"
            )
