"""What the autostart calls inside each process of a run: hooks first, then the recorder."""

from __future__ import annotations

import json
import os
import sys

from goldsplit import api
from goldsplit.model.wire import Key, Line, Variable
from goldsplit.record.inside import hooks, lifecycle, overlays, trajectories
from goldsplit.record.inside.core.known_pythons import why_unknown
from goldsplit.record.inside.engine import ENGINE
from goldsplit.record.inside.hooks.libraries.ray import is_service
from goldsplit.record.inside.own_failures import harmless


def start_from_environment(run_dir: str) -> None:
    """Read what the launcher left in the environment, and start."""
    if is_service(sys.orig_argv):
        return
    mapping = json.loads(os.environ.get(Variable.STAGES) or "{}")
    lifecycle.start(run_dir, int(os.environ[Variable.RUN_START_NS]))
    if why_unknown():
        ENGINE.events.append({Key.KIND: Line.NOTE, Key.TEXT: why_unknown()})
    os.environ.setdefault(Variable.FIRST_PROCESS, str(os.getpid()))
    chosen = json.loads(os.environ.get(Variable.OVERLAYS) or "[]")
    with harmless("installing the overlays"):
        overlays.install(chosen, after_hooks=False)
        trajectories.install()
    hooks.install(mapping)
    with harmless("installing the overlays"):
        overlays.install(chosen, after_hooks=True)
    api.use_recording_stage()
