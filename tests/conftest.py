"""Fixtures that the whole suite shares: a clean engine, and recorded runs."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from goldsplit import api
from goldsplit.model import pasting
from goldsplit.record.inside.engine import ENGINE, ThreadState

#: No recorded program of the suite may run longer than this; a hang is a failure, not a wait.
TIMEOUT_SECONDS = 120

# `make test` gives the same answer whenever the code is the same: examples are drawn as the test says, not at
# random, none is remembered from an earlier run, and a slow machine is no failure. `make fuzz` searches.
settings.register_profile("same", derandomize=True, database=None, deadline=None)
settings.register_profile("search", database=None, deadline=None, print_blob=True)
settings.load_profile("search" if os.environ.get("GOLDSPLIT_FUZZ") else "same")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Started in the background (nohup, a job of a script): the programs of the suite would inherit that and
    # never see the Ctrl-C that their tests send.
    signal.signal(signal.SIGINT, signal.default_int_handler)


#: `make test-all` sets this for Pythons that torch has no build for: tests that need it are skipped there and
#: nowhere else, so that a missing library is never taken for a passed test.
WITHOUT_TORCH = bool(os.environ.get("GOLDSPLIT_WITHOUT_TORCH"))
_TORCH = ("torch", "stable_baselines3", "sb3_contrib", "tensorboard")
_MISSES_TORCH = re.compile(rf"No module named '({'|'.join(_TORCH)})")
#: Trainers need it, but not their options and settings.
_TRAINERS = r"goldsplit\.train( import|\.(?!errors|options|settings|progress))"
_IMPORTS_TORCH = re.compile(rf"^(import|from) (({'|'.join(_TORCH)})\b|{_TRAINERS})", re.MULTILINE)


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Whole modules that import torch."""
    is_module = WITHOUT_TORCH and collection_path.suffix == ".py"
    return True if is_module and _IMPORTS_TORCH.search(collection_path.read_text()) else None


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Tests whose programs import torch."""
    if WITHOUT_TORCH and item.get_closest_marker("needs_torch"):
        pytest.skip("its program needs torch")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Single tests that import torch."""
    try:
        return (yield)
    except ModuleNotFoundError as error:
        if WITHOUT_TORCH and error.name in _TORCH:
            pytest.skip(f"needs {error.name}")
        raise


@pytest.fixture(autouse=True)
def same_shell() -> Iterator[None]:
    """Printed commands begin with `goldsplit`, whatever a test before has started."""
    pasting.will_paste_in(pasting.Shell())
    yield
    pasting.will_paste_in(pasting.Shell())


@pytest.fixture
def state() -> Iterator[ThreadState]:
    """The calling thread's state in an engine that knows nothing yet."""
    ENGINE.forget()
    yield ENGINE.state()
    ENGINE.forget()


@pytest.fixture
def recording_api(state: ThreadState) -> Iterator[ThreadState]:
    """The public calls, switched on as in a recorded process."""
    api.use_recording_stage()
    yield state
    api._make_stage = api._stage_decorated = api._engine = None


@dataclass
class Recorded:
    """What `goldsplit record` left behind."""

    exit_code: int
    stdout: str
    stderr: str
    out: Path
    directory: Path
    _report: dict[str, Any] | None = None

    @property
    def run_dir(self) -> Path:
        runs = sorted(self.out.glob("*/run.json"))
        assert len(runs) == 1, f"expected one run below {self.out}: {runs}\n{self.stderr}"
        return runs[0].parent

    @property
    def report(self) -> dict[str, Any]:
        """The report as JSON, through the command line."""
        if self._report is None:
            shown = goldsplit("show", str(self.run_dir), "--json", cwd=self.directory)
            assert shown.returncode == 0, shown.stderr
            self._report = json.loads(shown.stdout)
        return self._report

    @property
    def truth(self) -> dict[str, Any]:
        """What the program said about itself: a JSON object on its last line."""
        return json.loads(self.stdout.strip().splitlines()[-1])

    def share(self, *stages: str) -> float:
        return sum(row["wall_share"] for row in self.report["stages"] if row["stage"] in stages)

    def stages(self) -> set[str]:
        return {row["stage"] for row in self.report["stages"]}

    def process_files(self) -> list[Path]:
        return sorted(self.run_dir.glob("proc-*.jsonl"))

    def check_sums(self) -> None:
        """What holds for every report: shares sum to one, and none is over one."""
        shares = [row["wall_share"] for row in self.report["stages"]]
        assert all(0.0 <= share <= 1.0 for share in shares)
        assert sum(shares) + self.report["unattributed"]["wall_share"] == pytest.approx(1.0, abs=1e-6)
        for lane in self.report["lanes"]:
            for key in ("busy_share", "wait_share", "barrier_share", "charged_share"):
                assert lane[key] is None or 0.0 <= lane[key] <= 1.0


def goldsplit(*arguments: str, cwd: Path, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "goldsplit", *arguments],
        cwd=cwd,
        env=environment(options.pop("env", {})),
        capture_output=True,
        text=True,
        timeout=options.pop("timeout", TIMEOUT_SECONDS),
        stdin=options.pop("stdin", subprocess.DEVNULL if "input" not in options else None),
        **options,
    )


def environment(extra: dict[str, str]) -> dict[str, str]:
    """One thread per library, so that two cores are enough and runs are alike."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {**os.environ, **threads, **extra}


@pytest.fixture(scope="session", name="goldsplit")
def goldsplit_command() -> Callable[..., subprocess.CompletedProcess[str]]:
    return goldsplit


@pytest.fixture(scope="session")
def record(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Recorded]:
    """record(program text, ...): run it below `goldsplit record` in a directory of its own."""

    def run(
        program: str,
        *arguments: str,
        options: tuple[str, ...] = ("--no-stacks",),
        files: dict[str, str] | None = None,
        command: tuple[str, ...] | None = None,
        **more: Any,
    ) -> Recorded:
        directory = tmp_path_factory.mktemp("run")
        for name, text in {"program.py": program, **(files or {})}.items():
            path = directory / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text))
        out = directory / "runs"
        done = goldsplit(
            "record",
            "--out",
            str(out),
            *options,
            "--",
            *(command or (sys.executable, "program.py", *arguments)),
            cwd=directory,
            **more,
        )
        if WITHOUT_TORCH and _MISSES_TORCH.search(done.stderr):
            pytest.skip("its program needs torch")
        return Recorded(done.returncode, done.stdout, done.stderr, out, directory)

    return run


@dataclass
class Started:
    """A `goldsplit record` that is still going."""

    process: subprocess.Popen[str]
    out: Path
    directory: Path

    def wait_for_line(self, wanted: str) -> str:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if wanted in line:
                return line
        raise AssertionError(f"the program ended without saying {wanted!r}")

    def finish(self) -> Recorded:
        stdout, stderr = self.process.communicate(timeout=TIMEOUT_SECONDS)
        return Recorded(self.process.returncode, stdout, stderr, self.out, self.directory)


@pytest.fixture
def start_recording(tmp_path: Path) -> Iterator[Callable[..., Started]]:
    """start_recording(program): like `record`, but returns at once, in a session of its own."""
    started: list[Started] = []

    def start(program: str, *options: str) -> Started:
        (tmp_path / "program.py").write_text(textwrap.dedent(program))
        out = tmp_path / "runs"
        command = [sys.executable, "-m", "goldsplit", "record", "--no-stacks", "--out", str(out), *options]
        process = subprocess.Popen(
            [*command, "--", sys.executable, "-u", "program.py"],
            cwd=tmp_path,
            env=environment({}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        started.append(Started(process, out, tmp_path))
        return started[-1]

    yield start
    for one in started:
        if one.process.poll() is None:
            os.killpg(one.process.pid, signal.SIGKILL)
        for pipe in (one.process.stdout, one.process.stderr):
            if pipe is not None:
                pipe.close()
        one.process.wait(timeout=10)
