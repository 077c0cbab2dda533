"""`make new-rule NAME=my-rule`, in a copy of the parts of the repository that it needs."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[3]
COPIED = ("src", "tools", "tests/unit/diagnose", "benchmarks/faults_judge.py", "docs/generate_rules.py")
CODE, MODULE = "slow-reset", "slow_reset"
MADE = [
    f"src/goldsplit/diagnose/rules/{MODULE}.py",
    f"tests/unit/diagnose/rules/test_{MODULE}.py",
    f"tests/faults/{CODE}/fault.toml",
    f"tests/faults/{CODE}/slow/train.py",
    f"tests/faults/{CODE}/fixed/train.py",
    f"docs/rules/{CODE}.md",
]


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("new_rule", ROOT / "tools" / "new_rule.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


new_rule = load()


def run(repository: Path, *command: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(repository / "src")}
    return subprocess.run(
        [sys.executable, *command], cwd=repository, env=environment, capture_output=True, text=True
    )


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    copy = tmp_path_factory.mktemp("repository")
    for part in COPIED:
        (copy / part).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / part).is_dir():
            shutil.copytree(
                ROOT / part, copy / part, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info")
            )
        else:
            shutil.copy(ROOT / part, copy / part)
    return copy


@pytest.fixture(scope="module")
def made(repository: Path) -> subprocess.CompletedProcess[str]:
    """What the script says, after it has made the rule."""
    return run(repository, "tools/new_rule.py", CODE)


def test_everything_is_made_and_said(repository: Path, made: subprocess.CompletedProcess[str]) -> None:
    assert (made.returncode, made.stderr) == (0, "")
    assert all((repository / path).exists() for path in MADE)
    assert all(path in made.stdout for path in MADE)
    assert "my-rule" not in made.stdout
    assert "my_rule" not in (repository / MADE[0]).read_text() + (repository / MADE[1]).read_text()
    assert f"[{CODE}]({CODE}.md)" in (repository / "docs" / "rules" / "README.md").read_text()


@pytest.mark.usefixtures("made")
def test_it_passes_lint(repository: Path) -> None:
    python = [path for path in [*MADE, new_rule.INDEX] if path.endswith(".py")]
    settings = ("--config", str(ROOT / "pyproject.toml"))
    for check in (("check",), ("format", "--check")):
        done = run(repository, "-m", "ruff", *check, "--no-cache", *settings, *python)
        assert done.returncode == 0, done.stdout


@pytest.mark.usefixtures("made")
def test_the_tests_fail_and_say_what_is_left_to_write(repository: Path) -> None:
    options = ("--import-mode=importlib", "-p", "no:cacheprovider", "-q", "-k", f"{CODE} or {MODULE}")
    done = run(repository, "-m", "pytest", *options, "tests/unit/diagnose")
    failed = set(re.findall(r"^FAILED .*::(\w+)", done.stdout, flags=re.MULTILINE))
    assert failed == {
        "test_the_fault_is_found",
        "test_it_has_a_fault_project_with_both_programs",
        "test_nothing_is_left_to_write",
    }, done.stdout
    assert f"no line of {CODE}/slow ends in `# fault`" in done.stdout
    assert "TODO: write check() of the rule" in done.stdout


@pytest.mark.usefixtures("made")
def test_the_program_runs(repository: Path) -> None:
    program = repository / "tests" / "faults" / CODE / "slow" / "train.py"
    short = program.read_text().replace("SECONDS = 4.0", "SECONDS = 0.1")
    assert run(repository, "-c", short).stderr == ""


@pytest.mark.usefixtures("made")
@pytest.mark.parametrize("name", ["", "Slow-Reset", "slow_reset", "slow--reset", "-slow", "import", CODE])
def test_a_wrong_name_makes_nothing(repository: Path, name: str) -> None:
    before = sorted(repository.rglob("*"))
    done = run(repository, "tools/new_rule.py", name)
    assert done.returncode == 2
    assert re.fullmatch(r"error: .+\nhint: .+\n", done.stderr)
    assert sorted(repository.rglob("*")) == before


def test_a_rule_that_exists_is_named() -> None:
    message, _ = new_rule.problem_with("repeated-calls")
    assert "src/goldsplit/diagnose/rules/repeated_calls.py" in message


INDEX = """\
from goldsplit.diagnose.rules import (
    env_too_cheap,
    waits_outside,
)

RULES = (
    env_too_cheap.RULE,
    waits_outside.RULE,
)
"""


@pytest.mark.parametrize(
    ("module", "order"),
    [
        ("actions", ["actions", "env_too_cheap", "waits_outside"]),
        ("environment", ["env_too_cheap", "environment", "waits_outside"]),
        ("zero", ["env_too_cheap", "waits_outside", "zero"]),
    ],
)
def test_the_entry_is_put_in_its_place(module: str, order: list[str]) -> None:
    text = new_rule.with_entry(INDEX, module)
    assert re.findall(r"    (\w+),", text) == order
    assert re.findall(r"    (\w+)\.RULE,", text) == order
