"""Profiles that tuning writes and `record --profile` reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from goldsplit.errors import ConfigError, OutputError
from goldsplit.store.beside_runs.settings_profile import SettingsProfile, read_profile, write_profile


def test_what_is_written_can_be_read(tmp_path: Path) -> None:
    profile = SettingsProfile({"n": "4", "t": '1"'}, {"OMP_NUM_THREADS": "{n}"}, ("threads:{n}",))
    write_profile(tmp_path / "speed.toml", profile, ["1.3x in 8 pairs\nand more", "second"])
    text = (tmp_path / "speed.toml").read_text()
    assert text.startswith("# 1.3x in 8 pairs and more\n# second\n")
    found = read_profile(tmp_path / "speed.toml")
    assert found == SettingsProfile(profile.settings, {"OMP_NUM_THREADS": "4"}, ("threads:4",))
    assert found.filled("--envs={n}") == "--envs=4"


@pytest.mark.parametrize("text", ["x = 1", "settings = 1", "with = 'a'", "["])
def test_what_is_no_profile(tmp_path: Path, text: str) -> None:
    (tmp_path / "p.toml").write_text(text)
    with pytest.raises(ConfigError):
        read_profile(tmp_path / "p.toml")
    with pytest.raises(ConfigError):
        read_profile(tmp_path / "none.toml")


def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    with pytest.raises(OutputError):
        write_profile(tmp_path / "no" / "p.toml", SettingsProfile(), [])
