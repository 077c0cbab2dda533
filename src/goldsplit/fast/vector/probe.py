"""Before workers are chosen: try two environments in a process of their own, and say what was seen.

The caller's process is not touched, whatever the environments do: what they print is dropped, and a crash, a
hang or an error is a doubt, which says that each environment should get what SubprocVecEnv would give it.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import random
import signal
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from goldsplit.fast.vector.calibrate import StepCost, measure_steps
from goldsplit.fast.vector.environment import make_environment
from goldsplit.fast.vector.pool import cloudpickled

ANSWER_SECONDS = 10.0  # environments that take longer to make are worth a process each anyway


@dataclass(frozen=True, slots=True)
class Probe:
    """What a step costs, and why the caller's process should not take any (empty: nothing against it)."""

    cost: StepCost | None
    doubt: str = ""
    together: bool = False  # two environments in one process were tried, and worked


def probe(env_fns: Sequence[Callable[[], Any]], mask_name: str | None, context: str | None) -> Probe:
    """Try the first two environments with legal random actions in a process that is gone afterwards."""
    started = multiprocessing.get_context(context)
    tried = list(env_fns[:2])
    ours, theirs = started.Pipe(duplex=False)
    payload = tried if started.get_start_method() == "fork" else cloudpickled(tried)
    process = started.Process(  # type: ignore[attr-defined]
        target=_probe_main, args=(theirs, payload, mask_name), name="goldsplit-env-probe", daemon=True
    )
    try:
        process.start()
        theirs.close()
        return _answer(ours)
    finally:
        _end(process)
        ours.close()


def _answer(pipe: Any) -> Probe:
    """The last thing that the process said before its answer, its end or the limit."""
    seen = Probe(None, f"the first environments were not ready after {ANSWER_SECONDS:.0f} s")
    try:
        while pipe.poll(ANSWER_SECONDS):
            seen = pipe.recv()
            if seen.cost is not None or seen.doubt:
                return seen
    except EOFError:
        return Probe(None, "a process that tried the environments ended by itself", seen.together)
    return Probe(None, seen.doubt or f"a step took longer than {ANSWER_SECONDS:.0f} s", seen.together)


def _end(process: Any) -> None:
    if process.pid is None:
        return
    process.join(0.2)
    if process.is_alive():
        process.kill()
        process.join()


def _probe_main(pipe: Any, env_fns: Any, mask_name: str | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _drop_output()
    envs: list[Any] = []
    together = False
    try:
        if isinstance(env_fns, bytes):
            import cloudpickle  # type: ignore[import-untyped]

            env_fns = cloudpickle.loads(env_fns)
        effects = SideEffects()
        for env_fn in env_fns:  # one by one: those that were made are closed if the next one fails
            envs += [make_environment(env_fn)]
        starts = [env.reset(seed=0) for env in envs]
        together = len(envs) > 1
        pipe.send(Probe(None, "", together))
        pairs = zip(envs, starts, strict=True)
        costs = [measure_steps(env, obs, info, mask_name) for env, (obs, info) in pairs]
        pipe.send(Probe(costs[0], effects.seen(), together))
    except Exception as error:
        what = f"{type(error).__name__}: {error}".splitlines()[0][:200]
        pipe.send(Probe(None, f"trying the environments raised {what}", together))
    finally:
        for env in envs:
            with contextlib.suppress(Exception):
                env.close()


def _drop_output() -> None:
    """Nobody expects to read what these environments print: the real ones will print it too."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for descriptor in (1, 2):
        os.dup2(nowhere, descriptor)


class SideEffects:
    """What environments change in their process beyond themselves, since this was made."""

    def __init__(self) -> None:
        self._before = _process_state()
        self._seeded = False
        # Seeds of the whole process would reach the agent's own random numbers. Drawing from them is usual.
        random.seed = self._noting(random.seed)
        np.random.seed = self._noting(np.random.seed)

    def _noting(self, seed: Callable[..., Any]) -> Callable[..., Any]:
        def noting(*args: Any, **kwargs: Any) -> Any:
            self._seeded = True
            return seed(*args, **kwargs)

        return noting

    def seen(self) -> str:
        """In words; empty where there are none."""
        after = _process_state()
        changed = [name for name, value in self._before.items() if after[name] != value]
        if self._seeded:
            changed.append("the seed of all random numbers")
        return f"the environments change {', '.join(changed)}" if changed else ""


def _process_state() -> dict[str, Any]:
    return {
        "the working directory": Path.cwd(),
        "environment variables": dict(os.environ),
        "signal handlers": [
            signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)
        ],
        "the number of threads": threading.active_count(),
        "the number of processes": len(multiprocessing.active_children()),
    }
