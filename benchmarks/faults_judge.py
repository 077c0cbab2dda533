"""Record a fault project and judge the findings: what `faults.py` and the test of all rules share.

tests/faults/README.md says what a fault project consists of.
"""

from __future__ import annotations

import ast
import math
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goldsplit import pipeline
from goldsplit.model.finding import Finding, Place

PROJECTS = Path(__file__).resolve().parents[1] / "tests" / "faults"
TWINS = ("slow", "fixed")
#: The planted fault must be among this many first findings.
MOST_RANK = 2
#: A recording may take this much longer than its program says: imports, sampling, a busy machine.
PATIENCE_SECONDS = 90
_NEEDED = frozenset({"deep", "seconds"})
_SETTINGS = _NEEDED | {"quick", "args", "options", "env", "rule"}


@dataclass(frozen=True, slots=True)
class Project:
    """One fault: a program with it, and the same program with the fault fixed."""

    code: str
    folder: Path
    deep: bool
    seconds: float
    quick: bool
    args: tuple[str, ...]
    options: tuple[str, ...]
    env: dict[str, str]
    rule: str
    """The rule that must find it: the folder's name, unless a rule has several projects."""


@dataclass(frozen=True, slots=True)
class SlowVerdict:
    """What was found in the program with the fault."""

    rank: int | None
    """1 for the first finding; None: not found."""
    finding: Finding | None
    place_right: bool
    findings: tuple[Finding, ...]

    @property
    def passed(self) -> bool:
        return self.rank is not None and self.rank <= MOST_RANK and self.place_right


@dataclass(frozen=True, slots=True)
class FixedVerdict:
    """What was found in the fixed program: it must be nothing worthwhile."""

    findings: tuple[Finding, ...]

    @property
    def disturbing(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.worthwhile and not finding.pointer]

    @property
    def passed(self) -> bool:
        return not self.disturbing


def projects() -> list[Project]:
    """All fault projects, by name."""
    return [read_project(path.parent) for path in sorted(PROJECTS.glob("*/fault.toml"))]


def chosen(names: list[str]) -> list[Project]:
    """The projects of these names, or whose names begin so; all without a name."""
    every = projects()
    exact = {project.code for project in every} & set(names)
    begins = tuple(name for name in names if name not in exact)
    return [p for p in every if not names or p.code in exact or (begins and p.code.startswith(begins))]


def read_project(folder: Path) -> Project:
    settings = tomllib.loads((folder / "fault.toml").read_text())
    unknown, missing = settings.keys() - _SETTINGS, _NEEDED - settings.keys()
    if unknown or missing:
        problem = f"unknown settings {sorted(unknown)}" if unknown else f"{sorted(missing)} must be set"
        raise ValueError(f"{folder.name}/fault.toml: {problem} (see tests/faults/README.md)")
    return Project(
        code=folder.name,
        folder=folder,
        deep=bool(settings["deep"]),
        seconds=float(settings["seconds"]),
        quick=bool(settings.get("quick", False)),
        args=tuple(settings.get("args", ())),
        options=tuple(settings.get("options", ())),
        env=dict(settings.get("env", {})),
        rule=str(settings.get("rule", folder.name)),
    )


def record(project: Project, twin: str, work: Path, embed: Callable[[Path], str] | None = None) -> Path:
    """Record one program (`slow` or `fixed`) in a copy of its folder below `work`; its run directory. `embed`
    may change the copy, and says which script to run.

    A recording that is there already is used again.
    """
    place = work / project.code / twin
    made = sorted(place.glob("runs/*/run.json"))
    if made:
        return made[-1].parent
    place.mkdir(parents=True, exist_ok=True)
    copy = place / "project"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(project.folder / twin, copy, ignore=shutil.ignore_patterns("__pycache__"))
    script = embed(copy) if embed is not None else "train.py"
    options = [*(["--deep"] if project.deep else []), *project.options, "--quiet", "--name", project.code]
    recorder = [sys.executable, "-m", "goldsplit", "record", *options, "--out", str(place / "runs")]
    done = subprocess.run(
        [*recorder, "--", sys.executable, script, *project.args],
        cwd=copy,
        env=environment(project.env),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=project.seconds + PATIENCE_SECONDS,
    )
    made = sorted(place.glob("runs/*/run.json"))
    if done.returncode != 0 or not made:
        shutil.rmtree(place / "runs", ignore_errors=True)
        raise RuntimeError(f"{project.code}/{twin}: exit code {done.returncode}\n{done.stderr[-3000:]}")
    return made[-1].parent


def environment(extra: dict[str, str]) -> dict[str, str]:
    """One thread per library unless a project says otherwise, so that runs are similar on any machine."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    wanted = {**os.environ, **threads, **extra}
    return {name: value for name, value in wanted.items() if value}


def judge_slow(project: Project, run_dir: Path) -> SlowVerdict:
    """Whether the planted fault was found, and where."""
    findings = pipeline.report(run_dir).findings
    for rank, finding in enumerate(findings, start=1):
        if finding.code == project.rule:
            return SlowVerdict(rank, finding, is_planted(project, finding.where), findings)
    return SlowVerdict(None, None, False, findings)


def judge_fixed(run_dir: Path) -> FixedVerdict:
    return FixedVerdict(pipeline.report(run_dir).findings)


def is_planted(project: Project, where: Place | None) -> bool:
    """Whether a place is a marked line, or a line of the function that a marked line is in."""
    if where is None:
        return False
    return any(
        where.file.endswith(f"/{file}") and first <= where.line <= last
        for file, first, last in planted_lines(project)
    )


def planted_lines(project: Project) -> Iterator[tuple[str, int, int]]:
    """File (relative), first and last line that count as the right place, for each mark."""
    slow = project.folder / "slow"
    for path in sorted(slow.rglob("*.py")):
        text = path.read_text()
        marks = [n for n, line in enumerate(text.splitlines(), 1) if line.rstrip().endswith("# fault")]
        functions = [
            (node.lineno, node.end_lineno or node.lineno)
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        ]
        for mark in marks:
            around = [span for span in functions if span[0] <= mark <= span[1]]
            first, last = min(around, key=lambda span: span[1] - span[0], default=(mark, mark))
            yield path.relative_to(slow).as_posix(), first, last


def describe(finding: Finding) -> str:
    """One finding in a line, for tables and failed tests."""
    where = finding.where
    at = f"{Path(where.file).name}:{where.line} {where.function}" if where else "no place"
    share = "share unknown" if finding.share is None else f"{finding.share:.1%}"
    gain = "" if finding.ceiling_speedup is None else f", at most {finding.ceiling_speedup:.2f}x"
    return f"{finding.code} ({share}{gain}, {finding.confidence}) at {at}: {finding.title}"


def complaints(finding: Finding) -> list[str]:
    """What is wrong with a finding, whichever rule made it."""
    share, gain = finding.share, finding.ceiling_speedup
    held = {
        "the title is one line of at most 110 characters": 0 < len(finding.title) <= 110
        and "\n" not in finding.title,
        "the confidence is high, medium or low": finding.confidence in {"high", "medium", "low"},
        "the effort is minutes, hours or days": finding.effort in {"minutes", "hours", "days"},
        "there is a remedy": bool(finding.remedy.strip()),
        "there is a command that verifies it": bool(finding.verify.strip()),
        "there is evidence": bool(finding.evidence),
        "the evidence is plain and finite": is_plain(finding.evidence),
        "the share is between 0 and 1": share is None or 0.0 <= share <= 1.0,
        "the ceiling is not below 1": gain is None or gain >= 1.0,
    }
    return [f"{finding.code}: not true: {text} ({finding})" for text, right in held.items() if not right]


def is_plain(value: Any) -> bool:
    """Whether a value can be shown and written as JSON; what was not measured is left out, not None."""
    if isinstance(value, bool | str):
        return True
    if isinstance(value, int | float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(isinstance(key, str) and is_plain(inner) for key, inner in value.items())
    return isinstance(value, list | tuple) and all(is_plain(inner) for inner in value)
