"""What `make demo` leaves on the screen: all of it on 80 columns and 24 lines, with the prompt below."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[3]
VERDICT = "\n".join(
    [
        "20261118-151012-demo-008 · complete · 15.8 s, 12.4 s of it training",
        *(f"Bottleneck   line {number} of the verdict" for number in range(12)),
        "all of it: goldsplit show demo",
        "run: demo\n",
    ]
)
COMPARED = """\
A            20261118-151012-demo-008 · 6.82 ms per env step · 6.92 ms of CPU ·
             1768 env steps
B            20261118-151115-demo-fast-167 · 115 us per env step · 110 us of CPU
             · 56992 env steps
Speed        59.20x as many env steps/s in B
Warning      these are two single runs, not pairs

Stages (wall time per env step; largest change first)
stage                   A        B    change
"""
FILES = ["report: a; what to do: b", "for programs: c"]


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("demo", ROOT / "tools" / "demo.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


demo = load()


def test_the_longest_verdict_and_before_and_after_fit_above_the_prompt() -> None:
    lines = demo.last_lines(VERDICT, COMPARED, FILES)
    assert len(lines) <= 23
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith("20261118-151012-demo-008")
    assert "run: demo" not in lines
    assert lines[-2:] == FILES


def test_before_and_after_are_the_head_of_the_comparison() -> None:
    lines = demo.before_and_after(COMPARED)
    assert [line[:12].strip() for line in lines] == ["Before", "", "After", "", "Speed"]
    assert lines[0][13:].startswith("20261118-151012-demo-008 · 6.82 ms")
    assert lines[-1] == "Speed        59.20x as many env steps/s after"


def test_both_trainings_differ_in_their_surroundings_only() -> None:
    slow, fast = demo.training("plain"), demo.training("fast")
    assert [(a, b) for a, b in zip(slow, fast, strict=True) if a != b] == [("plain", "fast")]


def test_the_remedy_is_a_function_of_the_game() -> None:
    kind, module, name = demo.REMEDY.split(":")
    assert kind == "constant"
    file = ROOT / "src" / Path(*module.split(".")).with_suffix(".py")
    assert f"def {name}(" in file.read_text(encoding="utf-8")
