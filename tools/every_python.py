"""Build, install and test goldsplit on every Python of this machine.

    python tools/every_python.py wheel 3.11 3.12    a wheel each, tried in a bare environment
    python tools/every_python.py test 3.12          the tests that need no torch, with that interpreter

Interpreters are looked for on the path and among those of pyenv; one that is not there is said and left out.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
TOOLS = (
    *("gevent>=24.10", "hypothesis>=6.100", "jsonschema>=4.20", "pytest>=8.3", "pytest-xdist>=3.6"),
    *("pyyaml>=6", "ruff>=0.8", "scipy>=1.11"),
)
#: Recordings of real programs that need no torch, or skip those parts that do.
RECORDINGS = (
    "bad_endings",
    "bad_input",
    "export",
    "odd_programs",
    "process_kinds",
    "script_functions",
    "stack_runs",
)
#: No Python may take longer than this for its tests: a hang is a failure.
MOST_SECONDS = 1200
NOT_COPIED = (".venv", ".git", ".goldsplit", "__pycache__", "*.so", "build", "dist", "large")
PROGRAM = """
class Game:
    def reset(self): return 0
    def step(self, action): return sum(range(2000)), 1.0, False, {}
game = Game()
game.reset()
for turn in range(3000): game.step(turn)
"""


def interpreter(version: str) -> str | None:
    """Python of a version, on the path or of pyenv; the newest of several."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = sorted(pyenv.glob(f"{version}.*/bin/python"), key=lambda path: (len(str(path)), str(path)))
    for candidate in (str(found[-1]) if found else None, shutil.which(f"python{version}")):
        works = (
            candidate
            and subprocess.run([candidate, "-c", "import venv"], capture_output=True).returncode == 0
        )
        if candidate and works:
            return candidate
    return None


def run(*command: str, **options: str) -> None:
    folder = options.pop("cwd", str(ROOT))
    subprocess.run(command, check=True, cwd=folder, env={**os.environ, **options}, timeout=MOST_SECONDS)


def bare_environment(python: str, folder: Path) -> str:
    run(python, "-m", "venv", str(folder))
    return str(folder / "bin" / "python")


def audit(wheel: Path) -> None:
    """Where auditwheel is installed: the wheel needs nothing but the C library."""
    found = shutil.which("auditwheel")
    if found is None:
        print(f"{wheel.name}: no auditwheel here, not audited")
        return
    told = subprocess.run([found, "show", str(wheel)], capture_output=True, text=True)
    if told.returncode or "manylinux" not in told.stdout:
        sys.exit(f"{wheel.name}: auditwheel is not content:\n{told.stdout}{told.stderr}")
    print(f"{wheel.name}: audited")


def build_and_try(python: str, version: str, folder: Path) -> None:
    """A wheel without sources in C, which installs where nothing else is and records a program."""
    inside = bare_environment(python, folder / "venv")
    made = folder / "wheel"
    run(inside, "-m", "pip", "wheel", "-q", "--no-deps", "--wheel-dir", str(made), str(ROOT))
    (wheel,) = made.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    sources = [name for name in names if name.endswith((".c", ".h"))]
    if sources or not any("_native" in name for name in names):
        sys.exit(f"{wheel.name}: no compiled core, or sources in C: {sources}")
    audit(wheel)
    run(inside, "-m", "pip", "install", "-q", str(wheel))
    (folder / "play.py").write_text(PROGRAM)
    command = (inside, "-m", "goldsplit")
    run(*command, "record", "--quiet", "--out", "runs", "--", inside, "play.py", cwd=str(folder))
    shown = subprocess.run([*command, "show", "--out", "runs"], cwd=folder, capture_output=True, text=True)
    if "3000 env steps" not in shown.stdout:
        sys.exit(f"Python {version}: the wheel does not record:\n{shown.stdout}{shown.stderr}")
    DIST.mkdir(exist_ok=True)
    shutil.copy(wheel, DIST)
    print(f"Python {version}: {wheel.name} installs in a bare environment and records")


def test(python: str, version: str, folder: Path) -> None:
    """Tests that need no torch, which has no build for every Python; in a copy: nothing here changes."""
    inside = bare_environment(python, folder / "venv")
    copy = str(folder / "copy")
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*NOT_COPIED))
    run(inside, "-m", "pip", "install", "-q", "--editable", f"{copy}[fast,gymnasium]", *TOOLS)
    tests = (inside, "-m", "pytest", "-p", "no:cacheprovider")
    run(*tests, "-n", "2", "tests/unit", "tests/contract", cwd=copy, GOLDSPLIT_WITHOUT_TORCH="1")
    files = [f"tests/integration/test_{name}.py" for name in RECORDINGS]
    run(*tests, *files, cwd=copy, GOLDSPLIT_WITHOUT_TORCH="1")
    print(f"Python {version}: the tests that need no torch pass")


def main() -> None:
    what, *versions = sys.argv[1:]
    action = {"wheel": build_and_try, "test": test}[what]
    for version in versions:
        python = interpreter(version)
        if python is None:
            print(f"Python {version}: not on this machine, left out")
            continue
        with tempfile.TemporaryDirectory(prefix="goldsplit-") as folder:
            action(python, version, Path(folder))


if __name__ == "__main__":
    main()
