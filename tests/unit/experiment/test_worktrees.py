"""Patches in throw-away worktrees: what cannot be applied is said in words."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from goldsplit.errors import CommandError
from goldsplit.experiment.worktrees import apply_patch

PATCH = "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-one\n+two\n"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    folder.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    (folder / "x.py").write_text("one\n")
    return folder


def test_a_patch_is_applied(place: Path, tmp_path: Path) -> None:
    (tmp_path / "fix.diff").write_text(PATCH)
    apply_patch(place, tmp_path / "fix.diff")
    assert (place / "x.py").read_text() == "two\n"
    with pytest.raises(CommandError, match=r"fix\.diff does not apply"):
        apply_patch(place, tmp_path / "fix.diff")


def test_a_patch_that_is_not_there(place: Path, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"there is no patch .*none\.diff") as caught:
        apply_patch(place, tmp_path / "none.diff")
    assert "git diff" in (caught.value.hint or "")
