"""What `import goldsplit` is: a sorted handful of names, light, and without side effects."""

from __future__ import annotations

import importlib
import json
import pkgutil
import subprocess
import sys
from pathlib import Path

import goldsplit

HEAVY = {"rich", "click", "scipy", "torch", "numpy", "psutil", "jinja2", "plotly", "asyncio"}


def test_all_is_sorted_and_true() -> None:
    assert list(goldsplit.__all__) == sorted(goldsplit.__all__)
    for name in goldsplit.__all__:
        assert hasattr(goldsplit, name)


def python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_brings_nothing_heavy() -> None:
    loaded = json.loads(
        python("import sys, json, goldsplit; print(json.dumps([m.split('.')[0] for m in sys.modules]))")
    )
    assert HEAVY & set(loaded) == set()


def test_importing_is_quick_beside_a_small_import() -> None:
    """Against `import json` in the same process, cold, best of several: a ratio, not a time."""
    code = (
        "import time, sys\n"
        "a = time.perf_counter(); import argparse; b = time.perf_counter(); import goldsplit\n"
        "c = time.perf_counter(); print((c - b) / (b - a))\n"
    )
    assert min(float(python(code)) for _ in range(5)) < 3


def test_importing_changes_nothing() -> None:
    code = (
        "import builtins, os, sys, threading, signal, warnings\n"
        "def look(): return (builtins.print, builtins.__build_class__, os._exit,\n"
        "    tuple(map(id, sys.meta_path)), threading.Condition.wait,\n"
        "    signal.getsignal(signal.SIGINT), len(warnings.filters), threading.active_count())\n"
        "before = look()\n"
        "import goldsplit\n"
        "assert look() == before\n"
    )
    python(code)


def test_every_error_is_in_the_drawn_tree() -> None:
    from goldsplit import errors

    for name, value in vars(errors).items():
        if isinstance(value, type) and issubclass(value, Exception):
            assert name in (errors.__doc__ or "")
            assert value is errors.GoldsplitError or issubclass(value, errors.GoldsplitError)
    shown = str(errors.ConfigError("it is wrong", "make it right"))
    assert shown == "it is wrong\nhint: make it right"
    assert str(errors.ConfigError("it is wrong")) == "it is wrong"


def test_every_module_has_a_docstring_and_is_small() -> None:
    root = Path(goldsplit.__file__).parent
    for file in root.rglob("*.py"):
        text = file.read_text()
        assert text.lstrip().startswith('"""'), f"{file.name} says nothing about itself"
        assert text.count("\n") <= 350, f"{file} is too long"


def test_the_modules_of_the_profiler_import_alone() -> None:
    for package in ("model", "store", "analyse"):
        module = importlib.import_module(f"goldsplit.{package}")
        for info in pkgutil.iter_modules(module.__path__):
            importlib.import_module(f"goldsplit.{package}.{info.name}")
