"""quiet: no output in the loop; what comes after the last step is shown."""

from __future__ import annotations

import builtins
import io
import logging
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from goldsplit.model.fact_wire import FactKind
from goldsplit.record.inside.engine import ENGINE, clock
from goldsplit.record.inside.overlays import quiet
from goldsplit.record.inside.overlays.changes import Changes

Changed = Callable[..., dict[str, float]]


def step() -> None:
    ENGINE.first_step_ns = ENGINE.first_step_ns or clock()
    ENGINE.last_step_ns = clock()


def test_prints_of_the_loop_are_left_out(capsys: pytest.CaptureFixture[str], changed: Changed) -> None:
    held = quiet.Held(Changes("quiet"))
    say = quiet._quiet_print(builtins.print, held)
    say("before")
    for number in range(3):
        step()
        say("step", number)
    step()
    elsewhere = io.StringIO()
    say("to a file", file=elsewhere)
    say("result", 7, sep="=")
    assert capsys.readouterr().out == "before\n"
    held.show()
    assert capsys.readouterr().out == "result=7\n"
    assert elsewhere.getvalue() == "to a file\n"
    assert changed() == {"prints left out": 3}


def test_a_process_without_steps_says_why_its_output_stays(
    capsys: pytest.CaptureFixture[str], changed: Changed
) -> None:
    held = quiet.Held(Changes("quiet"))
    quiet._quiet_print(builtins.print, held)("from the trainer")
    held.show()
    assert capsys.readouterr().out == "from the trainer\n"
    assert list(changed(FactKind.OVERLAY_WHY)) == [quiet.NO_LOOP_HERE]
    assert changed() == {}


def test_records_below_warning(changed: Changed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging.Logger, "handle", logging.Logger.handle)
    held = quiet.Held(Changes("quiet"))
    quiet._quiet_logging(held, logging)
    stream = io.StringIO()
    logger = logging.getLogger("goldsplit-test-quiet")
    logger.addHandler(logging.StreamHandler(stream))
    logger.setLevel(logging.DEBUG)
    step()
    logger.info("in the loop")
    logger.warning("careful")
    step()
    logger.info("the end")
    held.show()
    assert stream.getvalue() == "careful\nthe end\n"
    assert changed() == {"log records left out": 1}


def test_writers_and_tables(changed: Changed) -> None:
    written: list[str] = []
    module: Any = ModuleType("writer")
    module.SummaryWriter = type("SummaryWriter", (), {"add_scalar": lambda self, name: written.append(name)})
    module.Logger = type("Logger", (), {"dump": lambda self, step: written.append("table")})
    quiet._quiet_writer(Changes("quiet"), module)
    quiet._quiet_dump(Changes("quiet"), module)
    module.SummaryWriter().add_scalar("before")
    step()
    module.SummaryWriter().add_scalar("in the loop")
    module.Logger().dump(1)
    assert written == ["before"]
    assert changed() == {"TensorBoard entries left out": 1, "tables of the logger left out": 1}
