"""The page of `goldsplit train`: every option, profile and field of the JSON, as the code has them."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

from goldsplit.train.options import KINDS, DqnOptions
from goldsplit.train.settings.given import shipped_profiles
from goldsplit.train.training_run import Outcome

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "reference" / "train.md").read_text()


def test_the_tables_are_those_of_the_code() -> None:
    script = DOCS / "generate_train.py"
    done = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True)
    assert done.returncode == 0, "run: python docs/generate_train.py"


def test_every_option_and_profile_is_on_the_page() -> None:
    for options in KINDS.values():
        for one in fields(options):
            assert f"| `{one.name}` |" in PAGE
            assert one.metadata["doc"] in PAGE
    for name in shipped_profiles():
        assert f"`{name}`" in PAGE


def test_every_field_of_the_json_is_on_the_page() -> None:
    section = PAGE.partition("## JSON")[2].partition("## Exit code")[0]
    named = set(re.findall(r"`(\w+)`", section))
    assert set(Outcome("dqn", DqnOptions()).as_dict()) <= named
