"""How the program was started: the command that does it again, the names that its files are imported by."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from goldsplit.model.pasting import joined, our_command
from goldsplit.model.profile import Profile
from goldsplit.model.recording import KEPT_OUT

#: The program that `goldsplit env` records; its arguments are those of that command.
DRIVER = "goldsplit.record.drive"


def record_again(profile: Profile, deep: bool = False) -> str:
    """The command that records the same training, or drives the same environment, once more."""
    if DRIVER in profile.run.command:
        arguments = profile.run.command[profile.run.command.index(DRIVER) + 1 :]
        shown = f"env {joined([a for a in arguments if a != '--hash'])} --hash"
        return our_command(shown, profile.run.folder)
    deeply = ("--deep",) if deep and not was_kept_out(profile) else ()  # it would see nothing
    return record_with(profile.run.command, profile.run.folder, *deeply)


def was_kept_out(profile: Profile) -> bool:
    """Whether an option of its Python kept the recorder out of the program: stacks are all there is."""
    return any(note.startswith(KEPT_OUT) for note in profile.trust.notes)


def record_with(command: Sequence[str], folder: str, *options: str) -> str:
    """The command that records a training, which was started in a folder, with some options."""
    return our_command(joined(["record", *options, "--", *command]), folder)


def script_of(command: list[str]) -> str:
    """The program's file relative to the folder that it was started in; "" where the command has none."""
    if "-m" in command[:-1]:
        return command[command.index("-m") + 1].replace(".", "/") + ".py"
    script = next((part for part in command if part.endswith(".py")), "")
    return "" if script.startswith(("/", "../")) else script.removeprefix("./")


def start_folder(profile: Profile) -> str:
    """The folder that the run was started in, with a slash at its end; "" where no known file shows it."""
    script = script_of(profile.run.command)
    known = [line.place.file for line in profile.user_lines] + [spot.file for spot in profile.hotspots]
    if profile.deep is not None:
        known += [function.place.file for function in profile.deep.functions]
    package = script.removesuffix(".py") + "/__main__.py"  # `-m` of a package
    folders = [
        file.removesuffix(form)
        for form in (script, *([package] if "-m" in profile.run.command else []))
        for file in known
        if script and file.endswith(f"/{form}")
    ]
    return min(folders, key=len, default="")  # others of that name are deeper


def import_folder(profile: Profile) -> str:
    """Where the program imports its own modules from: beside the script; with -m, where it was started."""
    folder, script = start_folder(profile), script_of(profile.run.command)
    beside = "" if "-m" in profile.run.command else script.rpartition("/")[0]
    return f"{folder}{beside}/" if folder and beside else folder


def module_of(profile: Profile, file: str) -> str:
    """The name that the program imports one of its files by; the file's own where that is not known."""
    folder = import_folder(profile)
    if not folder or not file.startswith(folder):
        return PurePath(file).stem
    return file.removeprefix(folder).removesuffix(".py").removesuffix("/__init__").replace("/", ".")
