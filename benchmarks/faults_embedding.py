"""Puts a fault project into other surroundings than its own plain loop.

    alone     as it is
    worker    in a worker process of a training; a game that is handed to `agent.learn` is played there on
              many boards at once, with steps of about 20 ms
    thread    in a thread of a pool, beside an event loop

The project's own files stay as they are, line by line: only its `agent.py` is replaced, or the block under
`if __name__ == "__main__"` becomes a function that a host calls.
"""

from __future__ import annotations

import shutil
from pathlib import Path

HOSTS = Path(__file__).parent / "surroundings"
SURROUNDINGS = ("alone", "worker", "thread")
_GUARD = 'if __name__ == "__main__":'
_OWN_WORKERS = "the fault is in how the program's own worker processes are arranged: a worker has none"

#: Project and surrounding → why it makes no sense there.
WITHOUT = {
    **{
        (code, "worker"): _OWN_WORKERS
        for code in (
            "actions-over-ipc",
            "barrier-bound",
            "communication-bound",
            "env-too-cheap-for-processes",
            "environment-bound",
            "fat-info",
            "startup-imports",
            "too-many-workers",
            "uneven-workers",
        )
    },
}


def makes_sense(code: str, surrounding: str) -> bool:
    return (code, surrounding) not in WITHOUT


def embed(folder: Path, surrounding: str) -> str:
    """Change a copy of a project's folder for a surrounding; the script to run."""
    if surrounding == "alone":
        return "train.py"
    agent = folder / "agent.py"
    if agent.exists() and "def learn(env, seconds)" in agent.read_text():
        agent.rename(folder / "agent_alone.py")
        shutil.copy(HOSTS / f"agent_{surrounding}.py", agent)
        return "train.py"
    train = folder / "train.py"
    text = train.read_text()
    if text.count(_GUARD) != 1:
        raise ValueError(f"{train}: no single block under {_GUARD}")
    train.write_text(text.replace(_GUARD, "def embedded():"))
    shutil.copy(HOSTS / f"host_{surrounding}.py", folder / "host.py")
    return "host.py"
