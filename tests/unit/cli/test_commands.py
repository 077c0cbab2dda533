"""The command line without processes: what each command prints, and where errors become messages."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from goldsplit.cli import main as main_module
from goldsplit.cli.record import _guess_name
from goldsplit.errors import RunNotFoundError
from goldsplit.model.report import RunSummary
from goldsplit.model.stage import VOCABULARY
from goldsplit.pipeline import new_run_id
from goldsplit.store.beside_runs.summary_file import keep_summary
from goldsplit.store.config import read_config
from goldsplit.store.directory import write_header


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., int]:
    """command("show", …): run it in this process; its exit code."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> int:
        monkeypatch.setattr(sys, "argv", ["goldsplit", *arguments])
        try:
            main_module.main()
        except SystemExit as end:
            return int(end.code or 0)
        return 0

    return run


def make_run(tmp_path: Path, run_id: str, **header: object) -> None:
    path = tmp_path / ".goldsplit" / "runs" / run_id
    path.mkdir(parents=True)
    write_header(path, {"id": run_id, "command": ["python", "train.py"], "status": "complete", **header})


def test_stages_lists_the_vocabulary(command: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> None:
    assert command("stages") == 0
    printed = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in printed[: len(VOCABULARY)]] == [stage.name for stage in VOCABULARY]


def test_stages_of_a_run(
    command: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_run(tmp_path, "one", name="baseline", started=1.0)
    row = ["Game.play", 3, 9, "env.step", "it has a reward", True, 2]
    named = tmp_path / ".goldsplit" / "runs" / "one" / "named.jsonl"
    named.write_text(json.dumps({"file": "/p/game.py", "functions": [row]}) + "\n")
    assert command("stages", "--explain", "baseline") == 0
    printed = capsys.readouterr().out
    assert "env.step" in printed
    assert "it has a reward" in printed
    assert command("stages", "--explain", "--json") == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["stage"], found["target"], found["share"]) == ("env.step", "game:Game.play", None)
    assert command("stages", "baseline") == 2
    assert "--explain" in capsys.readouterr().err


def test_map_writes_a_file_once(
    command: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_run(tmp_path, "one", started=1.0, stages={"game:shoot": "count:shots", "game:f": "act"})
    assert command("map") == 0
    file = tmp_path / "goldsplit.toml"
    assert "[stages]" in file.read_text()
    assert read_config(file) == {"game:shoot": "count:shots"}, "counters stay"
    file.write_text("[stages]\n")
    assert command("map") == 2
    assert "goldsplit.toml is there already" in capsys.readouterr().err
    assert file.read_text() == "[stages]\n"
    assert command("map", "--output", "-") == 0
    assert "[stages]" in capsys.readouterr().out
    assert command("map", "--force") == 0
    assert file.read_text() != "[stages]\n"


def test_a_mapping_says_how_it_is_used_from_here(
    command: Callable[..., int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_run(tmp_path, "one", started=1.0)
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    assert command("map", "last", "--out", "../.goldsplit/runs", "-o", "my x.toml") == 0
    head = Path("my x.toml").read_text().splitlines()[:3]
    assert head[1].endswith("goldsplit show ../.goldsplit/runs/one --config 'my x.toml'")
    assert head[2].endswith("goldsplit record --config 'my x.toml' -- COMMAND")
    monkeypatch.chdir(tmp_path)
    assert command("map", "last") == 0
    assert "goldsplit show one --config goldsplit.toml\n" in Path("goldsplit.toml").read_text()


def test_a_run_is_explained_with_a_mapping(
    command: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_run(tmp_path, "one", started=1.0)
    (tmp_path / "mine.toml").write_text('[stages]\n"game:Game.play" = "env.step"\n')
    assert command("show", "--config", "mine.toml") == 0
    assert "this run has no function game:Game.play" in " ".join(capsys.readouterr().out.split())
    assert command("show", "--config", "missing.toml") == 2
    assert "missing.toml" in capsys.readouterr().err


def test_runs_lists_oldest_first(
    command: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("runs") == 0
    assert "no runs" in capsys.readouterr().err
    make_run(tmp_path, "b", started=20.0, start_ns=0, end_ns=2_000_000_000)
    make_run(tmp_path, "a", started=30.0)
    assert command("runs") == 0
    titles, *lines = capsys.readouterr().out.splitlines()
    assert titles.split()[:5] == ["run", "begun", "length", "status", "speed"]
    assert [line.split()[0] for line in lines] == ["b", "a"]
    assert "2.0 s" in lines[0]
    assert "train.py" in lines[0]


def test_runs_has_speed_and_bottleneck_once_a_run_was_explained(
    command: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number, seed in enumerate("12"):
        ended = {"started": number, "start_ns": 0, "end_ns": 5}
        make_run(tmp_path, f"run{seed}", command=["python", "train.py", "--seed", seed], **ended)
    keep_summary(tmp_path / ".goldsplit" / "runs" / "run2", RunSummary(1234.4, "env steps", "env.step", 0.62))
    assert command("runs") == 0
    _, first, second = capsys.readouterr().out.splitlines()
    assert first.split("complete")[1].split() == ["–", "–", "python", "train.py", "--seed", "1"]
    told = " ".join(second.split("complete")[1].split())
    assert told == "1,234 env steps/s env.step 62 % --seed 1 → 2"


def test_show_keeps_what_runs_lists(command: Callable[..., int], tmp_path: Path) -> None:
    make_run(tmp_path, "one", started=1.0, start_ns=0, end_ns=5)
    kept = tmp_path / ".goldsplit" / "runs" / "one" / "summary.json"
    (tmp_path / "mine.toml").write_text('[stages]\n"game:play" = "env.step"\n')
    assert command("show", "--config", "mine.toml") == 0
    assert not kept.exists(), "explained otherwise than it was recorded"
    assert command("show") == 0
    assert kept.exists()


def test_runs_gives_each_run_one_line(
    command: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_run(tmp_path, "a", command=["python", "-c", "import x\nx.run()\n"])
    assert command("runs") == 0
    assert len(capsys.readouterr().out.splitlines()) == 2, "one more for the titles"


def test_show_as_json_and_as_text(
    command: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_run(tmp_path, "one", name="baseline", started=1.0)
    assert command("show", "baseline", "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["format"], report["run"]["id"]) == ("goldsplit-report", "one")
    assert command("show") == 0
    assert "one" in capsys.readouterr().out


def test_an_expected_error_is_a_message_a_hint_and_two(
    command: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_run(tmp_path, "one", name="baseline")
    assert command("show", "basline") == 2
    error = capsys.readouterr().err
    assert error.startswith("error: no run 'basline'")
    assert "hint: did you mean baseline?" in error


def test_wrong_usage_is_two(command: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (
        ("shwo",),
        ("show", "--jsno"),
        ("record",),
        ("attach", "x"),
        ("record", "--rate", "0", "--", "x"),
    ):
        assert command(*arguments) == 2, arguments
        assert "rror" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [("--nmae", "did you mean --name?"), ("--stagee=a:b", "did you mean --stage?"), ("--zq", "--help")],
)
def test_a_misspelt_option_of_record_gets_the_closest_one(
    command: Callable[..., int], capsys: pytest.CaptureFixture[str], wrong: str, hint: str
) -> None:
    assert command("record", wrong, "x", "--", "python", "train.py") == 2
    error = capsys.readouterr().err
    assert "no such option" in error
    assert hint in error


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        ("ab --varient x -- python train.py", "Did you mean '--variant'?"),
        ("sweep --sett n=1 -- python train.py", "Did you mean '--set'?"),
        ("try --minuts 1 -- python train.py", "Did you mean '--minutes'?"),
        ("env --step 5 CartPole-v1", "Did you mean '--steps'?"),
        ("export --fromat csv", "Did you mean '--format'?"),
    ],
)
def test_a_misspelt_option_gets_the_closest_one_and_no_other(
    command: Callable[..., int], capsys: pytest.CaptureFixture[str], arguments: str, hint: str
) -> None:
    assert command(*arguments.split()) == 2
    assert capsys.readouterr().err.rstrip().endswith(hint)


def test_help_and_version(command: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> None:
    assert command("--help") == 0
    listed = capsys.readouterr().out
    for one in main_module.COMMANDS:
        assert one.name in listed
        assert command(str(one.name), "--help") == 0
        assert capsys.readouterr().out.startswith("Usage: goldsplit")
    assert command("--version") == 0
    assert "0." in capsys.readouterr().out


def test_errors_without_a_hint(
    command: Callable[..., int], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RunNotFoundError("nothing here")

    monkeypatch.setattr("goldsplit.store.directory.find_run", fail)
    assert command("show") == 2
    assert capsys.readouterr().err == "error: nothing here\n"


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (("python", "dir/train.py", "--x"), "train"),
        (("python", "-m", "pkg.train"), "pkg.train"),
        (("./run.sh",), "run.sh"),
        (("poetry", "run", "python", "a.py"), "a"),
    ],
)
def test_a_run_is_named_after_its_script(arguments: tuple[str, ...], name: str) -> None:
    assert _guess_name(arguments) == name


def test_run_ids_say_when_and_what() -> None:
    assert "-my-run-" in new_run_id("my run")
    assert new_run_id("").count("-") == 2


def test_runs_shows_names_as_text_and_says_which_runs_it_cannot_read(
    command: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_run(tmp_path, "\x1b[31mred\u202e", status="\x07bell", command=["python", "\x1b]0;x\x07"])
    make_run(tmp_path, "b")
    header = next(tmp_path.rglob("b/run.json"))
    header.write_text(header.read_text().replace('"format_version": 3', '"format_version": 1'))
    assert command("runs") == 0
    out = capsys.readouterr().out
    assert all(char.isprintable() for char in out.replace("\n", ""))
    assert "red" in out
    assert "cannot be read: run b has format 1; this goldsplit reads formats 2 to 3" in out


def test_a_copy_of_a_run_is_called_by_its_own_name(
    command: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_run(tmp_path, "one", started=1.0)
    make_run(tmp_path, "copy", id="one", started=1.0)
    assert command("runs") == 0
    assert sorted(line.split()[0] for line in capsys.readouterr().out.splitlines()[1:]) == ["copy", "one"]
    assert command("show", "copy") == 0
    assert capsys.readouterr().out.startswith("copy")


def test_an_error_that_nobody_expected_names_the_run_and_asks_for_a_report(
    command: Callable[..., int],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_: object) -> None:
        raise KeyError("\x1b[31m")

    make_run(tmp_path, "one")
    monkeypatch.delenv("GOLDSPLIT_DEBUG", raising=False)
    monkeypatch.setattr("goldsplit.analyse.profile.explain", broken)
    assert command("show", "one") == 70
    error = capsys.readouterr().err
    assert "Traceback" not in error
    assert "\x1b" not in error
    assert error.startswith("error: goldsplit itself failed at test_commands.py")
    assert "runs/one" in error
    assert "please report" in error
    monkeypatch.setenv("GOLDSPLIT_DEBUG", "1")
    with pytest.raises(KeyError):
        command("show", "one")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")  # noqa: PTH110
@pytest.mark.parametrize("command", ["stages", "explain"])
def test_output_on_a_full_disk_is_no_error_of_ours(command: str) -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = subprocess.run(
            [sys.executable, "-m", "goldsplit", command], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 2
    assert done.stderr.splitlines()[0] == "error: cannot write: No space left on device"
    assert "Exception" not in done.stderr
