"""`python -m goldsplit.record.drive TARGET …`: make the environment, drive it, write what was measured."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

from goldsplit.model.wire import File, Variable
from goldsplit.record.drive.driven_env import DrivenEnv, Rules, seed_everything
from goldsplit.record.drive.loop import SECOND, WARM_UP_CALLS, Drive, Limits
from goldsplit.record.drive.policy import BUILT_IN, load_function
from goldsplit.record.drive.problem import DriveError
from goldsplit.record.drive.recorder_link import link_recorder, wrap
from goldsplit.record.drive.result import plain
from goldsplit.record.drive.target import find, make
from goldsplit.record.drive.trajectory import Trajectory

#: Without --steps: so many calls are enough to time cheap steps; the recorder needs its seconds anyway.
TIMING_CALLS, RECORDED_CALLS = 20_000, 1_000_000
DEFAULT_HASHED = 1000
#: Without --steps: how long the pass that is not recorded takes, and the one that is. With --steps only the
#: first is limited.
TIMING_SECONDS, RECORDED_SECONDS = 4.0, 6.0
LONGEST_TIMING_SECONDS = 10.0
INTERRUPTED = 130


def main() -> int:
    """Drive, whatever happens; 0: done, 2: a problem, 130: Ctrl-C."""
    arguments = parse()
    run_dir = os.environ.get(Variable.RUN_DIR, "")
    file = arguments.result or os.path.join(run_dir, File.DRIVE_RECORDED)  # noqa: PTH118
    data = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the environment prints, also from C code, must not mix with our result
    drive: Drive | None = None
    problem: DriveError | None = None
    code = 0

    def save(done: bool = False) -> None:
        if drive is None and problem is None:
            return
        result = plain(vars(arguments), drive, problem, finished=done)
        if file != File.DRIVE_RECORDED:
            write(Path(file), result)
        elif done or code:
            data.write(json.dumps(result) + "\n")
            data.close()

    try:
        drive = prepare(arguments, save)
        drive.run()
    except DriveError as error:
        problem, code = error, 2
    except KeyboardInterrupt:
        code = INTERRUPTED
    save(done=code == 0)
    if drive is not None:
        close(drive.envs)
    return code


def parse() -> argparse.Namespace:
    """Names as in `goldsplit env`, which has checked them before."""
    parser = argparse.ArgumentParser(prog="python -m goldsplit.record.drive")
    parser.add_argument("target")
    parser.add_argument("--steps", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--policy", default="random")
    parser.add_argument("--mask")
    parser.add_argument("--vector", type=int, default=1)
    parser.add_argument("--kwargs", default="{}")
    parser.add_argument("--hash", action="store_true")
    parser.add_argument("--timing", action="store_true", help="the pass that is not recorded: stop in time")
    result_help = f"file to write; the run directory's {File.DRIVE_RECORDED}, or standard output"
    parser.add_argument("--result", help=result_help)
    return parser.parse_args()


def prepare(arguments: argparse.Namespace, save: Any) -> Drive:
    """Everything up to the first reset."""
    maker = find(arguments.target, json.loads(arguments.kwargs))
    policy = arguments.policy
    rules = Rules(
        policy,
        None if policy in BUILT_IN else load_function(policy, "--policy"),
        load_function(arguments.mask, "--mask") if arguments.mask else None,
        arguments.seed,
    )
    seed_everything(arguments.seed)
    envs: list[DrivenEnv] = []
    for place in range(arguments.vector):
        env = make(maker, arguments.target)
        if any(driven.env is env for driven in envs):
            raise DriveError(
                f"{arguments.target} is one environment, and cannot be made {arguments.vector} times",
                "name a class or function that makes a new one each time",
            )
        envs.append(DrivenEnv(env, rules, arguments.seed + place, wrap))
    seed_everything(arguments.seed)
    drive = Drive(envs, limits(arguments, envs), Trajectory() if arguments.hash else None, save)
    drive.recorder = link_recorder()
    return drive


def limits(arguments: argparse.Namespace, envs: list[DrivenEnv]) -> Limits:
    """`--steps` counts env steps; without it, as much as fits the time."""
    timing = arguments.timing
    if arguments.steps is None:
        seconds = TIMING_SECONDS if timing else RECORDED_SECONDS
        hashed = DEFAULT_HASHED if arguments.hash else 0
        calls = TIMING_CALLS if timing else RECORDED_CALLS
        return Limits(calls, int(seconds * SECOND), hashed, WARM_UP_CALLS, timing)
    calls = -(-arguments.steps // (envs[0].batch or 1))
    budget = int(LONGEST_TIMING_SECONDS * SECOND) if timing else None
    return Limits(calls, budget, calls if arguments.hash else 0, min(WARM_UP_CALLS, calls // 10), timing)


def write(path: Path, result: dict[str, Any]) -> None:
    """Write the file in one step, so that a kill leaves the old one whole."""
    temporary = path.with_suffix(".new")
    try:
        temporary.write_text(json.dumps(result))
        temporary.replace(path)
    except OSError as error:
        print(f"goldsplit: {path} could not be written: {error}", file=sys.stderr)


def close(envs: list[DrivenEnv]) -> None:
    """Let environments end their processes and windows; errors do not matter any more."""
    for driven in envs:
        end = getattr(driven.env, "close", None)
        if callable(end):
            try:
                end()
            except Exception as error:
                print(f"goldsplit: closing the environment failed: {error!r}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
