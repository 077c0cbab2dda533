"""Tuning: candidates paired with the incumbent one by one, then a full experiment with the best of them.

Which candidate comes next is asked from a `Search` (Optuna in `optuna_search.py`), so that everything here
can be tested without it.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from goldsplit.errors import ConfigError
from goldsplit.experiment.comparison import log_ratios, pairs_of
from goldsplit.experiment.engines.one_trial import Tools
from goldsplit.experiment.engines.trial_engine import Engine
from goldsplit.experiment.plan_file import plan_of
from goldsplit.experiment.search.sweeping import check_places, variant_of
from goldsplit.experiment.statistics import fewest_pairs
from goldsplit.experiment.trials import Experiment
from goldsplit.model.experiment.conclusion import Comparison, GateState, Judged, Verdict
from goldsplit.model.experiment.design import ALPHA, Plan, Variant
from goldsplit.report.words import plural
from goldsplit.store.config import read_toml

#: How many of the best candidates get a full experiment.
FINALISTS = 2
_OWN_KEYS = ("space", "incumbent", "env", "with", "candidates")


@dataclass(frozen=True, slots=True)
class Space:
    """What may be tried: names and their values, and the setting in use."""

    plan: Plan
    """Its only variant is the incumbent."""
    values: dict[str, tuple[str, ...]]
    candidates: int = 12

    @property
    def others(self) -> int:
        """How many settings there are beside the incumbent."""
        base = self.plan.base.settings
        known = all(base[name] in choices for name, choices in self.values.items())
        return math.prod(map(len, self.values.values())) - known


@dataclass(frozen=True, slots=True)
class Candidate:
    """One setting, paired once with the incumbent. None: a trial of the pair failed."""

    settings: dict[str, str]
    log_gain: float | None


class Search(Protocol):
    """Proposes settings, each once, and is told what came of them. None: there are no more."""

    def ask(self) -> dict[str, str] | None: ...

    def tell(self, log_gain: float | None) -> None: ...


def read_space(file: Path) -> Space:
    """A space in a TOML file: the keys of a plan, and [space], [incumbent], [env], with, candidates."""
    data = read_toml(file, "give the path of a space (TOML)", "tune.md")
    own = {key: data.pop(key) for key in _OWN_KEYS if key in data}
    if "variants" in data:
        raise ConfigError(f"{file} has variants", "a space has [space] and [incumbent] instead")
    return space_of(own, plan_of(data, str(file), file.stem), str(file))


def space_of(own: dict[str, Any], plan: Plan, where: str) -> Space:
    """A space from its keys."""
    values = {name: _values(name, row, where) for name, row in _table(own, "space", where).items()}
    if not values:
        raise ConfigError(f"{where} has no [space]", "write [space] and n_envs = [1, 2, 4, 8] below it")
    incumbent = {name: str(value) for name, value in _table(own, "incumbent", where).items()}
    if set(incumbent) != set(values):
        raise ConfigError(
            f"{where}: [incumbent] must say which value each name of [space] has now",
            "names: " + ", ".join(values),
        )
    environment = {str(key): str(value) for key, value in _table(own, "env", where).items()}
    overlays = own.get("with", [])
    overlays = [overlays] if isinstance(overlays, str) else overlays
    if not isinstance(overlays, list):
        raise ConfigError(f"{where}: with is no list", 'write with = ["threads:{threads}"]')
    places = [*plan.command, *environment.values(), *map(str, overlays)]
    check_places(places, incumbent)
    candidates = own.get("candidates", 12)
    if not isinstance(candidates, int) or not 1 <= candidates <= 1000:
        raise ConfigError(f"{where}: candidates is {candidates!r}", "give a number from 1 to 1000")
    base = Variant("base", environment=environment, overlays=tuple(map(str, overlays)), settings=incumbent)
    return Space(replace(plan, variants=(base,)), values, candidates)


def _table(own: dict[str, Any], key: str, where: str) -> dict[str, Any]:
    table = own.get(key, {})
    if not isinstance(table, dict):
        raise ConfigError(f"{where}: {key} must be a table", f"write [{key}]")
    return table


def _values(name: str, row: Any, where: str) -> tuple[str, ...]:
    """A list; or from, to and step."""
    if isinstance(row, dict) and {"from", "to"} <= set(row) <= {"from", "to", "step", "times"}:
        return tuple(_steps(row["from"], row["to"], row.get("step"), row.get("times")))
    if not isinstance(row, list) or len(row) < 2 or any(isinstance(one, dict | list) for one in row):
        raise ConfigError(
            f"{where}: {name} has no values",
            f"write {name} = [1, 2, 4], or {{ from = 1, to = 8, times = 2 }}",
        )
    return tuple(dict.fromkeys(str(one).lower() if isinstance(one, bool) else str(one) for one in row))


def _steps(first: float, last: float, step: float | None, times: float | None) -> list[str]:
    if (step or 0) <= 0 and (times or 0) <= 1:
        raise ConfigError("from and to need a step, or a factor (times) above 1", "write times = 2")
    found: list[str] = []
    at = first
    while at <= last * (1 + 1e-9) and len(found) < 1000:
        found.append(f"{at:g}")
        at = at * times if times else at + (step or 0)
    return found


def limited(space: Space) -> Space:
    """With no more candidates than there are settings. Refused: too few pairs for the experiment at the end,
    which would be made in vain."""
    space = replace(space, candidates=min(space.candidates, space.others))
    best = min(FINALISTS, space.candidates)
    fewest = fewest_pairs(ALPHA / max(1, best))
    if space.plan.pairs < fewest:
        raise ConfigError(
            f"{plural(space.plan.pairs, 'pair')} cannot decide about {plural(best, 'finalist')}",
            f"write pairs = {fewest} or more, or give --pairs",
        )
    return space


def nothing_faster(tried: Sequence[Candidate]) -> str:
    """Why there is nothing to prove."""
    ran = [one for one in tried if one.log_gain is not None]
    failed = f"; {len(tried) - len(ran)} failed" if len(ran) < len(tried) else ""
    if not ran:
        return f"no setting ran to its end, of {len(tried)} tried"
    return f"of {len(ran)} settings, each paired once, none was faster than the one in use{failed}"


def candidate_variant(space: Space, settings: dict[str, str]) -> Variant:
    """The incumbent with other settings."""
    return replace(space.plan.base, name=variant_of(settings).name, settings=settings)


def try_candidates(
    space: Space,
    search: Search,
    folder: Path,
    tools: Tools,
    told: Callable[[int, Candidate], None],
    engine: Engine | None = None,
) -> list[Candidate]:
    """Pair each proposed setting once with the incumbent."""
    done: list[Candidate] = []
    while len(done) < space.candidates:
        number = len(done)
        settings = search.ask()
        if settings is None:
            break
        if settings == space.plan.base.settings:
            search.tell(0.0)
            continue
        variants = (space.plan.base, candidate_variant(space, settings))
        plan = replace(
            space.plan,
            name=f"search-{number}",
            variants=variants,
            pairs=1,
            seed=space.plan.seed + 1000 + number,
        )
        with Experiment(plan, folder / "search" / str(number), tools, engine=engine) as experiment:
            experiment.run_block(0)
        ratios = log_ratios(plan, plan.metric, pairs_of(plan, variants[1], experiment.trials))
        done.append(Candidate(settings, ratios[0] if ratios else None))
        search.tell(done[-1].log_gain)
        told(number, done[-1])
    return done


def finalists(candidates: Sequence[Candidate]) -> list[dict[str, str]]:
    """The best settings by their median gain; slower ones are not worth a full experiment."""
    gains: dict[tuple[tuple[str, str], ...], list[float]] = {}
    for one in candidates:
        if one.log_gain is not None:
            gains.setdefault(tuple(one.settings.items()), []).append(one.log_gain)
    ranked = sorted(((statistics.median(values), key) for key, values in gains.items()), reverse=True)
    return [dict(key) for gain, key in ranked[:FINALISTS] if gain > 0]


def final_plan(space: Space, settings: Sequence[dict[str, str]]) -> Plan:
    """The full experiment: the incumbent and the best candidates."""
    others = tuple(candidate_variant(space, one) for one in settings)
    return replace(space.plan, variants=(space.plan.base, *others))


def chosen(comparison: Comparison) -> dict[str, Judged]:
    """`speed`: the fastest that is proven faster and lost no gate; `balance`: the fastest that passed all
    gates. Without gates there is nothing to balance."""
    faster = [
        one
        for one in comparison.judged
        if one.verdict in (Verdict.FASTER, Verdict.UNPROVEN) and one.effect.gain
    ]
    ranked = sorted(faster, key=lambda one: -(one.effect.gain or 0.0))
    proven = [
        one for one in ranked if one.gates and all(gate.state == GateState.PASSED for gate in one.gates)
    ]
    found = {"speed": ranked[0]} if ranked else {}
    return found | ({"balance": proven[0]} if proven else {})
