"""One value of a settings file is changed, the rest stays."""

from __future__ import annotations

import configparser
import json
import tomllib

import pytest

from goldsplit.errors import ConfigError
from goldsplit.experiment.config_edit import edited

TOML = '# my settings\nseed = 1\n[ppo]\nlr = 0.001  # small\nname = "a"\n[ppo.net]\nsizes = [64, 64]\n'
YAML = "# my settings\nseed: 1\nppo:\n  lr: 0.001  # small\n  net:\n    sizes: [64, 64]\nother:\n  lr: 5\n"
INI = "[ppo]\nlr = 0.001\n[other]\nlr = 5\n"


def test_toml() -> None:
    changed = edited(TOML, "a.toml", "ppo.lr", "0.1")
    assert tomllib.loads(changed) == tomllib.loads(TOML.replace("0.001", "0.1"))
    assert "# my settings" in changed
    assert tomllib.loads(edited(TOML, "a.toml", "ppo.net.sizes", "[8]"))["ppo"]["net"] == {"sizes": [8]}
    assert tomllib.loads(edited(TOML, "a.toml", "ppo.name", "b"))["ppo"]["name"] == "b"
    assert tomllib.loads(edited(TOML, "a.toml", "seed", "true"))["seed"] is True


def test_yaml() -> None:
    assert edited(YAML, "a.yaml", "ppo.lr", "0.1") == YAML.replace("0.001  #", "0.1  #")
    assert edited(YAML, "a.yml", "other.lr", "6") == YAML.replace("lr: 5", "lr: 6")
    assert "sizes: [8]" in edited(YAML, "a.yml", "ppo.net.sizes", "[8]")
    assert edited(YAML, "a.yml", "seed", "true").startswith("# my settings\nseed: true\n")


def test_json() -> None:
    changed = edited('{"ppo": {"lr": 0.001}, "seed": 1}', "a.json", "ppo.lr", "0.1")
    assert json.loads(changed) == {"ppo": {"lr": 0.1}, "seed": 1}


def test_ini() -> None:
    reader = configparser.ConfigParser()
    reader.read_string(edited(INI, "a.ini", "other.lr", "6"))
    assert (reader["other"]["lr"], reader["ppo"]["lr"]) == ("6", "0.001")


@pytest.mark.parametrize(
    ("text", "file", "key", "message"),
    [
        (TOML, "a.toml", "ppo.rl", "no value"),
        (YAML, "a.yaml", "ppo.rl", "no value"),
        ("{}", "a.json", "ppo.lr", "no value"),
        (INI, "a.cfg", "ppo.rl", "no value"),
        ("x = {a = 2}\n", "a.toml", "x.a", "cannot edit"),
        ("x = [", "a.toml", "x", "no TOML"),
        ("{", "a.json", "x", "no JSON"),
        ("", "a.xml", "x", "edits .toml"),
    ],
)
def test_what_cannot_be_changed_is_said(text: str, file: str, key: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        edited(text, file, key, "1")
