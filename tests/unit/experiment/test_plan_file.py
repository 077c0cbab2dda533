"""Plans from TOML and from the command line say the same."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from goldsplit.errors import ConfigError
from goldsplit.experiment.plan_file import plan_of, read_plan_file, variant_texts
from goldsplit.experiment.plan_sources import gate_text
from goldsplit.model.experiment.design import ConfigEdit, Gate, GateKind, Source, SourceKind, Variant

PLAN = """
command = ["python", "train.py", "--steps", "20000"]
metric = "cpu_seconds_per_1000_env_steps"
pairs = 12
minimum_gain = 0.2
early_stop = true
duration_seconds = 30
[stages]
"game:Game.enemy" = "env.opponent"
[variants.lean]
env = { TRAIN_LEAN_INFO = "1" }
args = "--x 3"
with = "threads:1"
config = { "train.toml" = { "ppo.lr" = 0.1, "on" = true } }
[variants.old]
rev = "main~1"
patch = "fix.diff"
[gates.win_rate]
[gates.score]
max_drop = 10
output = "score ([0-9]+)"
[metrics.fps]
csv = "logs/*.csv"
column = "fps"
"""


def test_a_plan_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "lean-info.toml"
    file.write_text(PLAN)
    plan = read_plan_file(file)
    assert (plan.name, plan.pairs, plan.minimum_gain, plan.duration_seconds) == ("lean-info", 12, 0.2, 30.0)
    assert plan.early_stop
    assert not plan.equivalent
    assert plan.variants == (
        Variant("base"),
        Variant(
            "lean",
            {"TRAIN_LEAN_INFO": "1"},
            ("--x", "3"),
            ("threads:1",),
            (ConfigEdit("train.toml", "ppo.lr", "0.1"), ConfigEdit("train.toml", "on", "true")),
        ),
        Variant("old", revision="main~1", patch="fix.diff"),
    )
    assert plan.gates[0] == Gate("win_rate", GateKind.RATE, Source(SourceKind.RECORDED, "", "win"), 0.03)
    assert plan.gates[1].source == Source(SourceKind.OUTPUT, "score ([0-9]+)")
    assert plan.metrics == {"fps": Source(SourceKind.CSV, "logs/*.csv", "fps")}
    assert plan.stages == {"game:Game.enemy": "env.opponent"}


def test_the_same_on_the_command_line() -> None:
    texts = (
        "lean:env=TRAIN_LEAN_INFO=1",
        "lean:args=--x 3",
        "lean:with=threads:1",
        "lean:config=train.toml:ppo.lr=0.1",
        "lean:config=train.toml:on=true",
        "old:rev=main~1",
        "old:patch=fix.diff",
    )
    assert variant_texts(texts) == plan_of(tomllib.loads(PLAN), "t", "t").variants


def test_a_base_that_is_changed_stays_first() -> None:
    assert [one.name for one in variant_texts(("new:rev=HEAD", "base:rev=HEAD~1"))] == ["base", "new"]


@pytest.mark.parametrize(
    ("text", "gate"),
    [
        ("win_rate", Gate("win_rate", GateKind.RATE, Source(SourceKind.RECORDED, "", "win"), 0.03)),
        ("win_rate=5%", Gate("win_rate", GateKind.RATE, Source(SourceKind.RECORDED, "", "win"), 0.05)),
        (
            "return=5%@csv:r",
            Gate("return", GateKind.MEAN, Source(SourceKind.CSV, "", "r"), 0.05, relative=True),
        ),
        ("return=7", Gate("return", GateKind.MEAN, Source(SourceKind.RECORDED, "", "reward"), 7.0)),
        ("a=1@tensorboard:x/y", Gate("a", GateKind.MEAN, Source(SourceKind.TENSORBOARD, "", "x/y"), 1.0)),
        ("a=1@metric:b", Gate("a", GateKind.MEAN, Source(SourceKind.RECORDED, "", "b"), 1.0)),
    ],
)
def test_gates_on_the_command_line(text: str, gate: Gate) -> None:
    assert gate_text(text) == gate


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ("pears = 3", "unknown key 'pears'"),
        ("pairs = 0", "pairs is 0"),
        ("pairs = 2.5", "pairs is 2.5"),
        ("minimum_gain = 'x'", "minimum_gain is 'x'"),
        ("command = 3", "no list of words"),
        ("early_stop = 1", "must be true or false"),
        ("variants = 3", "must be a table"),
        ("[variants.a]\nenvs = 1", "unknown key 'envs'"),
        ("[variants.a]\nenv = 1", "env is no table"),
        ("[variants.a]\nconfig = ['x']", "no file, key and value"),
        ("[variants.a]\nconfig = { f = 1 }", "config has no keys"),
        ("[variants.a]\nargs = [[1]]", "no text or list"),
        ("[variants.'a b']", "no name"),
        ("[gates.x]", "needs max_drop"),
        ("[gates.x]\nmax_drop = 1\nkind = 'y'", "no kind"),
        ("[gates.x]\nmax_drop = 1\noutput = '('", "no regular expression"),
        ("[gates.x]\nmax_drop = 1\noutput = 'a'\ncsv = 'b'", "several sources"),
        ("[metrics.x]\ntensorboard = 'a'", "which scalar"),
        ("[metrics.x]\nfile = 'a'", "unknown key"),
        ("x = [", "not valid TOML"),
    ],
)
def test_wrong_plans_are_refused(plan: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "p.toml"
    file.write_text(plan)
    with pytest.raises(ConfigError, match=message) as caught:
        read_plan_file(file)
    assert caught.value.hint


@pytest.mark.parametrize("text", ["lean", "lean:speed=3", "lean:env=A", "lean:config=a", "a b:env=A=1"])
def test_wrong_variants_are_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        variant_texts((text,))


def test_a_misspelt_key_of_a_variant_is_named() -> None:
    with pytest.raises(ConfigError, match="unknown key 'envs'") as caught:
        variant_texts(("v:envs=A=1",))
    assert caught.value.hint == "did you mean env?"


@pytest.mark.parametrize("change", ["env=A=1", "config=t.toml:a.b=1", "rev=main", "patch=a.diff"])
def test_the_same_change_twice_is_refused(change: str) -> None:
    with pytest.raises(ConfigError, match="given twice"):
        variant_texts((f"v:{change}", f"v:{change}"))
    assert len(variant_texts((f"v:{change}", f"w:{change}"))) == 3


@pytest.mark.parametrize("text", ["x", "win_rate=a", "win_rate@somewhere", "x=1@csv:"])
def test_wrong_gates_are_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        gate_text(text)
