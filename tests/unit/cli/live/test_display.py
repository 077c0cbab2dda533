"""The status line and the panel, with an injected clock, terminal and run directory."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from goldsplit.cli.live import display
from goldsplit.cli.live.bottom_rows import BottomArea
from goldsplit.cli.live.follow import Follower, Status
from goldsplit.cli.live.recent import RECENT_NS, RecentRun
from goldsplit.model.recording import FORMAT_VERSION

SECOND = 1_000_000_000


class Terminal(io.StringIO):
    """A stream that is a terminal, or not."""

    def __init__(self, is_terminal: bool = True) -> None:
        super().__init__()
        self.is_terminal = is_terminal

    def isatty(self) -> bool:
        return self.is_terminal


class Clock:
    """Time that passes only when told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def append(file: Path, *lines: dict[str, Any]) -> None:
    with file.open("a") as opened:
        for line in lines:
            opened.write(json.dumps(line, separators=(",", ":")) + "\n")


def start_line(pid: int, ppid: int) -> dict[str, Any]:
    return {"k": "start", "t": 0, "pid": pid, "ppid": ppid, "python": "3.11", "argv": ["python", "train.py"]}


def snapshot(
    t_ns: int, nodes: dict[int, tuple[str, int]], counts: dict[str, float], new: bool
) -> dict[str, Any]:
    """One thread, all nodes below the root; `nodes`: id → stage and total ns."""
    line: dict[str, Any] = {
        "k": "w",
        "t": t_ns,
        "n": [[0, node, 1, total, 0, 0, 0] for node, (_, total) in nodes.items()],
        "c": counts,
        "th": [[0, t_ns // 2, 0, *([10, "MainThread", 0] if new else [])]],
        "steps": [1, t_ns],
    }
    if new:
        line["d"] = [
            [0, 0, -1, "", ""],
            [0, 1, -1, "async", ""],
            *([0, node, 0, stage, ""] for node, (stage, _) in nodes.items()),
        ]
    return line


@pytest.fixture
def run_dir(tmp_path: Path) -> Path:
    """A trainer that waits, and a worker below it that steps; both counted the same steps."""
    (tmp_path / "run.json").write_text(
        json.dumps({"format_version": FORMAT_VERSION, "id": "r", "status": "running", "start_ns": 0})
    )
    write_second(tmp_path, 1, new=True)
    return tmp_path


def write_second(run_dir: Path, second: int, new: bool = False) -> None:
    now = second * SECOND
    driver, worker = run_dir / "proc-1-0.jsonl", run_dir / "proc-2-0.jsonl"
    if new:
        append(driver, start_line(1, 0))
        append(worker, start_line(2, 1))
    waiting = {2: ("act", now // 10), 3: ("vec.wait", now * 8 // 10)}
    append(driver, snapshot(now, waiting, {"0:vec_env_steps": 100 * second}, new))
    append(worker, {"k": "raw", "t": now, "end": now + 1, "threads": []})
    working = {2: ("env.step", now * 7 // 10)}
    append(worker, snapshot(now, working, {"0:own_env_steps": 100 * second}, new))


def test_steps_are_counted_once_and_waiting_names_what_is_waited_for(run_dir: Path) -> None:
    follower = Follower(run_dir)
    first = follower.look()
    assert (first.processes, first.env_steps, first.steps_per_second) == (2, 100, None)
    write_second(run_dir, 2)
    second = follower.look()
    assert second.env_steps == 200
    assert second.steps_per_second == pytest.approx(100.0)
    assert second.top_stage == "waiting for env.step"


def test_a_look_before_any_process_has_begun_is_no_beginning(tmp_path: Path) -> None:
    follower = Follower(tmp_path)
    assert follower.look().steps_per_second is None
    write_second(tmp_path, 1000, new=True)
    assert follower.look().steps_per_second is None, "the clock does not begin with the run"
    write_second(tmp_path, 1001)
    assert follower.look().steps_per_second == pytest.approx(100.0)


def test_the_users_own_counter_goes_first(run_dir: Path) -> None:
    append(
        run_dir / "proc-1-0.jsonl",
        snapshot(2 * SECOND, {}, {"0:user:env_steps": 7, "0:vec_env_steps": 9}, False),
    )
    assert Follower(run_dir).look().env_steps == 7


def test_speed_is_of_the_last_seconds_only(run_dir: Path) -> None:
    follower = Follower(run_dir)
    for second in range(2, 12):
        write_second(run_dir, second)
        status = follower.look()
    append(run_dir / "proc-1-0.jsonl", snapshot(30 * SECOND, {}, {"0:vec_env_steps": 1101}, False))
    slow = follower.look()
    assert status.steps_per_second == pytest.approx(100.0)
    assert slow.steps_per_second is not None
    assert slow.steps_per_second < 1


def test_a_torn_line_is_read_when_it_is_whole(run_dir: Path) -> None:
    follower = Follower(run_dir)
    follower.look()
    file = run_dir / "proc-1-0.jsonl"
    text = json.dumps(snapshot(2 * SECOND, {}, {"0:vec_env_steps": 250}, False), separators=(",", ":"))
    with file.open("a") as opened:
        opened.write(text[:30])
    assert follower.look().env_steps == 100
    with file.open("a") as opened:
        opened.write(text[30:] + "\n")
    assert follower.look().env_steps == 250


def test_each_look_reads_only_what_is_new(run_dir: Path) -> None:
    follower = Follower(run_dir)
    follower.look()
    size = (run_dir / "proc-1-0.jsonl").stat().st_size
    assert follower.new.read_until[run_dir / "proc-1-0.jsonl"] == size
    assert follower.new.of(run_dir / "proc-1-0.jsonl") == []


def test_recent_run_keeps_totals_but_not_the_past(run_dir: Path) -> None:
    recent = RecentRun(run_dir)
    seconds = 3 * RECENT_NS // SECOND
    for second in range(2, seconds + 1):
        write_second(run_dir, second)
        recording = recent.look()
    driver = recording.processes[0]
    assert len(driver.snapshots) <= RECENT_NS // SECOND + 2
    assert driver.snapshots[0].nodes[0, 2].total_ns > 0
    assert driver.snapshots[-1].counts["0:vec_env_steps"] == 100 * seconds


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (Status(0, None, None, None, False), "goldsplit 1:01:05 · starting"),
        (Status(0, None, None, None, True), "goldsplit 1:01:05 · sampling stacks"),
        (Status(1, None, None, None, True), "goldsplit 1:01:05 · no env step yet"),
        (
            Status(3, 12345, 296.4, "act", True),
            "goldsplit 1:01:05 · 12,345 env steps · 296/s now · mostly act",
        ),
        (
            Status(3, 5, None, "waiting for env.step", True),
            "goldsplit 1:01:05 · 5 env steps · waiting for env.step",
        ),
    ],
)
def test_status_text(status: Status, text: str) -> None:
    assert display.status_text(3665.2, status) == text


def test_nothing_is_shown_when_piped_quiet_or_dumb(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    assert isinstance(display.make_tick(live=True, quiet=False, stream=Terminal(False)), display.Silent)
    assert isinstance(display.make_tick(live=True, quiet=True, stream=Terminal()), display.Silent)
    assert isinstance(display.make_tick(live=False, quiet=False, stream=Terminal()), display.StatusLine)
    assert isinstance(display.make_tick(live=True, quiet=False, stream=Terminal()), display.LivePanel)
    monkeypatch.setenv("TERM", "dumb")
    assert isinstance(display.make_tick(live=True, quiet=False, stream=Terminal()), display.Silent)


@pytest.fixture
def size(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, int], None]:
    def set_size(columns: int, rows: int) -> None:
        monkeypatch.setattr(display, "terminal_size", lambda: (columns, rows))
        monkeypatch.setattr(display, "is_in_front", lambda: True)

    set_size(80, 24)
    return set_size


def test_status_line_waits_refreshes_each_second_and_clears(run_dir: Path, size: Any) -> None:
    terminal, clock = Terminal(), Clock()
    line = display.StatusLine(terminal, clock, lambda: 0.0)
    line(run_dir)
    assert terminal.getvalue() == ""
    clock.now = 2.0
    line(run_dir)
    drawn = terminal.getvalue()
    assert "100 env steps" in drawn
    assert "\x1b[1;23r" in drawn
    clock.now = 2.5
    line(run_dir)
    assert terminal.getvalue() == drawn
    clock.now = 3.1
    line(run_dir)
    assert terminal.getvalue() != drawn
    line.close()
    assert terminal.getvalue().endswith("\x1b7\x1b[r\x1b[24;1H\x1b[2K\x1b8")


def test_a_dear_look_is_repeated_less_often() -> None:
    clock = Clock()
    pace = display.Pace(1.0, clock, 0.0)
    pace.looked(0.5)
    clock.now = 49.0
    assert not pace.is_due()
    clock.now = 50.0
    assert pace.is_due()


def test_panel_shows_stages_and_lanes(run_dir: Path, size: Any) -> None:
    for second in range(2, 8):
        write_second(run_dir, second)
    terminal, clock = Terminal(), Clock()
    panel = display.LivePanel(terminal, clock, lambda: 0.0, in_background=lambda work: work())
    clock.now = 4.0
    panel(run_dir)
    text = terminal.getvalue()
    assert "700 env steps" in text
    assert "act" in text
    assert "env-worker" in text
    assert "\x1b[1;" in text
    panel.close()
    assert terminal.getvalue().endswith("\x1b8")


def test_panel_survives_a_run_that_cannot_be_read_yet(tmp_path: Path, size: Any) -> None:
    terminal, clock = Terminal(), Clock()
    panel = display.LivePanel(terminal, clock, lambda: 0.0, in_background=lambda work: work())
    clock.now = 4.0
    panel(tmp_path)
    assert "nothing to show yet" in terminal.getvalue()


def test_area_follows_the_window_and_leaves_small_ones_alone() -> None:
    terminal = Terminal()
    sizes = [(80, 24)]
    area = BottomArea(terminal, lambda: sizes[-1])
    area.draw(["x" * 200])
    assert "x" * 80 in terminal.getvalue()
    assert "x" * 81 not in terminal.getvalue()
    sizes.append((100, 30))
    area.draw(["y"])
    assert "\x1b[r" in terminal.getvalue()
    assert "\x1b[1;29r" in terminal.getvalue()
    tiny = Terminal()
    BottomArea(tiny, lambda: (80, 4)).draw(["z"])
    assert tiny.getvalue() == ""


def test_a_closed_terminal_is_not_an_error() -> None:
    terminal = Terminal()
    area = BottomArea(terminal, lambda: (80, 24))
    area.draw(["x"])
    terminal.close()
    area.draw(["y"])
    area.close()


def test_nothing_is_drawn_in_the_background_and_what_was_drawn_is_given_back() -> None:
    terminal = Terminal()
    in_front = [True]
    area = BottomArea(terminal, lambda: (80, 24), lambda: in_front[-1])
    area.draw(["x"])
    in_front.append(False)
    area.draw(["never shown"])
    assert "never shown" not in terminal.getvalue()
    assert terminal.getvalue().endswith("\x1b7\x1b[r\x1b[24;1H\x1b[2K\x1b8")
