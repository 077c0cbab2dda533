"""Change a run directory at random, as a failing disk, a torn write or a stranger would."""

from __future__ import annotations

import base64
import gzip
import json
import os
import random
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

#: Values that no run has, or not at that place.
ODD_VALUES: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        0,
        1,
        -1,
        2,
        7,
        255,
        256,
        1 << 31,
        1 << 53,
        (1 << 62) - 1,
        1 << 63,
        -(1 << 63),
        1 << 80,
    ),
    *(0.5, -0.5, 1e-300, 1e300, float("inf"), float("-inf"), float("nan"), 10**400),
    *(
        "",
        "x",
        "0",
        "-1",
        "1e999",
        "nan",
        "env.step",
        "learn",
        "goldsplit:env.step",
        "\x1b[31mred\x1b[0m\x07",
    ),
    *("<script>alert(1)</script>", "\u202egnp.exe", "\udc80", "a\nb\rc", "\x00", "/etc/passwd", "../" * 30),
    *("[bold]x[/bold]", "`rm`|x|\n# x", "'\"&<>", "x" * 5000, "9" * 5000),
    *(
        [],
        {},
        [[]],
        [{}],
        {"": None},
        [0] * 50,
        [-1, -1],
        ["x"] * 3,
        [[0, 0, 0]] * 3,
        {"0": 1},
        {"x": {"y": []}},
    ),
)

Change = Callable[[Path, random.Random], str]

BASES = Path(__file__).with_name("runs")
SECOND_NAMES = (
    *("proc-1-2.jsonl", "proc-0-0.jsonl", "proc--1--1.jsonl", f"proc-{'9' * 30}-1.jsonl", "proc-x-y.jsonl"),
    *("proc-1-\x1b[31m.jsonl", "tried.json", "stacks.jsonl", "run.json", "run.json.new", "deep.json"),
    *("timing.json", "env.json", "trajectory.json", "named.jsonl", "system.jsonl", "proc-1-\udc80.jsonl"),
)


def mutate(run_dir: Path, chance: random.Random) -> str:
    """Change one to three things; returns what, in words."""
    return "; ".join(_one(run_dir, chance) for _ in range(chance.choice((1, 1, 1, 2, 3))))


def _one(run_dir: Path, chance: random.Random) -> str:
    files = sorted(file for file in run_dir.iterdir() if file.is_file() and not file.is_symlink())
    if not files:
        return "nothing left"
    file = chance.choice(files)
    change = chance.choices(list(_CHANGES), weights=list(_CHANGES.values()))[0]
    return f"{file.name}: {change.__name__.strip('_')} {change(file, chance)}"


def _bytes(file: Path, chance: random.Random) -> str:
    data = bytearray(file.read_bytes() or b"x")
    at = chance.randrange(len(data))
    kind = chance.randrange(5)
    if kind == 0:
        data[at] = chance.randrange(256)
    elif kind == 1:
        data[at] ^= 1 << chance.randrange(8)
    elif kind == 2:
        del data[at : at + chance.choice((1, 2, 10, 1000))]
    elif kind == 3:
        data[at:at] = chance.choice(
            (b"9", b"-", b"0" * 30, b"[" * 5000, b'"', b"\n", b"\x00", b"e9", b"1" * 5000)
        )
    else:
        data[at:at] = data[at : at + chance.choice((10, 1000))]
    file.write_bytes(bytes(data))
    return f"kind {kind} at {at}"


def _digits(file: Path, chance: random.Random) -> str:
    """Change one number only: the line stays JSON."""
    data = bytearray(file.read_bytes())
    places = [i for i, byte in enumerate(data) if 48 <= byte <= 57]
    if places:
        at = chance.choice(places)
        data[at : at + 1] = chance.choice((b"0", b"9", b"99", b"1e9", b"1e300", b"999999999999"))
        file.write_bytes(bytes(data))
    return ""


def _value(file: Path, chance: random.Random) -> str:
    """Put an odd value in the place of one value."""
    rows = _rows(file)
    number = chance.randrange(len(rows))
    try:
        value = json.loads(rows[number])
    except (ValueError, RecursionError):  # an earlier change of this run
        return "not JSON"
    *way, last = _place(value, chance)
    if last is None:
        return "nothing in it"
    holder = value
    for step in way:
        holder = holder[step]
    odd = chance.choice(ODD_VALUES)
    if chance.random() < 0.15:
        del holder[last]
        odd = "deleted"
    elif chance.random() < 0.1 and isinstance(holder, list):
        holder.append(holder[last])
        odd = "doubled"
    else:
        holder[last] = odd
    rows[number] = json.dumps(value)
    _write(file, rows)
    return f"line {number + 1} {[*way, last]} = {str(odd)[:60]!r}"


def _place(value: Any, chance: random.Random) -> list[Any]:
    """A way to some value inside of a JSON value."""
    way: list[Any] = []
    while isinstance(value, dict | list) and value:
        step = chance.choice(list(value)) if isinstance(value, dict) else chance.randrange(len(value))
        way.append(step)
        value = value[step]
        if chance.random() < 0.25:
            break
    return way or [None]


#: Characters that one line is repeated to at most.
MOST_REPEATED = 5_000_000


def _lines(file: Path, chance: random.Random) -> str:
    """Lose, repeat, exchange or tear lines."""
    rows = _rows(file)
    at, other = chance.randrange(len(rows)), chance.randrange(len(rows))
    kind = chance.randrange(6)
    if kind == 0:
        del rows[at]
    elif kind == 1:
        rows.insert(other, rows[at])
    elif kind == 5:
        rows[other:other] = [rows[at]] * min(500, MOST_REPEATED // (len(rows[at]) + 1))
    elif kind == 2:
        rows[at], rows[other] = rows[other], rows[at]
    elif kind == 3:
        rows[at] = rows[at][: chance.randrange(len(rows[at]) + 1)]
    else:
        rows = rows[:at]
    _write(file, rows)
    return f"kind {kind} at {at + 1}"


def _bomb(file: Path, chance: random.Random) -> str:
    """Single spans that unpack to very much."""
    rows = _rows(file)
    for number, row in enumerate(rows):
        if '"raw"' in row[:40]:
            size = chance.choice((1 << 20, 3 << 20, 30 << 20))
            packed = base64.b64encode(zlib.compress(b"\x01" * (size - size % 3), 9)).decode()
            line = json.loads(row)
            line["spans"] = [[0, line["t"] + 10**9, packed]] * chance.choice((1, 20, 200))
            rows[number] = json.dumps(line)
            break
    _write(file, rows)
    return ""


def _special(file: Path, chance: random.Random) -> str:
    """Something else in the place of a file."""
    file.unlink()
    kind = chance.randrange(6)
    if kind == 0:
        os.mkfifo(file)
    elif kind == 1:
        file.symlink_to("/dev/zero")
    elif kind == 2:
        file.symlink_to(file.name)
    elif kind == 3:
        file.mkdir()
    elif kind == 4:
        file.write_bytes(b"")
    return f"kind {kind}"


def _other(file: Path, chance: random.Random) -> str:
    """The file of another run, or under a second name: numbers, ids and stacks then point somewhere else."""
    kind = chance.randrange(4)
    if kind == 0:
        others = [other for other in file.parents[2].rglob(f"*{file.suffix}") if other.is_file()]
        others += [other for other in BASES.rglob(f"*{file.suffix}") if other.is_file()]
        file.write_bytes(chance.choice(sorted(others)).read_bytes())
    elif kind == 1:
        second = file.with_name(chance.choice(SECOND_NAMES))
        second.write_bytes(file.read_bytes())
        return f"as {second.name!r}"
    elif kind == 2:
        file.write_bytes(file.read_bytes() * 2)
    else:
        for number in range(300):
            name = f"proc-{number}-{chance.randrange(10**12)}.jsonl"
            file.with_name(name).write_bytes(b"{}\n" * (number % 3))
    return f"kind {kind}"


def _format(file: Path, chance: random.Random) -> str:
    """Bytes of another kind of file."""
    data = file.read_bytes()
    made = chance.choice(
        (
            gzip.compress(data)[: chance.choice((10, 100, 1 << 30))],
            data.decode(errors="replace").encode("utf-16"),
            b"\xef\xbb\xbf" + data,
            data.replace(b"\n", b"\r\n"),
            data.replace(b"\n", b""),
            data.replace(b'"', b"'"),
            b"\x89PNG\r\n\x1a\n" + bytes(200),
            b"SQLite format 3\x00" + bytes(4000),
            b"\xff\xfe\xfd" * 3000,
            bytes(len(data)),
        )
    )
    file.write_bytes(made)
    return f"{made[:8]!r}"


def _large(file: Path, chance: random.Random) -> str:
    """One value that is deep, long or wide."""
    size = chance.choice((900, 60_000, 400_000))
    text = chance.choice(
        (
            "[" * size + "]" * size,
            '{"a":' * size + "1" + "}" * size,
            "[" + "0," * size + "0]",
            "[" + "[]," * size + "[]]",
            "{" + ",".join(f'"{number}":0' for number in range(size)) + "}",
            "-" + "1" * size,
            f'"{"x" * size}"',
            "0." + "3" * size + "e-5",
        )
    )
    data = file.read_bytes()
    places = [i for i, byte in enumerate(data) if byte == ord(":")] or [0]
    at = chance.choice(places) + 1
    end = next((i for i in range(at, len(data)) if data[i : i + 1] in b",}\n"), len(data))
    file.write_bytes(data[:at] + text.encode() + data[end:])
    return f"{text[:6]} of {size} at {at}"


#: What becomes of numbers.
_SIGNS: tuple[Callable[[int], int], ...] = (
    lambda n: -n,
    lambda n: 10**10 - n,
    lambda n: n << 30,
    lambda n: 0,
)


def _sign(file: Path, chance: random.Random) -> str:
    """Numbers that are negative, or go backwards, all over one line or file."""
    rows = _rows(file)
    change = chance.choice(_SIGNS)
    some = range(len(rows)) if chance.random() < 0.3 else [chance.randrange(len(rows))]
    least = chance.choice((0, 1000, 10**9))
    for number in some:
        try:
            rows[number] = json.dumps(_changed(json.loads(rows[number]), change, least))
        except (ValueError, RecursionError):
            continue
    _write(file, rows)
    return f"{len(some)} lines from {least}"


def _changed(value: Any, change: Callable[[int], int], least: int) -> Any:
    if isinstance(value, dict):
        return {name: _changed(each, change, least) for name, each in value.items()}
    if isinstance(value, list):
        return [_changed(each, change, least) for each in value]
    return change(value) if type(value) is int and abs(value) >= least else value


def _rows(file: Path) -> list[str]:
    text = file.read_text(errors="replace")
    return [text] if file.suffix == ".json" else text.splitlines() or [""]


def _write(file: Path, rows: list[str]) -> None:
    file.write_text("\n".join(rows) + "\n", errors="surrogatepass")


_CHANGES: dict[Change, float] = {
    **{_value: 9, _digits: 2, _bytes: 3, _lines: 2, _special: 0.4, _bomb: 0.2},
    **{_other: 1.5, _format: 0.8, _large: 1, _sign: 1.5},
}
