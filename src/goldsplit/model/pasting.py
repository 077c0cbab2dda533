"""Printed commands run when they are pasted: goldsplit by a name that works here, in the run's own folder.

Outside of the command line it is called `goldsplit`; `cli/main.py` says at its start how it was called there.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass

#: What a command line of goldsplit looks like inside a sentence.
_IN_TEXT = re.compile(
    r"(?<![\w./-])(?<!-m )goldsplit(?= (?:record|attach|env|show|report|export|plan|explain|whatif|"
    r"horizon|try|ab|sweep|tune|compare|ledger|train|runs|stages|map|overlays|doctor|--)\b)"
)
#: A part of a command line: quoted or not, no blank outside of quotes.
_PART = re.compile(r"(?:\$'(?:\\.|[^'\\])*'|'[^']*'|\"[^\"]*\"|\\.|[^\s'\"\\])+")

_ESCAPES = {"\n": r"\n", "\t": r"\t", "\\": r"\\", "'": r"\'"}


@dataclass(frozen=True, slots=True)
class Shell:
    """Where commands will be pasted."""

    here: str = "goldsplit"
    """What goldsplit is called in the folder that the user is in."""
    anywhere: str = "goldsplit"
    """What it is called in every folder."""
    folder: str = ""
    """The folder that the user is in; "": not known."""


_shell = Shell()


def will_paste_in(shell: Shell) -> None:
    """Commands that are made from now on are for this shell."""
    global _shell
    _shell = shell


def quoted(word: str) -> str:
    """A word as a shell reads it. What a screen cannot show, such as the end of a line, is an escape inside
    `$'...'`, because printed text keeps no such character."""
    if all(char.isprintable() for char in word):
        return shlex.quote(word)
    return "$'" + "".join(map(_escaped, word)) + "'"


def joined(words: Iterable[str]) -> str:
    """A command as a shell reads it."""
    return " ".join(map(quoted, words))


def _escaped(char: str) -> str:
    if char in _ESCAPES or char.isprintable():
        return _ESCAPES.get(char, char)
    number = ord(char)
    if 0xDC80 <= number <= 0xDCFF:  # a byte that is no text
        return f"\\x{number - 0xDC00:02x}"
    return f"\\{number:03o}" if number < 0x80 else f"\\U{number:08x}"


def our_command(arguments: str, folder: str = "") -> str:
    """`goldsplit ARGUMENTS`; where it has to run in another folder than the user's, it goes there first."""
    if not folder or not _shell.folder or folder == _shell.folder:
        return f"{_shell.here} {arguments}"
    return f"cd {quoted(folder)} && {_shell.anywhere} {arguments}"


def in_text(text: str) -> str:
    """A sentence in which goldsplit's commands can be pasted."""
    return _IN_TEXT.sub(lambda _: _shell.here, text)


def broken(command: str, width: int) -> list[str]:
    """A command in lines of this width that are still one command: a backslash ends all but the last."""
    lines: list[str] = []
    for part in _PART.findall(command):
        if lines and len(lines[-1]) + len(part) + 3 <= width:
            lines[-1] += f" {part}"
        else:
            lines.append(part)
    if len(lines) > 1 and len(lines[-2]) + 1 + len(lines[-1]) <= width:
        lines[-2:] = [f"{lines[-2]} {lines[-1]}"]
    return [f"{line} \\" for line in lines[:-1]] + lines[-1:]
