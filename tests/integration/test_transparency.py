"""The user's program must not notice: same output, same files, same behaviour."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PLAY = """
import time
class Game:
    def reset(self): self.t = 0; return 0
    def step(self, action):
        self.t += 1
        sum(range(3000))
        return 0, 1.0, self.t % 10 == 0, False, {}
def play(seconds=0.6):
    game, steps, end = Game(), 0, time.monotonic() + seconds
    game.reset()
    while time.monotonic() < end:
        game.step(0)
        steps += 1
    return steps
"""


def alone(program: str, cwd: Path, **options: Any) -> subprocess.CompletedProcess[bytes]:
    (cwd / "alone.py").write_text(program)
    return subprocess.run([sys.executable, "alone.py"], cwd=cwd, capture_output=True, timeout=60, **options)


def steps_of(run: Any) -> int:
    steps = run.report["throughput"]["env_steps"]
    assert isinstance(steps, int)
    return steps


def test_output_is_byte_identical_and_stderr_only_gains_the_verdict(
    record: Callable[..., Any], tmp_path: Path
) -> None:
    program = PLAY + (
        "import sys, logging\n"
        "print('héllo', 1, sep='|', end='\\r\\n', flush=True)\n"
        "sys.stdout.buffer.write(bytes(range(256)) if len(sys.argv) > 5 else b'raw\\n')\n"
        "sys.stdout.flush()\n"
        "print('to stderr', file=sys.stderr)\n"
        "logging.warning('careful')\n"
        "play(0.3)\n"
        "print(*range(5))\n"
    )
    bare = alone(program, tmp_path)
    run = record(program)
    assert run.stdout.encode() == bare.stdout.replace(b"\r\n", b"\n")
    assert run.stderr.startswith(bare.stderr.decode())
    verdict = run.stderr.removeprefix(bare.stderr.decode())
    assert "env.step" in verdict
    quiet = record(program, options=("--no-stacks", "--quiet"))
    assert quiet.stderr == bare.stderr.decode()


def test_stdin_reaches_the_program(record: Callable[..., Any]) -> None:
    run = record("import sys\nprint(sys.stdin.read()[::-1], input.__name__)\n", input="abc")
    assert run.stdout == "cba input\n"


def test_arguments_and_name_are_the_programs_own(record: Callable[..., Any]) -> None:
    run = record("import sys\nprint(sys.argv, __name__)\n", "--help", "-x", "--", "a b")
    assert run.stdout == "['program.py', '--help', '-x', '--', 'a b'] __main__\n"


def test_a_program_that_closes_every_descriptor(record: Callable[..., Any]) -> None:
    """Its own files, opened after that under the same numbers, hold nothing of ours."""
    program = PLAY + (
        "import os\n"
        "steps = play(0.4)\n"
        "os.closerange(3, 256)\n"
        "files = [open(f'own-{i}.bin', 'wb', buffering=0) for i in range(8)]\n"
        "for i in range(4):\n"
        "    steps += play(0.4)\n"
        "    for file in files: file.write(b'mine')\n"
        "print(steps)\n"
    )
    run = record(program)
    assert run.exit_code == 0, run.stderr
    for i in range(8):
        assert (run.directory / f"own-{i}.bin").read_bytes() == b"mine" * 4
    assert steps_of(run) == int(run.stdout)


def test_a_program_that_replaces_stdout_and_changes_directory(record: Callable[..., Any]) -> None:
    program = PLAY + (
        "import io, os, sys\n"
        "real, sys.stdout = sys.stdout, io.StringIO()\n"
        "os.makedirs('deep/er'); os.chdir('deep/er')\n"
        "steps = play(0.8)\n"
        "print('captured')\n"
        "text, sys.stdout = sys.stdout.getvalue(), real\n"
        "print(steps, repr(text), os.listdir('.'))\n"
    )
    run = record(program)
    steps, rest = run.stdout.split(" ", 1)
    assert rest == "'captured\\n' []\n"
    assert steps_of(run) == int(steps)


def test_a_sitecustomize_of_the_users_own_runs_too(record: Callable[..., Any]) -> None:
    program = (
        PLAY
        + "import builtins, os, sys, sitecustomize\nprint(builtins.mine, sitecustomize.__file__, play())\n"
    )
    files = {"own/sitecustomize.py": "import builtins\nbuiltins.mine = 'here'\n"}
    run = record(program, files=files, env={"PYTHONPATH": "own"})
    word, file, steps = run.stdout.split()
    assert word == "here"
    assert file.endswith("own/sitecustomize.py")
    assert steps_of(run) == int(steps)


def test_python_path_keeps_its_order_without_us(record: Callable[..., Any], tmp_path: Path) -> None:
    program = "import sys\nprint(*sys.path, sep='\\n')\n"
    run = record(program, env={"PYTHONPATH": "one:two"})
    bare = alone(program, run.directory, env={**os.environ, "PYTHONPATH": "one:two"})
    assert run.stdout == bare.stdout.decode()


def test_a_program_that_forks_without_exec(record: Callable[..., Any]) -> None:
    """Child and parent are recorded apart; nothing of the parent's is written twice."""
    program = PLAY + (
        "import os, json, sys\n"
        "before = play(0.5)\n"
        "reading, writing = os.pipe()\n"
        "pid = os.fork()\n"
        "if pid == 0:\n"
        "    os.write(writing, str(play(0.5)).encode())\n"
        "    os._exit(0)\n"
        "mine = before + play(0.5)\n"
        "os.waitpid(pid, 0)\n"
        "print(json.dumps({'steps': mine + int(os.read(reading, 99))}))\n"
    )
    run = record(program)
    assert run.exit_code == 0, run.stderr
    assert len(run.process_files()) == 2
    assert steps_of(run) == run.truth["steps"]
    run.check_sums()


def test_a_forked_child_that_leaves_by_exception(record: Callable[..., Any]) -> None:
    program = PLAY + (
        "import os\n"
        "with open('log.txt', 'w') as log:\n"
        "    play(0.3)\n"
        "    if os.fork() == 0:\n"
        "        try: raise RuntimeError\n"
        "        finally: os._exit(9)\n"
        "    print(os.waitstatus_to_exitcode(os.wait()[1]))\n"
    )
    run = record(program)
    assert run.stdout == "9\n"


@pytest.mark.parametrize(
    "command",
    [
        (sys.executable, "-m", "pkg.train"),
        (sys.executable, "-m", "pkg"),
        ("sh", "-c", f"{shlex.quote(sys.executable)} -m pkg.train && echo after"),
        ("./train.sh",),
    ],
)
def test_every_way_to_start_python(record: Callable[..., Any], command: tuple[str, ...]) -> None:
    text = PLAY + "if __name__ == '__main__': print(play())\n"
    files = {
        "pkg/__init__.py": "",
        "pkg/train.py": text,
        "pkg/__main__.py": text,
        "train.sh": f"#!/bin/sh\nexec {shlex.quote(sys.executable)} -m pkg.train\n",
    }
    run = record("", files=files, command=("chmod", "+x", "train.sh"), options=("--quiet", "--no-stacks"))
    script = run.directory / "train.sh"
    assert os.access(script, os.X_OK)
    start = tuple(str(script) if part == "./train.sh" else part for part in command)
    run = record("", files=files, command=start)
    assert run.exit_code == 0, run.stderr
    assert steps_of(run) == int(run.stdout.split()[0])


def test_a_stage_mapped_in_the_module_that_is_run(record: Callable[..., Any]) -> None:
    """runpy asks the module's loader for its code; a hook that waits for it may not be in the way."""
    files = {
        "pkg/__init__.py": "",
        "pkg/train.py": PLAY
        + "def enemy(): sum(range(9000))\ndef main():\n    for _ in range(200): enemy(); play(0.005)\n"
        "if __name__ == '__main__': main()\n",
    }
    options = ("--no-stacks", "--stage", "pkg.train:enemy=env.opponent")
    run = record("", files=files, command=(sys.executable, "-m", "pkg.train"), options=options)
    assert run.exit_code == 0, run.stderr
    row = next(row for row in run.report["stages"] if row["stage"] == "env.opponent")
    assert row["calls"] > 100


def test_stages_and_counters_mapped_in_script_and_module(record: Callable[..., Any]) -> None:
    files = {
        "rules.py": "class Base:\n    def turn(self): sum(range(20000))\nclass Foe(Base):\n    pass\n"
        "    @staticmethod\n    def luck(n): return n\n",
        "goldsplit.toml": '[stages]\n"rules:Foe.turn" = "env.opponent"\n'
        '[counters]\n"rules:Foe.luck" = "dice"\n'
        '"__main__:roll" = "rolls"\n',
    }
    program = PLAY + (
        "import rules\n"
        "def roll(): return 4\n"
        "def think(): sum(range(20000))\n"
        "time.sleep(0.1)\n"
        "foe = rules.Foe()\n"
        "for i in range(300): foe.turn(); foe.luck(i); roll(); think(); play(0.001)\n"
    )
    run = record(program, files=files, options=("--no-stacks", "--stage", "program:think=game.thinking"))
    assert run.exit_code == 0, run.stderr
    assert {"env.opponent", "game.thinking", "env.step"} <= run.stages()
    assert "" not in run.stages()
    assert "counted" not in run.stages()
    counters = run.report["throughput"]["counters"]
    assert counters["user:dice"] == 300
    assert counters["user:rolls"] == 300
    assert not [note for note in run.report["trust"]["notes"] if "never matched" in note]
    run.check_sums()


def test_classes_stay_what_they_were(record: Callable[..., Any], tmp_path: Path) -> None:
    """Introspection of staged classes: signatures, abstract methods, pickling, documentation, identity."""
    program = """
import abc, inspect, pickle, dataclasses, enum, typing
class Env(abc.ABC):
    '''An environment.'''
    @abc.abstractmethod
    def reset(self): ...
    @abc.abstractmethod
    def step(self, action: int, *, fast: bool = False) -> tuple: '''Steps.'''
class Grid(Env):
    def reset(self): return 0
    def step(self, action: int, *, fast: bool = False) -> tuple:
        '''Steps.'''
        return (action, 0.0, False, False, {})
@dataclasses.dataclass(slots=True)
class Board:
    n: int = 3
    def reset(self): self.n = 0
    def step(self, action): return self.n, 0.0, False, {}
class Kind(enum.Enum):
    A = 1
    def step(self, x): return x
    def reset(self): return 0
class Likes(typing.Protocol):
    def reset(self): ...
    def step(self, action): ...
try: Env()
except TypeError as error: print(error)
print(inspect.signature(Grid.step), Grid.step.__doc__, Grid.step.__name__)
print(Grid.step.__qualname__, Grid.step.__module__)
print(pickle.loads(pickle.dumps(Grid())).step(3), Board().step(0), Kind.A.step(2))
print(sorted(Env.__abstractmethods__))
print(isinstance(Grid(), Env), Grid.__mro__, inspect.isfunction(Grid.step), Board.__slots__, print.__name__)
print(typing.get_type_hints(Grid.step))
"""
    run = record(program)
    assert run.exit_code == 0, run.stderr
    assert run.stdout.encode() == alone(program, tmp_path).stdout


def test_a_probe_for_a_library_does_not_blind_its_hooks(record: Callable[..., Any]) -> None:
    program = (
        "import importlib.util\n"
        "for name in ('torch', 'stable_baselines3', 'gymnasium', 'multiprocessing.connection'):\n"
        "    assert importlib.util.find_spec(name) is not None or name\n"
        "import multiprocessing.connection as connection\n"
        "print(hasattr(connection.Connection._recv_bytes, '__wrapped__'))\n"
    )
    run = record(program)
    assert run.stdout == "True\n", run.stderr


def test_the_report_is_strict_json(record: Callable[..., Any], goldsplit: Any) -> None:
    program = (
        PLAY
        + "import goldsplit\nfor value in ('nan', 'inf'): goldsplit.metric(value, float(value))\nplay()\n"
    )
    run = record(program)
    shown = goldsplit("show", str(run.run_dir), "--json", cwd=run.directory)

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    json.loads(shown.stdout, parse_constant=refuse)


def test_a_very_short_program_still_has_its_exact_counts(record: Callable[..., Any]) -> None:
    run = record(PLAY + "game = Game(); game.reset()\nfor _ in range(25): game.step(0)\n")
    assert run.exit_code == 0
    assert run.report["throughput"]["env_steps"] == 25
    run.check_sums()


def test_not_python_at_all(record: Callable[..., Any]) -> None:
    run = record("", command=("sh", "-c", "echo hi; exit 3"))
    assert (run.stdout, run.exit_code) == ("hi\n", 3)
    assert "Traceback" not in run.stderr
    assert run.report["throughput"]["env_steps"] is None


FORKING = """
import os, time, warnings
warnings.simplefilter("error")
class Game:
    def reset(self): return 0
    def step(self, action): time.sleep(0.001); return 0, 0.0, False, {}
game = Game()
game.reset()
for _ in range(100): game.step(0)
child = os.fork()
if child == 0:
    game.step(0)
    os._exit(0)
os.waitpid(child, 0)
for _ in range(200): game.step(0)
"""


def test_forking_sees_no_thread_of_ours(record: Callable[..., Any]) -> None:
    """From Python 3.12 on, a fork of a process with several threads warns; ours stands aside meanwhile."""
    run = record(FORKING)
    assert run.exit_code == 0, run.stderr
    assert run.report["throughput"]["env_steps"] == 301
