"""Throw-away git worktrees: another revision, or the present state with a patch. The user's tree, index and
stash stay as they are."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from goldsplit.errors import CommandError


def repository_root(directory: Path) -> Path | None:
    """The root of the git repository around a directory; None: there is none."""
    done = _git(directory, "rev-parse", "--show-toplevel")
    return Path(done.stdout.strip()) if done.returncode == 0 else None


def commit_of(directory: Path, revision: str) -> str:
    """The commit that a revision names."""
    done = _git(directory, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    if done.returncode != 0:
        raise CommandError(f"git knows no revision {revision!r}", "see: git log --oneline")
    return done.stdout.strip()


def present_commit(root: Path) -> str:
    """A commit of the present state of tracked files, changes included. It is on no branch, and making it
    changes neither files nor the index."""
    made = _git(root, "stash", "create")
    return made.stdout.strip() or commit_of(root, "HEAD")


def add_worktree(root: Path, commit: str, place: Path) -> Path:
    """A worktree of a commit; removed again by `remove_worktree`."""
    if place.exists():
        remove_worktree(root, place)
    done = _git(root, "worktree", "add", "--detach", str(place), commit)
    if done.returncode != 0:
        raise CommandError(f"git could not make a worktree: {done.stderr.strip()}", "see: git worktree list")
    return place


def copy_untracked(root: Path, place: Path) -> None:
    """Files that git does not know yet but does not ignore either: a new module may be among them."""
    listed = _git(root, "ls-files", "--others", "--exclude-standard", "-z").stdout
    for name in filter(None, listed.split("\0")):
        if (root / name).is_file() and not name.startswith(".goldsplit/"):
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, place / name)


def apply_patch(place: Path, patch: Path) -> None:
    """Apply a patch file to a worktree."""
    if not patch.is_file():
        raise CommandError(f"there is no patch {patch}", "make it with: git diff > fix.diff")
    done = _git(place, "apply", "--whitespace=nowarn", str(patch.resolve()))
    if done.returncode != 0:
        raise CommandError(
            f"{patch} does not apply: {done.stderr.strip().splitlines()[0] if done.stderr else ''}",
            "make it with: git diff > fix.diff",
        )


def remove_worktree(root: Path, place: Path) -> None:
    """Remove a worktree and forget it."""
    _git(root, "worktree", "remove", "--force", str(place))
    shutil.rmtree(place, ignore_errors=True)
    _git(root, "worktree", "prune")


def _git(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            ["git", *arguments], cwd=directory, capture_output=True, text=True, timeout=120, check=False
        )
    except FileNotFoundError as error:
        raise CommandError(
            "git is not installed", "install git, or use a variant without rev and patch"
        ) from error
    except subprocess.TimeoutExpired as error:
        raise CommandError(f"git {arguments[0]} did not end", "try it by hand") from error
