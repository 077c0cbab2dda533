"""Take over what an earlier run of the same program read from its source, where no file has changed since.

Reading the source costs up to seconds of processor time. The trials of an experiment
run the same files many times, and should name their functions alike.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from goldsplit.model.wire import File, Named


def take_over_names(former: Path, run_dir: Path) -> bool:
    """Copy what a former run has, if each of its files is as it was then; whether that is so."""
    try:
        text = (former / File.NAMED).read_text()
        rows = [json.loads(line) for line in text.splitlines()]
        same = bool(rows) and all(row[Named.DIGEST] == _digest(row[Named.FILE]) for row in rows)
        if same:
            (run_dir / File.NAMED).write_text(text)
    except (OSError, ValueError, KeyError, TypeError):  # torn, of another version: it is read again
        return False
    return same


def _digest(file: str) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()
