"""Why a recording is empty, as far as its command and its length tell."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Any

from goldsplit.model.recording import NOTHING_RECORDED
from goldsplit.model.wire import Header

#: Options with which Python does not look for what starts the recorder in it.
DEAF = "EIS"
#: Options whose value follows, so that no other option does.
_WITH_VALUE = "cmWX"
_PYTHON = re.compile(r"(?:python|pypy)[\d.]*t?$")


def nothing_recorded(header: dict[str, Any]) -> str:
    """One sentence with the cause, and what to do."""
    command = header.get(Header.COMMAND, [])
    deaf = deaf_option(command)
    if deaf:
        return (
            f"{NOTHING_RECORDED}: python {deaf} does not load what starts goldsplit in it; "
            "leave that option out"
        )
    start, end = header.get(Header.START_NS), header.get(Header.END_NS)
    if start is not None and end is not None and end - start < 1e9:
        seconds = (end - start) / 1e9
        return f"{NOTHING_RECORDED}: the command ended after {seconds:.2f} s, or is not Python"
    return f"{NOTHING_RECORDED}: the program was too short, or is not Python"


def deaf_option(command: list[str]) -> str:
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
