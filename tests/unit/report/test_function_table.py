"""The functions of a run as a table, and as a mapping to correct."""

from __future__ import annotations

import os
from pathlib import Path

from goldsplit.model.named_code import FunctionRow
from goldsplit.report.formats.mapping_file import MappingRenderer
from goldsplit.report.function_table import FunctionTableRenderer
from goldsplit.report.terminal import TerminalRenderer
from goldsplit.store.config import load_stages, read_config

GOLDEN = Path(__file__).parents[2] / "golden"
ROWS = [
    FunctionRow(
        "rollout", "main", "/p/train.py", 3, "the loop that plays is in it", "sampled", 1.0, 99, "train:main"
    ),
    FunctionRow(
        None, "work", "/p/train.py", 30, "the stages are inside it", "sampled", 0.98, 98, "train:work"
    ),
    FunctionRow(
        "env.step",
        "Game.spielzug",
        "/p/core/game.py",
        50,
        "its result tells that the episode is over, it is given what another function chose, its name",
        "exact",
        0.62,
        62,
        "core.game:Game.spielzug",
    ),
    FunctionRow(
        None,
        "tidyUp",
        "/p/train.py",
        60,
        "nothing in the source tells what it is for",
        "sampled",
        0.2,
        20,
        "train:tidyUp",
        None,
        "game.tidy_up",
    ),
    FunctionRow(
        None,
        "rays",
        "/p/core/game.py",
        90,
        "called in env.step, and belongs to it",
        "sampled",
        0.15,
        15,
        "core.game:rays",
        "env.step",
        "game.rays",
    ),
    FunctionRow(
        "learn.optimizer",
        "Adam.step",
        "/x/site-packages/torch/optim/adam.py",
        214,
        "hook: torch",
        "exact",
        0.1,
        10,
        None,
    ),
    FunctionRow(
        "forward",
        "Net.q_values",
        "/p/net.py",
        12,
        "a network is called in it",
        "exact",
        0.05,
        5,
        "net:Net.q_values",
    ),
    FunctionRow(
        "act", "main.<locals>.pick", "/p/train.py", 8, "it gives a step its action", "sampled", 0.01, 1, None
    ),
    FunctionRow(
        "eval", "arena", "/p/train.py", 70, "it plays only\nnow and then", "not seen", 0.0, 0, "train:arena"
    ),
]


def check_golden(name: str, rendered: str) -> None:
    if os.environ.get("GOLDSPLIT_REGENERATE"):
        (GOLDEN / name).write_text(rendered, encoding="utf-8")
    assert rendered == (GOLDEN / name).read_text(encoding="utf-8")


def table(width: int) -> str:
    return FunctionTableRenderer(TerminalRenderer(width=width)).render("a-run", ROWS, ["python", "train.py"])


def test_the_table_matches_its_golden_files() -> None:
    for width in (80, 110):
        rendered = table(width)
        assert max(map(len, rendered.splitlines())) <= width
        check_golden(f"functions-{width}.txt", rendered)


def test_lines_to_paste_are_stages_that_record_takes() -> None:
    line = table(80).splitlines()[-1]
    assert line == "goldsplit record --stage train:tidyUp=game.tidy_up -- python train.py"
    assert load_stages(None, (line.split()[3],)) == {"train:tidyUp": "game.tidy_up"}


def test_a_run_without_functions() -> None:
    rendered = FunctionTableRenderer(TerminalRenderer(width=80)).render("a-run", [])
    assert "no function of this run has a stage" in rendered


def test_the_mapping_matches_its_golden_file_and_can_be_read(tmp_path: Path) -> None:
    rendered = MappingRenderer().render("a-run", ROWS)
    check_golden("mapping.toml", rendered)
    file = tmp_path / "goldsplit.toml"
    file.write_text(rendered)
    assert read_config(file) == {
        "core.game:Game.spielzug": "env.step",
        "train:main": "rollout",
        "train:arena": "eval",
    }


def test_what_is_switched_off_can_be_switched_on(tmp_path: Path) -> None:
    file = tmp_path / "goldsplit.toml"
    lines = MappingRenderer().render("a-run", ROWS).splitlines()
    file.write_text("\n".join(line.removeprefix("# ") if line.startswith('# "') else line for line in lines))
    assert read_config(file) | {"core.game:rays": "game.rays", "net:Net.q_values": "act"} == read_config(file)
    assert read_config(file)["train:tidyUp"] == "game.tidy_up"


def test_two_functions_of_one_name_are_one_line(tmp_path: Path) -> None:
    file = tmp_path / "goldsplit.toml"
    file.write_text(MappingRenderer().render("x", [ROWS[0], ROWS[0]]))
    assert read_config(file) == {"train:main": "rollout"}


def test_a_mapping_of_nothing_is_valid(tmp_path: Path) -> None:
    file = tmp_path / "goldsplit.toml"
    file.write_text(MappingRenderer().render('odd\nname = "x"', []))
    assert read_config(file) == {}
