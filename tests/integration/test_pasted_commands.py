"""What goldsplit prints and what the pages show can be pasted into a shell, wherever it was started from."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

import click
import pytest

from goldsplit.cli.main import COMMANDS, cli

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PLAIN = """
    import json
    class Game:
        def reset(self):
            return [0] * 8
        def step(self, action):
            state = [json.loads(json.dumps([i * action % 7 for i in range(60)])) for _ in range(3)]
            return state[0], float(action), action == 9, {}
    def tidy(rows):
        return sorted(sum(rows, []))
    def train():
        game = Game()
        game.reset()
        for turn in range(400):
            rows = [game.step(turn % 10)[0] for _ in range(4)]
            tidy(rows * 20)
    train()
"""
SB3 = """
    import gymnasium, torch
    from stable_baselines3 import PPO
    torch.set_num_threads(1)
    PPO("MlpPolicy", "CartPole-v1", n_steps=64, batch_size=32, n_epochs=2, device="cpu").learn(192)
"""
DEMO = (ROOT / "examples" / "train_hexfight.py").read_text()
RUNS = {"plain": (PLAIN, ()), "sb3": (SB3, ()), "demo": (DEMO, ("--steps", "512"))}
#: Of the pages: commands that read a run, which is cheap. The others are only parsed.
READING = {
    "show",
    "report",
    "plan",
    "export",
    "explain",
    "whatif",
    "horizon",
    "runs",
    "stages",
    "map",
    "overlays",
}


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Pasted, in a shell that knows no `goldsplit`."""
    path = os.pathsep.join(one for one in os.environ["PATH"].split(os.pathsep) if not holds_goldsplit(one))
    return subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path, "OMP_NUM_THREADS": "1", "COLUMNS": "80"},
        capture_output=True,
        text=True,
        timeout=120,
        stdin=subprocess.DEVNULL,
    )


def holds_goldsplit(folder: str) -> bool:
    return (Path(folder) / "goldsplit").exists()


def printed_commands(text: str) -> list[str]:
    """Command lines of goldsplit in what it printed; a backslash continues a line."""
    whole = re.sub(r" \\\n\s*", " ", text)
    begins = re.escape(shlex.join([sys.executable, "-m", "goldsplit"]) + " ")
    found = re.findall(rf"(?:cd (?:'[^']*'|\S+) && )?{begins}[^\n`]*", whole)
    return list(dict.fromkeys(one.strip() for one in found if " RUN " not in one))


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_every_printed_command_runs(name: str, tmp_path: Path) -> None:
    text, arguments = RUNS[name]
    home, elsewhere = tmp_path / "a game", tmp_path / "elsewhere"
    home.mkdir()
    elsewhere.mkdir()
    (home / "train.py").write_text(textwrap.dedent(text))
    goldsplit = shlex.join([sys.executable, "-m", "goldsplit"])
    program = shlex.join([sys.executable, "train.py", *arguments])
    recorded = shell(f"{goldsplit} record --deep --name {name} -- {program}", home)
    assert recorded.returncode == 0, recorded.stderr
    assert len(recorded.stderr.splitlines()) <= 15
    (run,) = (home / ".goldsplit" / "runs").glob(f"*-{name}-*")
    commands = printed_commands(recorded.stderr)
    assert commands, recorded.stderr
    check_all(commands if name == "plain" else commands[-1:], home)  # the others come again below
    asked = [shell(f"{goldsplit} {what} {shlex.quote(str(run))}", elsewhere) for what in ("show", "plan")]
    asked.append(shell(f"{goldsplit} stages --explain {shlex.quote(str(run))}", elsewhere))
    assert [one.returncode for one in asked] == [0, 0, 0], [one.stderr for one in asked]
    more = printed_commands("\n".join(one.stdout for one in asked))
    assert any("cd " in one for one in more), more
    check_all(more, elsewhere)


def check_all(commands: list[str], folder: Path) -> None:
    for command in commands:
        done = shell(command, folder)
        assert done.returncode == 0, f"{command}\n{done.stdout[-500:]}{done.stderr[-1500:]}"


def commands_of_pages() -> list[str]:
    """Commands in shell blocks; lines with an ellipsis are no commands."""
    found: dict[str, None] = {}
    for page in PAGES:
        for block in re.findall(r"```sh\n(.*?)```", page.read_text(), re.DOTALL):
            for line in re.sub(r" \\\n\s*", " ", block).splitlines():
                if line.startswith("goldsplit ") and "…" not in line:
                    found[re.split(r"\s+#|\s+\|", line)[0].strip()] = None
    return list(found)


def without_program(arguments: list[str]) -> list[str]:
    """The recorded command has its own options."""
    return [*arguments[: arguments.index("--")], "--", "python"] if "--" in arguments else list(arguments)


def test_commands_of_the_pages_are_commands() -> None:
    wanted = commands_of_pages()
    assert len(wanted) > 40
    by_name = {one.name: one for one in COMMANDS}
    for line in wanted:
        name, *arguments = shlex.split(line)[1:]
        command = by_name.get(name)
        assert command is not None, line
        with click.Context(cli, info_name="goldsplit") as parent:
            command.make_context(name, without_program(arguments), parent=parent).close()


@pytest.mark.slow
def test_commands_of_the_pages_run_on_a_recorded_program(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(textwrap.dedent(PLAIN))
    goldsplit = shlex.join([sys.executable, "-m", "goldsplit"])
    for name in ("baseline", "before", "after"):
        program = shlex.join([sys.executable, "train.py"])
        done = shell(f"{goldsplit} record --no-stacks --quiet --name {name} -- {program}", tmp_path)
        assert done.returncode == 0, done.stderr
    reading = [line for line in commands_of_pages() if line.split()[1] in READING and "--open" not in line]
    assert len(reading) > 15
    for line in sorted(reading, key=lambda one: "--config" in one):  # `map` writes the file first
        done = shell(line.replace("goldsplit", goldsplit, 1), tmp_path)
        refused = (
            done.returncode == 2 and "hint:" in done.stderr
        )  # a stage or layout that this run does not have
        assert done.returncode == 0 or (refused and line.split()[1] in ("whatif", "horizon")), (
            f"{line}\n{done.stderr}"
        )
