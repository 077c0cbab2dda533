"""What recording adds, measured so that a noisy machine cannot hide it.

    python benchmarks/span_cost.py [--turns N]

Two parts, because wall times of whole runs differ by more than the bar on a shared machine:

1. In the process: one recorded program alternates, every few turns, between staged objects and twins whose
   methods are the originals. Neighbouring blocks see the same machine, so the median of their differences
   (thread CPU time) is what spans add to the driver, per environment step of about 1.4 ms.
2. Beside the process: the CPU time of the sampler and of goldsplit itself, which are processes of their own,
   over the program's CPU time. No comparison of runs is needed for that.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

BLOCK = 5
PROGRAMS = Path(__file__).resolve().parent / "programs"


def program(turns: int, out: Path) -> None:
    """The recorded side: a loop of a step, a policy's forward pass and a replay, staged and not in turn."""
    import numpy as np
    import torch

    torch.set_num_threads(1)
    spins = 14_000

    class Game:
        def reset(self) -> Any:
            return np.zeros(64, np.float32)

        def step(self, action: int) -> Any:
            for _ in range(spins):
                pass
            return np.zeros(64, np.float32), 1.0, False, {}

    class ReplayBuffer:
        def __init__(self) -> None:
            self.rows = np.zeros((1000, 64), np.float32)
            self.at = 0

        def push(self, row: Any) -> None:
            self.rows[self.at % 1000] = row
            self.at += 1

        def sample(self, size: int) -> Any:
            return self.rows[:size]

    class Agent:
        def __init__(self) -> None:
            self.net = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 4))

        def select_action(self, observation: Any) -> int:
            with torch.no_grad():
                return int(self.net(torch.from_numpy(observation)).argmax())

    classes = (Game, ReplayBuffer, Agent)
    twins = tuple(type(cls.__name__, (), plain_members(cls)) for cls in classes)
    times = []
    for _ in range(20):
        begun = time.perf_counter()
        twins[0]().step(0)
        times.append(time.perf_counter() - begun)
    spins = round(spins * 0.0014 / statistics.median(times))

    def block(game: Any, buffer: Any, agent: Any) -> float:
        observation = game.reset()
        started = time.thread_time_ns()  # a preempted block says nothing about spans
        for _ in range(BLOCK):
            observation, *_ = game.step(agent.select_action(observation))
            buffer.push(observation)
        return (time.thread_time_ns() - started) / BLOCK / 1000

    staged_objects, twin_objects = [cls() for cls in classes], [cls() for cls in twins]
    # The twin's network is called past the wrapper; its loop has code of its own, with caches of its own.
    twin_objects[2].net = twin_objects[2].net._wrapped_call_impl
    twin_block = FunctionType(block.__code__.replace(), block.__globals__, "block", None, block.__closure__)
    differences, plain = alternate(
        lambda: block(*staged_objects), lambda: twin_block(*twin_objects), turns // BLOCK // 2
    )
    usage = resource.getrusage(resource.RUSAGE_SELF)
    out.write_text(
        json.dumps({"added_us": differences, "plain_us": plain, "cpu": usage.ru_utime + usage.ru_stime})
    )


def plain_members(cls: type) -> dict[str, Any]:
    """A class's members with the originals of staged methods; at least one must be staged."""
    members = {name: value for name, value in vars(cls).items() if name not in ("__dict__", "__weakref__")}
    staged = [name for name, value in members.items() if hasattr(value, "__wrapped__")]
    if not staged:
        raise SystemExit(f"nothing of {cls.__name__} is staged: run this under goldsplit record")
    return members | {name: copied(members[name].__wrapped__) for name in staged}


def copied(fn: Any) -> Any:
    """A function with code of its own, so that the interpreter's inline caches are not shared."""
    return FunctionType(fn.__code__.replace(), fn.__globals__, fn.__name__, fn.__defaults__, fn.__closure__)


def alternate(
    staged: Callable[[], float], plain: Callable[[], float], pairs: int
) -> tuple[list[float], list[float]]:
    """Pairs of neighbouring blocks in random order: staged less plain, and the plain ones."""
    dice = random.Random(0)
    differences, plains = [], []
    for _ in range(pairs):
        seen = {which: run() for which, run in dice.sample([("staged", staged), ("plain", plain)], 2)}
        differences.append(seen["staged"] - seen["plain"])
        plains.append(seen["plain"])
    return differences, plains


def bootstrap_median(values: list[float], rounds: int = 1000) -> tuple[float, float]:
    """A 95 % interval of the median."""
    dice = random.Random(1)
    medians = sorted(statistics.median(dice.choices(values, k=len(values))) for _ in range(rounds))
    return medians[int(0.025 * rounds)], medians[int(0.975 * rounds)]


def recorded(command: list[str], env: dict[str, str]) -> tuple[float, float]:
    """CPU seconds of everything below `goldsplit record`, itself included, until the command's end."""
    with tempfile.TemporaryDirectory() as runs:
        full = [sys.executable, "-m", "goldsplit", "record", "--quiet", "--out", runs, "--", *command]
        process = subprocess.Popen(full, env=env)
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            raise SystemExit(f"goldsplit record ended with status {status}")
        header = json.loads(next(Path(runs).glob("*/run.json")).read_text())
        return usage.ru_utime + usage.ru_stime, (header["end_ns"] - header["start_ns"]) / 1e9


def tool_share(name: str, arguments: list[str]) -> float:
    """CPU time of goldsplit and its sampler over the program's own, on one of the truth programs."""
    with tempfile.TemporaryDirectory() as scratch:
        wrapper = Path(scratch) / "wrapper.py"
        out = Path(scratch) / "cpu.json"
        wrapper.write_text(
            "import json, resource, subprocess, sys\n"
            "code = subprocess.call(sys.argv[2:])\n"
            "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
            "open(sys.argv[1], 'w').write(json.dumps(used.ru_utime + used.ru_stime))\n"
            "sys.exit(code)\n"
        )
        command = [
            sys.executable,
            "-I",
            str(wrapper),
            str(out),
            sys.executable,
            str(PROGRAMS / name),
            *arguments,
        ]
        total, _ = recorded(command, {**os.environ, "TRUTH_OUT": str(Path(scratch) / "truth.json")})
        own = float(json.loads(out.read_text()))
        return (total - own) / own


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--turns", type=int, default=12000)
    parser.add_argument("--seconds", type=int, default=60, help="length of the programs of the second part")
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.inside:
        program(args.turns, args.inside)
        return
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "blocks.json"
        recorded(
            [sys.executable, __file__, "--turns", str(args.turns), "--inside", str(out)], dict(os.environ)
        )
        seen = json.loads(out.read_text())
    middle, (low, high) = statistics.median(seen["added_us"]), bootstrap_median(seen["added_us"])
    step = statistics.median(seen["plain_us"])
    added = f"{middle:.1f} us [{low:.1f}, {high:.1f}]"
    print(f"spans add {added} per env step of {step:.0f} us: {middle / step:.2%}")
    shares = {}
    for name in ("one_process.py", "pipes_unequal.py"):
        shares[name] = tool_share(name, ["--seconds", str(args.seconds)])
        print(f"{name}: goldsplit and its sampler use {shares[name]:.2%} of the program's CPU time")
    results = Path(__file__).resolve().parent / "results"
    results.mkdir(exist_ok=True)
    (results / "span_cost.json").write_text(
        json.dumps({"added_us": [middle, low, high], "step_us": step, "tool_cpu_share": shares}, indent=1)
    )


if __name__ == "__main__":
    main()
