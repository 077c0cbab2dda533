"""Odd programs run bare and recorded: same output, same errors, same exit code."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.integration.odd_programs import LOOK_AT_CODE, PROGRAMS, Odd

from goldsplit.model.wire import Variable

RUNNER = Path(__file__).with_name("run_odd_programs.py")
#: A frame of ours in a printed traceback, with its line of code and its marks: some wrappers have one, as
#: documented.
OUR_FRAMES = re.compile(r'  File "[^"]*/goldsplit/(?:record|api)[^\n]*\n(?:    [^\n]*\n)*')
#: What differs from run to run: addresses; process ids in a warning of Python 3.12.
ADDRESSES = re.compile(r"0x[0-9a-f]+|pid=\d+")

Seen = dict[str, list[Any]]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All programs, and a list of them for the runner."""
    root = tmp_path_factory.mktemp("odd")
    wanted = {name: laid_out(root / str(number), odd) for number, (name, odd) in enumerate(PROGRAMS.items())}
    (root / "wanted.json").write_text(json.dumps(wanted))
    return root


def laid_out(directory: Path, odd: Odd) -> dict[str, Any]:
    for name, text in {"program.py": odd.text, **odd.files}.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return {"command": odd.command, "cwd": str(directory), "stdin": odd.stdin}


@pytest.fixture(scope="module")
def bare(place: Path) -> Seen:
    command = [sys.executable, str(RUNNER), str(place / "wanted.json"), str(place / "bare.json")]
    subprocess.run(command, check=True, timeout=600, stdin=subprocess.DEVNULL)
    return read(place / "bare.json")


def read(answer: Path) -> Seen:
    seen: Seen = json.loads(answer.read_text())
    return {
        name: [code, out, ADDRESSES.sub("0x", OUR_FRAMES.sub("", err))]
        for name, (code, out, err) in seen.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize("how", ["compiled", "python", "deep"])
def test_programs_do_the_same_bare_and_recorded(
    bare: Seen, place: Path, goldsplit: Callable[..., Any], how: str
) -> None:
    answer, out = place / f"{how}.json", place / f"runs-{how}"
    options = ["--deep"] if how == "deep" else []
    done = goldsplit(
        *("record", "--no-stacks", "--quiet", "--out", str(out), *options, "--"),
        *(sys.executable, str(RUNNER), str(place / "wanted.json"), str(answer)),
        cwd=place,
        timeout=600,
        env={Variable.CORE: "python" if how == "python" else "compiled"},
    )
    assert done.returncode == 0, done.stderr
    recorded = read(answer)
    alike = [name for name in PROGRAMS if how != "python" or name not in LOOK_AT_CODE]
    differing = {name: (bare[name], recorded[name]) for name in alike if bare[name] != recorded[name]}
    assert not differing
    assert len(list(out.glob("*/proc-*.jsonl"))) > len(PROGRAMS) / 2, "hardly any program was recorded"


@pytest.mark.needs_torch
def test_there_are_enough_of_them(bare: Seen) -> None:
    assert len(PROGRAMS) >= 50
    assert bare["torch"][0] == 0, bare["torch"]


def test_gevent_is_really_tried(bare: Seen) -> None:
    ((code, out, err),) = (seen for name, seen in bare.items() if "gevent" in name)
    assert (code, out, err) == (0, "True\nTrue\n(4, 1.0, False, {})\n", "")
