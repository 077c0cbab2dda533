"""Predicted beside measured, and throughput by commit."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from types import SimpleNamespace

from goldsplit.analyse.profile import analyse
from goldsplit.errors import DamagedRunError
from goldsplit.experiment.carry_out import carry_out
from goldsplit.experiment.ledger import ledger
from goldsplit.experiment.trials import Experiment
from goldsplit.model.overlays.overlay import OverlayUse
from goldsplit.model.profile import Profile
from goldsplit.model.recording import Recording
from goldsplit.model.wire import Header
from goldsplit.report.experiments.ledger_terminal import LedgerRenderer
from goldsplit.report.terminal import TerminalRenderer
from goldsplit.store.directory import create_run, write_header
from goldsplit.store.experiment_files import RESULT, create_experiment

NOTHING = analyse(Recording({}, [], [], [], []))


def a_run(root: Path, name: str, started: float) -> None:
    write_header(create_run(root, name), {Header.ID: name, Header.STARTED: started})


def test_experiments(make: SimpleNamespace, tmp_path: Path) -> None:
    for name, predicted in (("good", 2.0), ("bad", 3.0), ("low", 1.1)):
        plan = make.plan(name=name, predicted={"fast": predicted})
        with Experiment(plan, tmp_path / name, make.world({"base": 10.0, "fast": 5.0}).tools()) as experiment:
            carry_out(experiment, lambda _: None, lambda _: None)
    create_experiment(tmp_path / "torn", make.plan(name="torn"))
    (tmp_path / "torn" / RESULT).write_text('{"judged": [{}]}')
    found = ledger(tmp_path, tmp_path / "none")
    assert [(row.experiment, row.predicted, row.pairs) for row in found.rows] == [
        ("good", 2.0, 8),
        ("bad", 3.0, 8),
        ("low", 1.1, 8),
    ]
    assert (found.within, found.predictions, found.unreadable) == (1, 3, 1)
    text = LedgerRenderer(TerminalRenderer(width=100)).render(found)
    assert "1 of 3 predictions inside" in text
    assert text.count("more than predicted") == 1
    assert "1 experiment could" in text


def test_commits(tmp_path: Path) -> None:
    for place, name in enumerate(("a", "b", "c", "d", "ablated", "broken")):
        a_run(tmp_path, name, float(place))

    def read(path: Path) -> Profile:
        if path.name == "broken":
            raise DamagedRunError("torn", "record again")
        revision = {"a": "1" * 40, "b": "1" * 40, "c": "2" * 40, "ablated": "1" * 40}.get(path.name)
        overlays = {"ablated": ["no-eval"], "a": ["seed:1"]}.get(path.name, [])
        git = None if revision is None else {"revision": revision, "changed": path.name == "c"}
        info = dataclasses.replace(
            NOTHING.run, git=git, command=["python", "t.py"], started=ord(path.name[0])
        )
        info = dataclasses.replace(info, overlays=[OverlayUse(text, {"calls": 1}) for text in overlays])
        speed = dataclasses.replace(NOTHING.throughput, env_steps_per_second=100.0 * ord(path.name[0]))
        return dataclasses.replace(NOTHING, run=info, throughput=speed)

    rows = ledger(tmp_path / "none", tmp_path, read).commits
    assert [(row.revision, row.changed, row.runs) for row in rows] == [
        ("1" * 10, False, 2),
        ("2" * 10, True, 1),
    ]
    assert (rows[0].lowest, rows[0].env_steps_per_second, rows[0].highest) == (9700.0, 9750.0, 9800.0)
    assert "2222222222+" in LedgerRenderer(TerminalRenderer()).render(
        ledger(tmp_path / "none", tmp_path, read)
    )
