"""`goldsplit map`: the stages that a run was explained with, as a goldsplit.toml to correct."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence

from goldsplit.model.named_code import BY_PURPOSE, FunctionRow
from goldsplit.model.pasting import our_command
from goldsplit.model.pasting import quoted as command_word
from goldsplit.model.stack_frames import is_library
from goldsplit.model.stage import ACT
from goldsplit.report import words

WIDTH = 100
#: What `goldsplit record` reads where it is started.
DEFAULT_FILE = "goldsplit.toml"


class MappingRenderer:
    """Rows of `goldsplit stages --explain` as TOML."""

    def render(
        self,
        run: str,
        rows: Sequence[FunctionRow],
        counters: Mapping[str, str] | None = None,
        called: str = "",
        file: str = DEFAULT_FILE,
    ) -> str:
        """Text that ends with a newline. `counters`: what the run was recorded with, target → counter;
        `called`: what the run is called on a command line; `file`: where the text will be."""
        own = [row for row in rows if not is_library(row.file)]
        again = our_command(f"show {command_word(called or run)} --config {command_word(file)}")
        record = our_command(f"record --config {command_word(file)} -- COMMAND")
        if file == DEFAULT_FILE:
            record = f"{our_command('record -- COMMAND')}  (reads {DEFAULT_FILE} where it is started)"
        lines = [
            f"# What the functions of {words.plain(run)} were taken for, and why. Correct what is wrong.",
            f"# Explain the same recording:  {again}",
            f"# Record with it:  {record}",
            f'# Write "none" where a function has no stage. All stages:  {our_command("stages")}',
            "",
            "[stages]",
        ]
        written: set[str] = set()
        file = ""
        for row in sorted(own, key=lambda row: (row.file, row.line, row.function)):
            if row.stage is None or row.target in written:
                continue
            if row.file != file:
                file = row.file
                lines += ["", *comment(f"{file}:")]
            lines += comment(f"{row.reason}{seen_in(row)}")
            lines.append(entry(row))
            written.add(row.target or "")
        lines += self._unnamed(own, written)
        if counters:
            lines += ["", "[counters]"]
            lines += [f"{quoted(target)} = {quoted(name)}" for target, name in counters.items()]
        return "\n".join(lines) + "\n"

    def _unnamed(self, rows: Sequence[FunctionRow], written: set[str]) -> list[str]:
        hot = [row for row in rows if row.stage is None and row.suggested and row.target not in written]
        if not hot:
            return []
        lines = ["", *comment("Often seen, and without a stage of their own. Remove the # to give them one:")]
        return lines + [unnamed_entry(row) for row in hot]


def entry(row: FunctionRow) -> str:
    """One line of the table; a comment where a mapping cannot say it."""
    if row.target is None:
        return f"# {said(row.function)} is {said(row.stage or '')}; it is inside another function: no mapping"
    if row.stage == BY_PURPOSE:
        return f"# {quoted(row.target)} = {quoted(ACT)}  # now: acts or learns, by its caller"
    return f"{quoted(row.target)} = {quoted(row.stage or '')}"


def unnamed_entry(row: FunctionRow) -> str:
    """One line for a function without a stage, switched off."""
    pair = f"{quoted(row.target or '')} = {quoted(row.suggested or '')}"
    return f"# {pair}  # {said(row.reason)}{seen_in(row)}"


def seen_in(row: FunctionRow) -> str:
    """A function's share, where one was measured."""
    return f" ({words.share(row.share)} of samples)" if row.samples and row.share is not None else ""


def comment(text: str) -> list[str]:
    """A text as comment lines."""
    return [f"# {line}" for line in textwrap.wrap(said(text), WIDTH)]


def said(text: str) -> str:
    """A text of the user's program on one line: it cannot end a comment."""
    return " ".join(words.plain(text).split())


def quoted(text: str) -> str:
    """A TOML string."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{said(escaped)}"'
