"""The whole flow on one page: running program → recording → profile → findings → report.

Recording writes files; everything after reads files. So a run can be shown again, later and elsewhere.
What explains a run is imported where it is needed: until the recorded program has ended, the processors
belong to that program.
"""

from __future__ import annotations

import dataclasses
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, NamedTuple, ParamSpec, TypeVar

from goldsplit.errors import CommandError, ConfigError, OutputError
from goldsplit.model.overlays.written import check_together
from goldsplit.model.wire import File, Header, ProfileKey
from goldsplit.record.outside import attaching, launch
from goldsplit.record.outside.overlaid_run import told_in
from goldsplit.record.outside.run_context import describe_run
from goldsplit.record.outside.target_source import read_target_source
from goldsplit.store.checked.json_lines import DAMAGE, read_object
from goldsplit.store.directory import clean_name, create_run, process_birth, write_header
from goldsplit.store.env_file import read_env_file
from goldsplit.store.experiment_files import read_measured, with_measured
from goldsplit.store.reader import read_run
from goldsplit.store.remapping import remapped

if TYPE_CHECKING:
    from goldsplit.model.detail import Detail
    from goldsplit.model.env_alone.env_look import EnvLook
    from goldsplit.model.experiment.trial import Point
    from goldsplit.model.horizon import Horizon
    from goldsplit.model.named_code import FunctionRow
    from goldsplit.model.plan import Plan
    from goldsplit.model.profile import Profile
    from goldsplit.model.recording import Recording
    from goldsplit.model.report import Report
    from goldsplit.model.whatif import Scenario, WhatIf

Tick = Callable[[Path], None]
"""Called a few times a second with the run's directory, while the recording goes on."""
Mapping = dict[str, str]
"""Target → stage, to explain a run otherwise than it was recorded; empty for none."""


Rest = ParamSpec("Rest")
Answer = TypeVar("Answer")


def naming_its_run(
    explain: Callable[Concatenate[Path, Rest], Answer],
) -> Callable[Concatenate[Path, Rest], Answer]:
    """Let an error that nobody expected say which run it was about."""

    @wraps(explain)
    def named(run_dir: Path, /, *args: Rest.args, **kwargs: Rest.kwargs) -> Answer:
        try:
            return explain(run_dir, *args, **kwargs)
        except Exception as error:
            note = f"run {run_dir}"
            if note not in getattr(error, "__notes__", ()):
                error.add_note(note)
            raise

    return named


class Driven(NamedTuple):
    """What driving an environment left behind."""

    run_dir: Path | None
    """None: it failed or was interrupted before it was recorded."""
    look: EnvLook | None
    """None: it did not come to a first step, and does not say why."""
    end: launch.RunEnd


class Measured(NamedTuple):
    """What an experiment needs of a recording."""

    profile: Profile
    curve: list[Point]
    """How far it had come at each instant; empty: no process recorded itself."""
    counts: dict[str, float]
    """Per env step, what does not depend on the machine."""


def record(
    command: tuple[str, ...],
    root: Path,
    name: str,
    options: launch.RecordOptions,
    tick: Tick,
    kind: str = "record",
) -> tuple[Path, launch.RunEnd]:
    """Run a command to its end, and leave a run directory."""
    launch.check_command(command)
    check_together(options.overlays, options.stages.values())
    run_id = new_run_id(name)
    run_dir = create_run(root, run_id)
    start_ns = time.perf_counter_ns()
    header = told_in(describe_run(run_id, name, command, options.directory), options.overlays) | {
        Header.KIND: kind,
        Header.STATUS: "running",
        Header.RECORDER: [os.getpid(), process_birth(os.getpid())],
        Header.START_NS: start_ns,
        Header.STAGES: options.stages,
    }
    write_header(run_dir, header)
    try:
        end = launch.run(command, run_dir, start_ns, options, partial(tick, run_dir))
    except CommandError:  # it never began
        shutil.rmtree(run_dir, ignore_errors=True)
        raise
    header |= {
        Header.STATUS: end.status,
        Header.EXIT_CODE: end.exit_code,
        Header.END_NS: end.ended_ns,
    }
    try:
        write_header(run_dir, header | {Header.NOTES: list(end.notes)})
    except (OutputError, OSError) as error:  # the command's exit code matters more than our header
        print(f"goldsplit: {error}", file=sys.stderr)
    return run_dir, end


def attach(pid: int, root: Path, name: str, rate_hz: int, duration_seconds: float | None, tick: Tick) -> Path:
    """Sample a running process, and leave a run directory."""
    target = attaching.attachable(pid)
    run_id = new_run_id(name or f"attach-{pid}")
    run_dir = create_run(root, run_id)
    header = describe_run(run_id, name, tuple(target.cmdline())) | {
        Header.KIND: "attach",
        Header.STATUS: "running",
        Header.RECORDER: [os.getpid(), process_birth(os.getpid())],
        Header.TARGET_PID: launch.python_target(pid),
        Header.START_NS: time.perf_counter_ns(),
    }
    write_header(run_dir, header)
    unread = read_target_source(pid, run_dir)
    status, notes = attaching.attach(target, run_dir, rate_hz, duration_seconds, partial(tick, run_dir))
    if header[Header.TARGET_PID] != pid:
        notes = [*notes, f"process {pid} is not Python: its child {header[Header.TARGET_PID]} was sampled"]
    header |= {Header.STATUS: status, Header.END_NS: time.perf_counter_ns(), Header.NOTES: notes + unread}
    write_header(run_dir, header)
    return run_dir


@naming_its_run
def recording(run_dir: Path, mapping: Mapping | None = None) -> Recording:
    """Read a run; with a mapping, as if its functions had those stages."""
    return remapped(read_run(run_dir), mapping or {})


@naming_its_run
def profile(run_dir: Path, mapping: Mapping | None = None) -> Profile:
    """Read a run and say where its time went."""
    from goldsplit.analyse.profile import analyse

    return analyse(recording(run_dir, mapping))


@naming_its_run
def measure(run_dir: Path) -> Measured:
    """Read a short recording and say what an experiment needs of it."""
    from goldsplit.analyse.counts.curve import counts_per_step, curve
    from goldsplit.analyse.intermediate import work_out
    from goldsplit.analyse.profile import explain, without_silent_processes

    read = without_silent_processes(recording(run_dir))
    found = work_out(read)
    if found is None:
        return Measured(explain(read, found), [], {})
    return Measured(explain(read, found), curve(found), counts_per_step(found))


@naming_its_run
def functions(run_dir: Path, mapping: Mapping | None = None) -> list[FunctionRow]:
    """Read a run and say what each function was taken for, and why."""
    from goldsplit.analyse.user_functions import user_functions

    return user_functions(recording(run_dir, mapping))


@naming_its_run
def report(run_dir: Path, mapping: Mapping | None = None) -> Report:
    """Read a run and explain it: where its time went, and what to do about it."""
    return _with_findings(run_dir, profile(run_dir, mapping))


def _applied(run_dir: Path) -> dict[str, Any]:
    """What `--profile` set: nothing where there was none, or its file is damaged."""
    try:
        kept = read_object(run_dir / File.PROFILE)
    except (OSError, *DAMAGE):
        return {}
    tables = [kept.get(ProfileKey.SETTINGS), kept.get(ProfileKey.VARIABLES)]
    fits = all(isinstance(one, dict) and all(isinstance(v, str) for v in one.values()) for one in tables)
    return kept if fits and isinstance(kept.get(ProfileKey.FILE), str) else {}


def _with_findings(run_dir: Path, explained: Profile) -> Report:
    """A profile with its findings; those whose remedies were tried have what was measured."""
    from goldsplit.diagnose.findings import diagnose
    from goldsplit.diagnose.tried_findings import in_order_of_hope
    from goldsplit.model.report import Report

    run = dataclasses.replace(explained.run, path=str(run_dir), profile=_applied(run_dir))
    explained = dataclasses.replace(explained, run=run)
    tried = with_measured(diagnose(explained), read_measured(run_dir))
    return Report(explained, in_order_of_hope(explained, tried))


@naming_its_run
def what_if(run_dir: Path, scenario: Scenario, mapping: Mapping | None = None) -> WhatIf:
    """What a run would gain from faster stages, another layout or another number of updates."""
    from goldsplit.analyse.predict.whatif import what_if as answer

    return answer(profile(run_dir, mapping), scenario)


@naming_its_run
def horizon(run_dir: Path, unit: str, target: float, mapping: Mapping | None = None) -> Horizon:
    """How long a run of another length would take."""
    from goldsplit.analyse.predict.horizon import horizon as extrapolate

    return extrapolate(profile(run_dir, mapping), unit, target)


@naming_its_run
def report_closely(
    run_dir: Path, single_spans: bool = False, mapping: Mapping | None = None
) -> tuple[Report, Detail]:
    """A run explained, with its stacks, source lines and lanes: what the page and the exports show beyond it.

    `single_spans`: with every span of the raw windows too, of which a long run has millions."""
    from goldsplit.analyse.detail import explain_closely

    explained, detail = explain_closely(recording(run_dir, mapping), single_spans)
    return _with_findings(run_dir, explained), detail


def rule_pages(explained: Report) -> dict[str, str]:
    """The page of each rule that found something: code → Markdown."""
    from goldsplit.diagnose.rule_pages import page_of
    from goldsplit.diagnose.rules import RULES

    found = {finding.code for finding in explained.findings}
    return {rule.code: page_of(rule) for rule in RULES if rule.code in found}


def plan(explained: Report) -> Plan:
    """What to do about a run, in which order, and how much it can save at most."""
    from goldsplit.diagnose.planning import make_plan

    return make_plan(explained.profile, explained.findings)


def drive(
    command: tuple[str, ...], root: Path, name: str, options: launch.RecordOptions, ticks: tuple[Tick, Tick]
) -> Driven:
    """Drive an environment twice: first unrecorded, for its times; then recorded, for the rest."""
    from goldsplit.analyse.env_look import look

    with tempfile.TemporaryDirectory(prefix="goldsplit-") as folder:
        file = Path(folder) / File.DRIVE_TIMED
        timing = (*command, "--timing", "--result", str(file))
        end = launch.run_unrecorded(timing, partial(ticks[0], Path(folder)))
        timed = read_env_file(file)
        alone = None if timed is None else look(timed, None)
        if timed is None or alone is None or alone.steps == 0 or (end.exit_code and alone.failure is None):
            return Driven(None, alone, end)
        run_dir, end = record(command, root, name, options, ticks[1], kind="env")
        shutil.copyfile(file, run_dir / File.DRIVE_TIMED)
    return Driven(run_dir, look(timed, read_env_file(run_dir / File.DRIVE_RECORDED)), end)


@naming_its_run
def check_stages(run_dir: Path) -> None:
    """Complain about stage targets that never matched: nothing else tells that their figures are missing."""
    from goldsplit.analyse.trust import unmatched

    missing = unmatched(read_run(run_dir))
    if missing:
        told = "; ".join(f"{target} ({why})" for target, why in missing.items())
        raise ConfigError(
            f"stage target never matched: {told}",
            "write the module as the program imports it, or __main__:name for the script itself",
        )


def new_run_id(name: str) -> str:
    """A run's id: when, and what."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    cleaned = clean_name(name)
    unique = f"{time.perf_counter_ns() // 1000 % 1000:03d}"
    return f"{stamp}-{cleaned}-{unique}" if cleaned else f"{stamp}-{unique}"
