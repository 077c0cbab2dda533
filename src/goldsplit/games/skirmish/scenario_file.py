"""Scenarios: small TOML files with a map, the kinds of squads, the two sides and the missions.

A file that does not make sense is refused with what is wrong, where, and what to do about it.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goldsplit.errors import GameError
from goldsplit.games.skirmish.game_terms import MISSIONS, MOST_OBJECTIVES, SIDE_SIZE

__all__ = ["DEFAULT", "Scenario", "ScenarioError", "Squad", "load", "names"]

DEFAULT = "crossroads"
FOLDER = Path(__file__).parent / "scenarios"

Cell = tuple[int, int]
"""Column and row; odd rows are shoved right by half a cell."""

STATS = {
    "move": (1, 8),
    "range": (0, 12),
    "shots": (0, 8),
    "attacks": (0, 8),
    "skill": (2, 6),
    "strength": (1, 10),
    "toughness": (1, 10),
    "save": (2, 7),
    "damage": (1, 3),
    "wounds": (1, 20),
    "hold": (0, 3),
}
"""What a kind of squad has, with the least and the largest value."""

KEYS = ("title", "rounds", "lead", "missions", "map", "kinds", "agent", "bot")
SIGNS = {
    ".": "open",
    "#": "wall: nobody enters",
    "~": "woods: nobody sees through",
    "X": "building: both",
    "O": "objective",
    "a": "where the agent starts",
    "b": "where the bot starts",
}
WIDEST, NARROWEST = 24, 4


class ScenarioError(GameError):
    """A scenario that cannot be played: where and what is wrong, and a hint."""


@dataclass(frozen=True)
class Squad:
    """A squad as the scenario describes it; the statistics are those of `STATS`."""

    kind: str
    stats: dict[str, int]


@dataclass(frozen=True)
class Scenario:
    """Everything that a game needs to know before its first turn."""

    name: str
    title: str
    rounds: int
    lead: int
    hesitation: int
    missions: tuple[str, ...]
    width: int
    height: int
    walls: frozenset[Cell]
    opaque: frozenset[Cell]
    objectives: tuple[Cell, ...]
    zones: tuple[tuple[Cell, ...], tuple[Cell, ...]]
    squads: tuple[tuple[Squad, ...], tuple[Squad, ...]]


def names() -> list[str]:
    """The scenarios that come with the game."""
    return sorted(file.stem for file in FOLDER.glob("*.toml"))


def load(scenario: str | Path) -> Scenario:
    """A scenario by its name, or from a file by its path (a `Path`, or a text that ends with `.toml`)."""
    if isinstance(scenario, Path) or scenario.endswith(".toml"):
        return _read(Path(scenario))
    if scenario not in names():
        raise _wrong(repr(scenario), "there is no such scenario", _closest(scenario, names()))
    return _read(FOLDER / f"{scenario}.toml")


def _read(file: Path) -> Scenario:
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as problem:
        raise _wrong(str(file), "cannot be read", f"{problem.strerror}; check the path") from problem
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise _wrong(str(file), "is not a TOML file", f"{problem}") from problem
    where = file.name
    _known(where, data, KEYS, KEYS)
    kinds = _kinds(where, data["kinds"])
    agent = _table(where, "agent", data["agent"])
    bot = _table(where, "bot", data["bot"])
    _known(f"{where} [agent]", agent, ("squads",), ("squads",))
    _known(f"{where} [bot]", bot, ("squads",), ("squads", "hesitation"))
    land = _land(where, data["map"])
    squads = (_squads(where, "agent", agent["squads"], kinds), _squads(where, "bot", bot["squads"], kinds))
    scenario = Scenario(
        name=file.stem,
        title=str(data["title"]),
        rounds=_number(where, "rounds", data["rounds"], (1, 20)),
        lead=_number(where, "lead", data["lead"], (1, 1000)),
        hesitation=_number(f"{where} [bot]", "hesitation", bot.get("hesitation", 0), (0, 100)),
        missions=_missions(where, data["missions"]),
        squads=squads,
        **land,
    )
    _check_zones(where, scenario)
    _check_ways(where, scenario)
    return scenario


def _wrong(where: str, what: str, hint: str) -> ScenarioError:
    return ScenarioError(f"scenario {where}: {what}", hint)


def _closest(given: object, known: Iterable[str]) -> str:
    """The known name that was probably meant, and all of them."""
    known = list(known)
    close = difflib.get_close_matches(str(given), known, n=1, cutoff=0.4)
    meant = f"did you mean {close[0]!r}? " if close else ""
    return f"{meant}known: {', '.join(known)}"


def _known(where: str, table: dict[str, Any], needed: Iterable[str], allowed: Iterable[str]) -> None:
    """Refuse keys that nothing reads, and tables that lack a key."""
    for key in table:
        if key not in allowed:
            raise _wrong(where, f"unknown key {key!r}", _closest(key, allowed))
    for key in needed:
        if key not in table:
            raise _wrong(where, f"key {key!r} is missing", f"it needs: {', '.join(needed)}")


def _table(where: str, key: str, value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _wrong(where, f"{key!r} must be a table, got {value!r}", f"write [{key}]")
    return value


def _number(where: str, key: str, value: object, limits: tuple[int, int]) -> int:
    least, most = limits
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise _wrong(where, f"{key!r} is {value!r}", f"it must be a whole number from {least} to {most}")
    return value


def _names_in(where: str, key: str, value: object, known: Iterable[str]) -> tuple[str, ...]:
    """A list of names, each of them known."""
    if not isinstance(value, list) or not value:
        raise _wrong(where, f"{key!r} must be a list of names, got {value!r}", _closest("", known))
    for name in value:
        if name not in known:
            raise _wrong(where, f"{key!r} names {name!r}, which is unknown", _closest(name, known))
    return tuple(value)


def _missions(where: str, value: object) -> tuple[str, ...]:
    return _names_in(where, "missions", value, MISSIONS)


def _kinds(where: str, value: object) -> dict[str, Squad]:
    kinds = {}
    for kind, stats in _table(where, "kinds", value).items():
        place = f"{where} [kinds.{kind}]"
        _known(place, _table(where, f"kinds.{kind}", stats), STATS, STATS)
        checked = {key: _number(place, key, stats[key], limits) for key, limits in STATS.items()}
        kinds[kind] = Squad(kind, checked)
    return kinds


def _squads(where: str, side: str, value: object, kinds: dict[str, Squad]) -> tuple[Squad, ...]:
    chosen = _names_in(f"{where} [{side}]", "squads", value, kinds)
    if len(chosen) > SIDE_SIZE:
        raise _wrong(
            f"{where} [{side}]", f"{len(chosen)} squads are too many", f"a side has at most {SIDE_SIZE}"
        )
    return tuple(kinds[kind] for kind in chosen)


def _land(where: str, value: object) -> dict[str, Any]:
    """The map's parts, by the names of `Scenario`'s fields."""
    rows = value.split() if isinstance(value, str) else []
    if not NARROWEST <= len(rows) <= WIDEST or len(rows) % 2:
        raise _wrong(
            where,
            f"'map' has {len(rows)} rows",
            f"it must be text with an even number of rows from {NARROWEST} to {WIDEST}",
        )
    width = len(rows[0])
    found: dict[str, list[Cell]] = {sign: [] for sign in SIGNS}
    for number, row in enumerate(rows):
        if len(row) != width or not NARROWEST <= width <= WIDEST:
            raise _wrong(
                f"{where} map row {number + 1}",
                f"it has {len(row)} cells, the first row {width}",
                f"all rows must have the same length, from {NARROWEST} to {WIDEST}",
            )
        for column, sign in enumerate(row):
            if sign not in SIGNS:
                signs = ", ".join(f"{known} {meaning}" for known, meaning in SIGNS.items())
                place = f"{where} map row {number + 1}, column {column + 1}"
                raise _wrong(place, f"unknown sign {sign!r}", f"known: {signs}")
            found[sign].append((column, number))
    if not 1 <= len(found["O"]) <= MOST_OBJECTIVES:
        raise _wrong(
            f"{where} map", f"{len(found['O'])} objectives", f"mark 1 to {MOST_OBJECTIVES} cells with O"
        )
    return {
        "width": width,
        "height": len(rows),
        "walls": frozenset(found["#"] + found["X"]),
        "opaque": frozenset(found["~"] + found["X"]),
        "objectives": tuple(found["O"]),
        "zones": (tuple(found["a"]), tuple(found["b"])),
    }


def _check_zones(where: str, scenario: Scenario) -> None:
    for sign, zone, squads in zip("ab", scenario.zones, scenario.squads, strict=True):
        if len(zone) < len(squads):
            raise _wrong(
                f"{where} map",
                f"{len(zone)} cells {sign!r} for {len(squads)} squads",
                f"mark at least {len(squads)} cells with {sign}",
            )


def _check_ways(where: str, scenario: Scenario) -> None:
    """Every objective and starting cell must be reached from everywhere that matters."""
    wanted = [*scenario.objectives, *scenario.zones[0], *scenario.zones[1]]
    reached, waiting = {wanted[0]}, [wanted[0]]
    while waiting:
        column, row = waiting.pop()
        shove = row % 2
        around = ((1, 0), (-1, 0), (shove, -1), (shove - 1, -1), (shove, 1), (shove - 1, 1))
        for step, up in around:
            cell = (column + step, row + up)
            on_board = 0 <= cell[0] < scenario.width and 0 <= cell[1] < scenario.height
            if on_board and cell not in reached and cell not in scenario.walls:
                reached.add(cell)
                waiting.append(cell)
    for column, row in wanted:
        if (column, row) not in reached:
            raise _wrong(
                f"{where} map row {row + 1}, column {column + 1}",
                "walls cut this cell off",
                "open a way, so that every objective and starting cell can be reached",
            )
