"""One value of a settings file is changed, the rest stays."""

from __future__ import annotations

import configparser
import json
import sys
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


BRACES = """\
inline = { x = 1, y = "s, t" }  # both
multi = [
  1,  # one
  2,
]
long = '''
x = 5
'''
a.b = 3
when = 2020-01-01 10:00:00
[[items]]
k = 1
[items.deep]
z = "}"
[[items]]
k = 2
["quoted.key"]
z = 1
"""


@pytest.mark.parametrize(
    ("key", "value", "old", "new"),
    [
        ("inline.x", "7", "x = 1", "x = 7"),
        ("inline.y", "b", '"s, t"', '"b"'),
        ("inline", "{ x = 2 }", '{ x = 1, y = "s, t" }', "{ x = 2 }"),
        ("multi", "[3]", "[\n  1,  # one\n  2,\n]", "[3]"),
        ("multi.1", "9", "  2,", "  9,"),
        ("long", "b", "'''\nx = 5\n'''", '"b"'),
        ("a.b", "4", "a.b = 3", "a.b = 4"),
        ("when", "2021-02-03", "2020-01-01 10:00:00", "2021-02-03"),
        ("items.0.k", "5", "k = 1", "k = 5"),
        ("items.0.deep.z", "q", '"}"', '"q"'),
        ("items.1.k", "5", "k = 2", "k = 5"),
        ("quoted.key.z", "5", "z = 1", "z = 5"),
    ],
)
def test_toml_in_braces_lists_and_several_lines(key: str, value: str, old: str, new: str) -> None:
    if key == "quoted.key.z":
        with pytest.raises(ConfigError, match="cannot edit"):
            edited(BRACES, "a.toml", key, value)
    else:
        assert edited(BRACES, "a.toml", key, value) == BRACES.replace(old, new)


FLOW = """\
env: {burn: 800, "name": 'a b'}  # in braces
layers:
  - 64  # first
  - {size: 32}
empty:
text: |
  burn: 1
last: [1, [2, 3]]
"""


@pytest.mark.parametrize(
    ("key", "value", "old", "new"),
    [
        ("env.burn", "3", "800", "3"),
        ("env.name", "x: y", "'a b'", '"x: y"'),
        ("layers.0", "5", "64  #", "5  #"),
        ("layers.1.size", "5", "32", "5"),
        ("last.1.0", "7", "[2, 3]", "[7, 3]"),
        ("last", "[4]", "[1, [2, 3]]", "[4]"),
        ("empty", "1", "empty:", "empty: 1"),
    ],
)
def test_yaml_in_braces_and_lists(key: str, value: str, old: str, new: str) -> None:
    assert edited(FLOW, "a.yaml", key, value) == FLOW.replace(old, new)


def test_yaml_without_its_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    assert edited(YAML, "a.yaml", "ppo.lr", "0.1") == YAML.replace("0.001  #", "0.1  #")
    with pytest.raises(ConfigError, match=r"no line of its own says env\.burn") as caught:
        edited(FLOW, "a.yaml", "env.burn", "1")
    assert "PyYAML" in caught.value.hint


def test_items_of_lists_in_json() -> None:
    assert json.loads(edited('{"a": [{"k": 1}, 2]}', "a.json", "a.0.k", "3")) == {"a": [{"k": 3}, 2]}


@pytest.mark.parametrize(
    ("text", "file", "key", "message"),
    [
        (TOML, "a.toml", "ppo.rl", "no value"),
        (YAML, "a.yaml", "ppo.rl", "no value"),
        ("{}", "a.json", "ppo.lr", "no value"),
        (INI, "a.cfg", "ppo.rl", "no value"),
        (TOML, "a.toml", "ppo", "is a table"),
        (YAML, "a.yaml", "ppo", "is a table"),
        ("x: [", "a.yaml", "x", "no YAML"),
        ("a: &b 1\nc: *b\n", "a.yaml", "a", "cannot edit"),
        ('{"a": [1]}', "a.json", "a.1", "no value"),
        ("x = [", "a.toml", "x", "no TOML"),
        ("{", "a.json", "x", "no JSON"),
        ("", "a.xml", "x", "edits .toml"),
    ],
)
def test_what_cannot_be_changed_is_said(text: str, file: str, key: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        edited(text, file, key, "1")
