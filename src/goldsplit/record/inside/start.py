"""What the autostart calls inside each process of a run: hooks first, then the recorder."""

from __future__ import annotations

import json
import os
import sys

from goldsplit import api
from goldsplit.model.wire import Variable
from goldsplit.record.inside import hooks, lifecycle
from goldsplit.record.inside.hooks.libraries.ray import is_service
from goldsplit.record.inside.own_failures import harmless


def start_from_environment(run_dir: str) -> None:
    """Read what the launcher left in the environment, and start."""
    if is_service(sys.orig_argv):
        return
    mapping = json.loads(os.environ.get(Variable.STAGES) or "{}")
    lifecycle.start(run_dir, int(os.environ[Variable.RUN_START_NS]))
    with harmless("installing the hooks"):
        hooks.install(mapping)
    api.use_recording_stage()
