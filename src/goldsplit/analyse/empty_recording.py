"""Why a recording is empty, as far as its command and its length tell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from goldsplit.model.recording import KEPT_OUT, NOTHING_RECORDED, STACKS_AFTER_SECONDS, Recording
from goldsplit.model.wire import Header

Commands = Sequence[Sequence[str]]

#: Options with which Python does not look for what starts the recorder in it.
DEAF = "EIS"
#: Options whose value follows, so that no other option does.
_WITH_VALUE = "cmWX"
_PYTHON = re.compile(r"(?:python|pypy)[\d.]*t?$")


def nothing_recorded(header: dict[str, Any], began: bool = False, seen: Commands = ()) -> str:
    """One sentence with the cause, and what to do. `began`: a process of the run has recorded itself;
    `seen`: the commands of its processes, as the system told them."""
    start, end = header.get(Header.START_NS), header.get(Header.END_NS)
    seconds = None if start is None or end is None else (end - start) / 1e9
    kept_out = kept_out_by(header, seen)
    if header.get(Header.STATUS) == "crashed" and not kept_out:  # longer would be no better
        return f"{NOTHING_RECORDED}: the program ended with an error, and was in no known stage before that"
    if began and seconds is not None and seconds < STACKS_AFTER_SECONDS:
        return (
            f"{NOTHING_RECORDED}: the program entered no known stage in its {seconds:.2f} s, and without one "
            f"stacks are sampled only after {STACKS_AFTER_SECONDS:.0f} s; let it run longer"
        )
    if began:
        return (
            f"{NOTHING_RECORDED}: the program entered no known stage, and no stacks were sampled; record "
            "without --no-stacks"
        )
    if kept_out:
        return f"{NOTHING_RECORDED}: {kept_out}; leave that option out"
    if seconds is not None and seconds < 1:
        return f"{NOTHING_RECORDED}: the command ended after {seconds:.2f} s, or is not Python"
    return f"{NOTHING_RECORDED}: the program was too short, or is not Python"


def stacks_alone(header: dict[str, Any], seen: Commands = ()) -> str:
    """Why a run has stacks and no spans, as far as its commands tell; "": they do not."""
    kept_out = kept_out_by(header, seen)
    if not kept_out:
        return ""
    return (
        f"{KEPT_OUT}: {kept_out}; steps, calls and waits are not known, and stages are told "
        "by stack samples alone; leave that option out"
    )


def kept_out_by(header: dict[str, Any], seen: Commands = ()) -> str:
    """Which option of the command, or of a Python that a script started, kept the recorder out; "": none."""
    if header.get(Header.TARGET_PID) is not None:  # it was attached to
        return ""
    found = map(deaf_option, (header.get(Header.COMMAND, []), *seen))
    deaf = next(filter(None, found), "")
    return f"python {deaf} does not load what starts goldsplit in it" if deaf else ""


def commands_seen(recording: Recording) -> Commands:
    """The commands of all processes that were seen from outside, the first seen first."""
    rows = (row for sample in recording.system for row in sample.processes.values())
    return [list(row.argv) for row in rows if row.argv]


def deaf_option(command: Sequence[str]) -> str:
    """The option of a command's Python that keeps goldsplit out of it; "": there is none."""
    names = [PurePath(word).name for word in command]
    place = next((i for i, name in enumerate(names) if _PYTHON.match(name)), len(command))
    for word in command[place + 1 :]:
        if not word.startswith("-") or word == "-":
            break
        letters = re.split(f"[{_WITH_VALUE}]", word.removeprefix("-"), maxsplit=1)[0]
        if not word.startswith("--") and set(letters) & set(DEAF):
            return word
        if any(letter in word for letter in _WITH_VALUE):
            break
    return ""
