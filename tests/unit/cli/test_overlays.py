"""goldsplit overlays, --with, and the overlays' pages."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner

from goldsplit.cli.main import cli
from goldsplit.errors import ConfigError
from goldsplit.model.overlays.overlay import OVERLAYS

ROOT = Path(__file__).parents[3]
#: Headings that every page has; a remedy also says how to have it for good.
HEADINGS = ("What it changes", "When it helps", "When not")


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_overlays", ROOT / "docs" / "generate_overlays.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_list_names_all_of_them() -> None:
    shown = CliRunner().invoke(cli, ["overlays"]).output
    assert all(f"  {one.name} " in shown and one.summary in shown for one in OVERLAYS)
    rows = json.loads(CliRunner().invoke(cli, ["overlays", "--json"]).output)
    assert [row["overlay"] for row in rows] == [one.name for one in OVERLAYS]


def test_a_wrong_overlay_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    found = CliRunner().invoke(
        cli, ["record", "--out", str(tmp_path / "runs"), "--with", "thread:1", "--", "python", "x.py"]
    )
    assert isinstance(found.exception, ConfigError)
    assert not (tmp_path / "runs").exists()


def test_pages_are_fresh() -> None:
    pages = load()
    there = {path.name: path.read_text() for path in pages.PAGES.glob("*.md")}
    assert there == pages.wanted_pages(), "run `python docs/generate_overlays.py`"


@pytest.mark.parametrize("overlay", OVERLAYS, ids=lambda one: one.name)
def test_pages_answer_what_a_reader_asks(overlay: object) -> None:
    text = load().page(overlay)
    wanted = HEADINGS if getattr(overlay, "is_ablation") else (*HEADINGS, "For good")  # noqa: B009
    assert [heading for heading in wanted if f"\n## {heading}\n" not in text] == []
