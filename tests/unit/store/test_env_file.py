"""The files that the driver of an environment writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from goldsplit.errors import DamagedRunError
from goldsplit.record.drive.__main__ import FILE
from goldsplit.store.env_file import RECORDED, read_env_file


def test_what_is_there_is_read(tmp_path: Path) -> None:
    path = tmp_path / RECORDED
    assert read_env_file(path) is None
    path.write_text(json.dumps({"asked": {}, "driven": None, "problem": None}))
    assert read_env_file(path) == {"asked": {}, "driven": None, "problem": None}
    assert FILE == RECORDED, "the driver cannot import the store, so the name is in both"


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '"x"', "\x00"])
def test_damage_is_told(tmp_path: Path, text: str) -> None:
    path = tmp_path / RECORDED
    path.write_text(text)
    with pytest.raises(DamagedRunError, match=r"env\.json") as told:
        read_env_file(path)
    assert told.value.hint
