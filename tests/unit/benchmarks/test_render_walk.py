"""docs/render_walk.py: outputs of commands in a page, again and again, and nothing else is touched."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).resolve().parents[3] / "docs"
PAGE = """\
Before.

```sh
echo one
```

<!-- output begins: first -->
<!-- output ends: first -->

```sh
echo not run
```

```sh
echo two
```

<!-- output begins: second -->
```text
old
```
<!-- output ends: second -->
"""


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("render_walk", DOCS / "render_walk.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


walk = load()


def test_only_blocks_with_an_output_are_run() -> None:
    assert walk.blocks(PAGE) == {"first": "echo one\n", "second": "echo two\n"}


def test_outputs_are_replaced_and_the_rest_stays() -> None:
    once = walk.filled(PAGE, {"first": "1\n"})
    assert "<!-- output begins: first -->\n```text\n1\n```\n<!-- output ends: first -->" in once
    assert "old" in once
    again = walk.filled(walk.filled(once, {"first": "1\n", "second": "2\n"}), {"second": "2\n"})
    assert "old" not in again
    assert walk.blocks(again) == walk.blocks(PAGE)
    assert again.count("```text") == 2


def test_what_nobody_reads_later_is_left_out() -> None:
    text = "trial 1 of 4: base, block 1\nSpeed 2x  \n/tmp/x/.venv/bin/python -m goldsplit show a\n"
    assert walk.tidy(text) == "Speed 2x\ngoldsplit show a\n"


def test_a_command_that_fails_is_said(tmp_path: Path) -> None:
    assert walk.printed("echo fine; exit 3\n", tmp_path) == "fine\n"
    with pytest.raises(SystemExit, match="exit code 2"):
        walk.printed("echo broken >&2; exit 2\n", tmp_path)


def test_the_page_shows_what_each_of_its_commands_printed() -> None:
    page = (DOCS / "walk.md").read_text(encoding="utf-8")
    names = set(walk.blocks(page))
    assert names == {"record", "findings", "try", "ab", "compare"}
    assert page.count("<!-- output begins: ") == len(names)
    assert "<!-- figures: begin -->" in page
