"""What `goldsplit runs` shows of a run that was explained once: a list of a thousand runs cannot read them.

A run may come from a stranger: what is read is checked, and what is written never goes through a link.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from goldsplit.model.report import RunSummary, finite
from goldsplit.model.wire import File, Header, Summary
from goldsplit.store.checked.figures import real
from goldsplit.store.checked.header import text
from goldsplit.store.checked.json_lines import DAMAGE, read_object
from goldsplit.store.directory import read_header


def read_summary(run_dir: Path, header: dict[str, Any]) -> RunSummary | None:
    """The summary of a run with this header; None: not explained yet, or it is no summary of this run."""
    try:
        data = read_object(run_dir / File.SUMMARY)
        if data[Summary.OF] != header.get(Header.END_NS):
            return None
        stage = data[Summary.STAGE]
        return RunSummary(
            _positive(data[Summary.SPEED]),
            text(data[Summary.UNIT]),
            None if stage is None else text(stage),
            _positive(data[Summary.SHARE], 1.001),
        )
    except (OSError, *DAMAGE):
        return None


def _positive(value: Any, most: float = float("inf")) -> float | None:
    if value is None:
        return None
    if type(value) not in (int, float) or not 0.0 <= real(value) <= most:
        raise ValueError("no figure")
    return real(value)


def keep_summary(run_dir: Path, summary: RunSummary) -> None:
    """Keep it beside the run, once the run has ended, or its recorder was killed; where that is not possible,
    the list has a dash."""
    header = read_header(run_dir)
    if header.get(Header.STATUS) == "running" or read_summary(run_dir, header) == summary:
        return
    data = {
        Summary.OF: header.get(Header.END_NS),
        Summary.SPEED: summary.speed,
        Summary.UNIT: summary.unit,
        Summary.STAGE: summary.stage,
        Summary.SHARE: summary.share,
    }
    with contextlib.suppress(OSError):  # a run on a read-only disk can be shown all the same
        _replace(run_dir / File.SUMMARY, json.dumps(finite(data)) + "\n")


def _replace(file: Path, content: str) -> None:
    """In one step, by a new file of our own: a link of that name is replaced, not followed."""
    descriptor, temporary = tempfile.mkstemp(prefix=file.name, dir=file.parent)
    try:
        with os.fdopen(descriptor, "w") as stream:
            stream.write(content)
        Path(temporary).replace(file)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
