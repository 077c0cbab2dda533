"""The compiled core under gcc's address and undefined-behaviour sanitizers: `make fuzz` runs it.

The package is copied and built in a folder of its own, so the installed core stays as it is, and the tests
that use the core run with that copy. A finding ends with the sanitizer's report and exit code 1; where the
machine has no gcc or no sanitizers, that is said, and nothing is claimed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CORE = Path("goldsplit/record/inside/core")
SANITIZERS = "-fsanitize=address,undefined -fno-sanitize-recover=undefined"
FLAGS = f"{SANITIZERS} -fno-omit-frame-pointer -g -O1 -shared -fPIC"
TESTS = (
    "tests/contract/test_core_contract.py",
    "tests/contract/test_calls_contract.py",
    "tests/contract/test_watched_calls.py",
    "tests/unit/record/inside",
)
#: Python itself keeps memory until it ends, so leaks are not looked for; its signals stay its own.
OPTIONS = "detect_leaks=0:abort_on_error=0:exitcode=99:handle_segv=0:allow_user_segv_handler=1"
#: Deep recursion is about the size of real stack frames; those of a sanitized build are several times larger.
LEFT_OUT = "not very_deep"
IS_OURS = """
import sys
from goldsplit.record.inside.core import _native
assert _native.__file__.startswith(sys.argv[1]), _native.__file__
"""


def library(name: str) -> str | None:
    """A library of gcc; None where it has none."""
    found = subprocess.run(["gcc", f"-print-file-name={name}"], capture_output=True, text=True).stdout.strip()
    return found if Path(found).is_absolute() and Path(found).exists() else None


def build(source: Path) -> None:
    """The copy's core, sanitized."""
    core = source / CORE
    for old in core.glob("_native*.so"):
        old.unlink()
    made = core / f"_native{sysconfig.get_config_var('EXT_SUFFIX')}"
    includes = [f"-I{sysconfig.get_path('include')}", f"-I{core}"]
    command = ["gcc", *FLAGS.split(), *includes, *map(str, sorted(core.rglob("*.c"))), "-o", str(made), "-lm"]
    subprocess.run(command, check=True)


def main() -> None:
    asan = library("libasan.so") if shutil.which("gcc") else None
    if asan is None:
        print("no gcc with an address sanitizer here: the compiled core was not checked")
        return
    with tempfile.TemporaryDirectory(prefix="goldsplit-sanitized-") as folder:
        source = Path(folder) / "src"
        shutil.copytree(ROOT / "src", source, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        build(source)
        environment = {
            **os.environ,
            "LD_PRELOAD": " ".join(filter(None, (asan, library("libubsan.so"), library("libstdc++.so.6")))),
            "ASAN_OPTIONS": f"{OPTIONS}:log_path={folder}/report",
            "UBSAN_OPTIONS": f"print_stacktrace=1:halt_on_error=1:log_path={folder}/report",
            "PYTHONMALLOC": "malloc",
            "PYTHONPATH": str(source),
        }
        subprocess.run([sys.executable, "-c", IS_OURS, folder], check=True, cwd=ROOT, env=environment)
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", LEFT_OUT, *TESTS]
        done = subprocess.run(command, cwd=ROOT, env=environment)
        for report in sorted(Path(folder).glob("report.*")):
            print(report.read_text(errors="replace"))
    if done.returncode:
        sys.exit(f"the compiled core failed under the sanitizers (exit code {done.returncode})")
    print("the compiled core: nothing found by the address and undefined-behaviour sanitizers")


if __name__ == "__main__":
    main()
