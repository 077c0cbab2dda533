"""What a variant runs: command, environment, directory, overlays. Changed files are copies."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from goldsplit.errors import CommandError, ConfigError
from goldsplit.experiment import worktrees
from goldsplit.experiment.config_edit import edited
from goldsplit.model.experiment.design import Plan, Variant

SEED_PLACEHOLDER = "{seed}"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A variant ready to run; only the seed is missing."""

    variant: Variant
    command: tuple[str, ...]
    environment: dict[str, str]
    directory: Path | None = None
    """None: where goldsplit was started."""
    worktree: Path | None = None
    repository: Path | None = None

    def command_for(self, seed: int) -> tuple[str, ...]:
        """With the seed and the variant's settings in their places."""
        return tuple(self._filled(part, seed) for part in self.command)

    def environment_for(self, seed: int, variable: str) -> dict[str, str]:
        """With the seed, and with hashes of texts that are the same in every trial of a block."""
        seeded = {"PYTHONHASHSEED": str(seed % 2**32)} | ({variable: str(seed)} if variable else {})
        return seeded | {name: self._filled(value, seed) for name, value in self.environment.items()}

    def overlays_for(self, seed: int) -> tuple[str, ...]:
        """With the settings in their places, too."""
        return tuple(self._filled(overlay, seed) for overlay in self.variant.overlays)

    def _filled(self, text: str, seed: int) -> str:
        text = text.replace(SEED_PLACEHOLDER, str(seed))
        for name, value in self.variant.settings.items():
            text = text.replace(f"{{{name}}}", value)
        return text


def takes_seed(plan: Plan) -> bool:
    """Whether a seed reaches the program."""
    return bool(plan.seed_variable) or any(SEED_PLACEHOLDER in part for part in plan.command)


def prepare_all(plan: Plan, folder: Path, here: Path) -> dict[str, Prepared]:
    """Every variant by name. Worktrees are made below the experiment's folder; `discard` removes them."""
    prepared: dict[str, Prepared] = {}
    try:
        for variant in plan.variants:
            prepared[variant.name] = prepare(plan, variant, folder, here)
    except BaseException:
        discard(prepared.values())
        raise
    return prepared


def prepare(plan: Plan, variant: Variant, folder: Path, here: Path) -> Prepared:
    """One variant. `here` is where goldsplit was started."""
    command = (*plan.command, *variant.arguments)
    copies = {edit.file: "" for edit in variant.edits}
    in_place = [file for file in copies if not _mentions(command, file)]
    if not (variant.revision or variant.patch or in_place):
        for file in copies:
            copy = _edited_copy(variant, file, here / file, folder / "configs" / variant.name)
            command = tuple(_instead(part, file, str(copy)) for part in command)
        return Prepared(variant, command, variant.environment)
    return _in_worktree(variant, command, folder, here)


def _in_worktree(variant: Variant, command: tuple[str, ...], folder: Path, here: Path) -> Prepared:
    root = worktrees.repository_root(here)
    if root is None:
        what = (
            "a revision or a patch"
            if variant.revision or variant.patch
            else "a file the command does not name"
        )
        raise CommandError(
            f"variant {variant.name} changes {what}, which needs a git repository here",
            "put the project under git, or name the settings file in the command",
        )
    commit = (
        worktrees.commit_of(root, variant.revision) if variant.revision else worktrees.present_commit(root)
    )
    place = worktrees.add_worktree(root, commit, (folder / "trees" / variant.name).resolve())
    directory = place / here.resolve().relative_to(root.resolve())
    made = Prepared(variant, (), variant.environment, directory, place, root)
    try:
        if not variant.revision:
            worktrees.copy_untracked(root, place)
        if variant.patch:
            worktrees.apply_patch(place, here / variant.patch)
        for edit in variant.edits:
            file = directory / edit.file
            file.write_text(edited(_read(file, edit.file), edit.file, edit.key, edit.value))
    except BaseException:
        discard([made])
        raise
    moved = tuple(_moved(part, root.resolve(), place) for part in command)
    return Prepared(variant, moved, variant.environment, directory, place, root)


def _moved(part: str, root: Path, place: Path) -> str:
    """An absolute path into the repository, as a path into the worktree; interpreters stay where they are."""
    path = Path(part)
    if path.is_absolute() and path.is_relative_to(root) and (place / path.relative_to(root)).is_file():
        return str(place / path.relative_to(root))
    return part


def _mentions(command: tuple[str, ...], file: str) -> bool:
    return any(part == file or part.endswith("=" + file) for part in command)


def _instead(part: str, file: str, copy: str) -> str:
    if part == file:
        return copy
    return part.removesuffix(file) + copy if part.endswith("=" + file) else part


def _edited_copy(variant: Variant, name: str, file: Path, folder: Path) -> Path:
    text = _read(file, name)
    for edit in variant.edits:
        if edit.file == name:
            text = edited(text, name, edit.key, edit.value)
    folder.mkdir(parents=True, exist_ok=True)
    copy = (folder / file.name).resolve()
    copy.write_text(text)
    return copy


def _read(file: Path, name: str) -> str:
    """`name`: as the user has given it."""
    try:
        return file.read_text()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise ConfigError(f"cannot read {name}: {why}", "give its path from where you are") from error


def discard(prepared: Iterable[Prepared]) -> None:
    """Remove the worktrees."""
    for one in prepared:
        if one.worktree is not None and one.repository is not None:
            worktrees.remove_worktree(one.repository, one.worktree)
