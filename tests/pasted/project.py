"""A project as the pages speak of it: every file, class, run and revision that a command in them names."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

#: A learner over several games in the layout of one process: two stages of a turn, updates, log lines.
TRAIN = """
    import argparse, json, os, random
    import goldsplit
    import game.sight
    from core.env import Battle
    parser = argparse.ArgumentParser()
    for name, value in (("steps", 100), ("envs", 2), ("batch", 8), ("seed", 1), ("n_envs", 2)):
        parser.add_argument("--" + name, type=int, default=value)
    options = parser.parse_args()
    random.seed(options.seed)
    class Learner:
        def __init__(self):
            self.weights = [0.0] * 64
        def update(self, batch):
            goldsplit.count("updates")
            self.weights = [one * 0.99 + sum(batch) for one in self.weights for _ in range(1)]
        def select_action(self, observation):
            return max(range(8), key=lambda n: self.weights[n] + observation[n % 4])
    @goldsplit.stage("log")
    def log_metrics(step):
        with open("log.jsonl", "a") as file:
            file.write(json.dumps({"step": step, "table": list(range(200))}) + chr(10))
    def train():
        games, learner = [Battle() for _ in range(2)], Learner()
        seen = [game.reset() for game in games]
        for step in range(int(os.environ.get("TURNS", "400"))):
            for place, one in enumerate(games):
                seen[place], reward, over, _ = one.step(learner.select_action(seen[place]))
                if over:
                    goldsplit.episode(reward=reward, win=reward > 0)
                    seen[place] = one.reset()
            if step % 4 == 0:
                learner.update(seen[0])
            log_metrics(step)
    train()
"""
BATTLE = """
    import json, random
    import game
    from game.sight import line_of_sight
    class Battle:
        n_actions = 8
        def __init__(self, size=8):
            self.turn, self.size = 0, size
            self.board = game.Board()
        def reset(self, seed=None):
            self.turn = 0
            return [0.0, 1.0, 2.0, 3.0]
        def step(self, action):
            self.turn += 1
            self.resolve(action)
            self.resolve_combat(action)
            self.enemy_turn()
            self.board.push(action)
            return [float(self.turn), 1.0, float(action), 3.0], 1.0, self.turn % 20 == 0, {}
        def resolve(self, action):
            return json.loads(json.dumps([n * action for n in range(60)]))
        def resolve_combat(self, action):
            return sorted(n * action % 7 for n in range(60))
        def enemy_turn(self):
            return [line_of_sight(n, 3) for n in range(30)]
"""
FILES = {
    "train.py": TRAIN,
    "train.sh": '#!/bin/sh\nexec python train.py "$@"\n',
    "core/__init__.py": "",
    "core/env.py": BATTLE,
    "my_game.py": "from core.env import Battle as Battle\n",
    "mygame/__init__.py": "",
    "mygame/train.py": TRAIN.replace("from core.env import Battle", "from game.env import Game as Battle"),
    "game/__init__.py": "class Board:\n    def push(self, move):\n        self.last = [move] * 50\n",
    "game/sight.py": "def line_of_sight(a, b):\n    return sum(n * b % 7 for n in range(a)) >= 0\n",
    "game/env.py": """
        from core.env import Battle
        class HexEnv(Battle):
            pass
        class Game(Battle):
            pass
        def make_env(size=8):
            return HexEnv(size)
    """,
    "speed.toml": "[settings]\nn_envs = 4\nbatch = 128\n",
    "experiment.toml": """
        name = "first"
        command = ["python", "train.py", "--seed", "{seed}"]
        pairs = 2
        [variants.one]
        env = { OMP_NUM_THREADS = "1" }
    """,
}
#: Under these names the pages speak of recordings that there are already.
LONG_RUN = "baseline"
RUNS = (LONG_RUN, "before", "after")


def make_project(folder: Path, tools: Path) -> dict[str, str]:
    """Write it, with its history and its recordings; the environment variables to work in it."""
    variables = {
        **os.environ,
        "PATH": f"{make_tools(tools)}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "80",
        "OMP_NUM_THREADS": "1",
        "BROWSER": "true",
        "EDITOR": "true",
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
    for name, text in FILES.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text).lstrip())
    (folder / "train.sh").chmod(0o755)
    (folder / ".gitignore").write_text(".goldsplit/\n__pycache__/\nlog.jsonl\n")
    author = "-c user.name=me -c user.email=me@localhost"
    commits = [f"git {author} commit -qm first", f"git {author} commit -q --allow-empty -m second"]
    lines = ["git init -q -b main", "git add -A", *commits, "git update-ref refs/remotes/origin/main HEAD~1"]
    turns = {LONG_RUN: 12000}
    lines += [
        f"TURNS={turns.get(name, 400)} goldsplit record --quiet --name {name} -- python train.py"
        for name in RUNS
    ]
    for line in lines:
        subprocess.run(["bash", "-c", line], cwd=folder, env=variables, check=True, capture_output=True)
    with (folder / "core" / "env.py").open("a") as file:
        file.write("# an edit that is not committed\n")
    return variables


def make_tools(folder: Path) -> Path:
    """What a user has on the path: `goldsplit`, `python`; and others' programs that come after a `|`."""
    folder.mkdir()
    python = shlex.quote(sys.executable)
    programs = {
        "goldsplit": f'exec {python} -m goldsplit "$@"',
        "python": f'exec {python} "$@"',
        "gh": "cat > /dev/null",
        "jq": "cat > /dev/null",
        "column": "cat > /dev/null",
    }
    for name, line in programs.items():
        (folder / name).write_text(f"#!/bin/sh\n{line}\n")
        (folder / name).chmod(0o755)
    return folder
