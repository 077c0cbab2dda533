"""Every command that a page shows exits with 0 when it is pasted into a project that is like the page's.

`make pasted` runs them; it takes some minutes. What cannot run here is in `NOT_HERE`, each with its reason.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.pasted.project import LONG_RUN, make_project

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
#: Commands (or whole pages) that are not run, and why.
NOT_HERE = {
    r"make ": "builds the clone's own environment, for minutes; the walk and `make test` are run by people",
    r"(python -m )?pip install": "changes the environment of the tests; `make wheel` tries it in a bare one",
    r"python benchmarks/": "needs the clone and half an hour: `benchmarks/README.md`",
    r"python -m pytest": "needs the clone: `make thousand`",
    r"RAY_ADDRESS=": "needs a cluster: tests/integration/test_ray_engine.py has one of its own",
    r"tensorboard ": "a server that runs until it is ended",
}
PAGES_NOT_HERE = {
    "docs/walk.md": "recordings of 40 s and 40 trials: docs/render_walk.py runs each, to make the page",
    "docs/cases/highway-env.md": "somebody else's project, which is fetched first",
    "docs/cases/rlcard.md": "somebody else's project, which is fetched first",
}
#: Trainings of the pages take as many steps as one wants to wait for; here so many.
FEW_STEPS = 600
TOO_LONG_SECONDS = 240
#: Of `text` blocks only lines that begin like this are commands; in `sh` blocks all lines are.
_COMMAND = re.compile(r"(\$ )?([A-Z_]+=\S+ )*(goldsplit|python -m goldsplit(\.\w+)*) ")
#: Not what a page says to type: keys, or a part left to the reader.
_NO_COMMAND = re.compile(r"⇥|…|^#|^pgrep ")


def commands_of(page: Path) -> list[str]:
    """In the order in which they are read."""
    found: dict[str, None] = {}
    for kind, block in re.findall(r"```(\w*)\n(.*?)```", page.read_text(), re.DOTALL):
        for line in re.sub(r" \\\n\s*", " ", block).splitlines():
            command = re.split(r"\s+#\s", line.strip())[0].removeprefix("$ ").strip()
            wanted = kind == "sh" or (kind in ("", "text") and _COMMAND.match(line.strip()))
            if wanted and command and not _NO_COMMAND.search(command):
                found[command] = None
    return list(found)


def why_not(command: str) -> str:
    """The reason why it is not run here; "" where it is."""
    return next((why for start, why in NOT_HERE.items() if re.match(start, command)), "")


def in_short(command: str) -> str:
    """The same command, for those who cannot wait: fewer steps of goldsplit's own trainers, fewer pairs, a
    shorter look. Questions about the future are asked of the recording that is long enough to answer them."""
    if re.search(r"goldsplit(\.| )train ", command):
        few = FEW_STEPS * (2 if "--resume" in command else 1)
        command = re.sub(r" --steps \d+", "", command)
        command = re.sub(r"(goldsplit(\.| )train (dqn|ppo))", rf"\1 --steps {few}", command)
    if command.startswith("goldsplit ab"):
        command = re.sub(r" --pairs \d+", "", command).replace("goldsplit ab", "goldsplit ab --pairs 2", 1)
    if command.startswith("goldsplit horizon"):
        command = command.replace(" last", "").replace("horizon", f"horizon {LONG_RUN}", 1)
    return command.replace("--duration 60", "--duration 6")


def good_codes(command: str) -> tuple[int, ...]:
    """`ab` answers with its exit code: keep, roll back, undecided. For all others 0 means done."""
    return (0, 1, 3) if " ab " in f" {command}" else (0,)


PASTED = [page for page in PAGES if str(page.relative_to(ROOT)) not in PAGES_NOT_HERE and commands_of(page)]


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """The project, once; each page gets a copy of it."""
    home = tmp_path_factory.mktemp("pages")
    folder = home / "a game"
    folder.mkdir()
    return folder, make_project(folder, home / "tools")


@pytest.fixture
def project(made: tuple[Path, dict[str, str]], tmp_path: Path) -> Path:
    return Path(shutil.copytree(made[0], tmp_path / "a game", symlinks=True))


def attached_to(command: str, folder: Path) -> tuple[str, subprocess.Popen[bytes] | None]:
    """The command with the process id of something that trains, and ends by itself."""
    if " 4711" not in command:
        return command, None
    text = "import time\nend = time.time() + 20\nwhile time.time() < end: sum(range(9999))"
    process = subprocess.Popen([sys.executable, "-c", text], cwd=folder)
    return command.replace(" 4711", f" {process.pid}"), process


def test_the_pages_have_commands_and_every_reason_is_used() -> None:
    found = [command for page in PAGES for command in commands_of(page)]
    assert len([one for one in found if not why_not(one)]) > 90
    assert [start for start in NOT_HERE if not any(re.match(start, one) for one in found)] == []
    assert [name for name in PAGES_NOT_HERE if not commands_of(ROOT / name)] == []


@pytest.mark.pasted
@pytest.mark.parametrize("page", PASTED, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_of_a_page_exit_with_0(page: Path, project: Path, made: tuple[Path, dict[str, str]]) -> None:
    failed = []
    for command in commands_of(page):
        if why_not(command):
            continue
        if "--config goldsplit.toml" in command and not (project / "goldsplit.toml").exists():
            subprocess.run(["bash", "-c", "goldsplit map last"], cwd=project, env=made[1], check=True)
        typed, process = attached_to(in_short(command), project)
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", typed],
            cwd=project,
            env=made[1],
            capture_output=True,
            text=True,
            timeout=TOO_LONG_SECONDS,
            stdin=subprocess.DEVNULL,
        )
        if process is not None:
            process.kill()
            process.wait()
        if done.returncode not in good_codes(command):
            failed.append(f"{typed}\n  exit {done.returncode}: {done.stdout[-300:]}{done.stderr[-900:]}")
    assert not failed, "\n\n".join(failed)
