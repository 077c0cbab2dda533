"""Overlays seen from outside: what the launcher sets before the start, and a run that one of them stops."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from goldsplit.model.overlays.written import parse_overlays, variables_of
from goldsplit.model.wire import File, Header, Variable

#: How long a process may take to end after SIGTERM.
GRACE_SECONDS = 3.0


def put_on(texts: tuple[str, ...], environment: dict[str, str]) -> None:
    """Tell the processes of a run which overlays are on."""
    environment.pop(Variable.OVERLAYS, None)  # of a recording around this one
    environment.pop(Variable.FIRST_PROCESS, None)
    environment.pop(Variable.SCRIPT, None)
    if texts:
        environment[Variable.OVERLAYS] = json.dumps(list(texts))
        for chosen in parse_overlays(texts):
            environment.update(variables_of(chosen))


def changed_variables(texts: tuple[str, ...]) -> dict[str, dict[str, list[str | None]]]:
    """Overlay → variable → [value before, value], as far as they differ."""
    changed = {}
    for chosen in parse_overlays(texts):
        values = {name: [os.environ.get(name), value] for name, value in variables_of(chosen).items()}
        changed[chosen.text] = {name: pair for name, pair in values.items() if pair[0] != pair[1]}
    return {text: values for text, values in changed.items() if values}


def told_in(header: dict[str, Any], texts: tuple[str, ...]) -> dict[str, Any]:
    """A run's header that says which overlays are on, and what its environment is with them."""
    changed = changed_variables(texts)
    values = {name: pair[1] for pairs in changed.values() for name, pair in pairs.items()}
    return header | {
        Header.OVERLAYS: list(texts),
        Header.OVERLAY_VARIABLES: changed,
        Header.ENVIRONMENT: {**header[Header.ENVIRONMENT], **values},
    }


def why_stopped(run_dir: Path) -> str | None:
    """Why an overlay has stopped the run; None if none has."""
    try:
        return (run_dir / File.STOPPED).read_text(errors="replace")
    except OSError:
        return None


def ending_if_stopped(
    child: subprocess.Popen[bytes], run_dir: Path, tick: Callable[[], None]
) -> Callable[[], None]:
    """A tick that also ends the command if one of its processes has stopped the run: a trainer may wait for
    ever for a worker that has stopped."""
    asked: list[float] = []

    def look() -> None:
        tick()
        if not (run_dir / File.STOPPED).exists():
            return
        if not asked:
            asked.append(time.monotonic())
            child.terminate()
        elif time.monotonic() - asked[0] > GRACE_SECONDS:
            child.kill()

    return look
