"""Gates and metrics of a plan: what they compare, and where their figures come from."""

from __future__ import annotations

import re
from typing import Any

from goldsplit.errors import ConfigError
from goldsplit.model.experiment.design import Gate, GateKind, Source, SourceKind

_SOURCE_KEYS = ("metric", "csv", "column", "tensorboard", "tag", "output")
_GATE_KEYS = ("kind", "max_drop", "lower_is_better", "relative")
_RECORDED = SourceKind.RECORDED
#: Gates that need nothing but their name: `goldsplit.episode(reward=…, win=…, vp_diff=…)` has them.
USUAL = {
    "win_rate": Gate("win_rate", GateKind.RATE, Source(_RECORDED, "", "win"), 0.03),
    "return": Gate("return", GateKind.MEAN, Source(_RECORDED, "", "reward"), 0.05, relative=True),
    "reward": Gate("reward", GateKind.MEAN, Source(_RECORDED, "", "reward"), 0.05, relative=True),
    "vp_diff": Gate("vp_diff", GateKind.MEAN, Source(_RECORDED, "", "vp_diff"), 0.5),
    "end_reasons": Gate("end_reasons", GateKind.REASONS, Source(_RECORDED), 0.05),
}
#: The column of a CSV that the usual gates are in, as Stable-Baselines3's monitor names them.
_USUAL_COLUMNS = {"return": "r", "reward": "r", "win_rate": "win", "end_reasons": "reason"}


def read_gate(name: str, row: Any, where: str) -> Gate:
    """One [gates.NAME] table."""
    here = f"{where}: gate {name}"
    if not isinstance(row, dict):
        raise ConfigError(f"{here} is no table", f"write [gates.{name}]")
    _check(row, (*_SOURCE_KEYS, *_GATE_KEYS), here)
    usual = USUAL.get(name)
    kind = str(row.get("kind", usual.kind if usual else GateKind.MEAN))
    if kind not in (GateKind.RATE, GateKind.MEAN, GateKind.REASONS):
        raise ConfigError(f"{here}: no kind {kind!r}", "kinds: rate, mean, reasons")
    max_drop = row.get("max_drop", usual.max_drop if usual else None)
    if not isinstance(max_drop, int | float) or isinstance(max_drop, bool) or max_drop < 0:
        raise ConfigError(
            f"{here} needs max_drop: how much worse it may become",
            f"write --gate {name}=0.03, or max_drop = 0.03 in a plan",
        )
    asked = any(key in row for key in _SOURCE_KEYS)
    return Gate(
        name=name,
        kind=kind,
        source=_source(name, row, here) if asked or usual is None else usual.source,
        max_drop=float(max_drop),
        higher_is_better=not row.get("lower_is_better", False),
        relative=bool(row.get("relative", usual.relative if usual and "max_drop" not in row else False)),
    )


def read_source(name: str, row: Any, where: str) -> Source:
    """One [metrics.NAME] table."""
    here = f"{where}: metric {name}"
    if not isinstance(row, dict):
        raise ConfigError(f"{here} is no table", f"write [metrics.{name}]")
    _check(row, _SOURCE_KEYS, here)
    return _source(name, row, here)


def _check(row: dict[str, Any], known: tuple[str, ...], where: str) -> None:
    unknown = sorted(set(row) - set(known))
    if unknown:
        raise ConfigError(f"{where} has an unknown key {unknown[0]!r}", f"known: {', '.join(known)}")


def _source(name: str, row: dict[str, Any], where: str) -> Source:
    kinds = [key for key in ("metric", "csv", "tensorboard", "output") if key in row]
    if len(kinds) > 1:
        raise ConfigError(f"{where} has several sources: {', '.join(kinds)}", "give one of them")
    column = str(row.get("column", _USUAL_COLUMNS.get(name, name)))
    if "csv" in row or "column" in row:
        return Source(SourceKind.CSV, str(row.get("csv", "")), column)
    if "tensorboard" in row or "tag" in row:
        if "tag" not in row:
            raise ConfigError(f"{where}: which scalar?", 'write tag = "rollout/ep_rew_mean"')
        return Source(SourceKind.TENSORBOARD, str(row.get("tensorboard", "")), str(row["tag"]))
    if "output" in row:
        return Source(SourceKind.OUTPUT, _expression(str(row["output"]), where))
    return Source(SourceKind.RECORDED, "", str(row.get("metric", name)))


def _expression(text: str, where: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise ConfigError(
            f"{where}: {text!r} is no regular expression: {error}", "see Python's re"
        ) from error
    return text


def gate_text(text: str) -> Gate:
    """A gate from `--gate NAME[=MAX_DROP][@SOURCE]`; SOURCE is metric:, csv:, tensorboard: or output:, and
    what to read there."""
    asked, _, source = text.partition("@")
    name, _, drop = asked.partition("=")
    row: dict[str, Any] = {}
    if drop:
        percent = drop.endswith("%")
        try:
            row["max_drop"] = float(drop.rstrip("%")) / (100 if percent else 1)
        except ValueError as error:
            raise ConfigError(
                f"--gate {text!r}: {drop!r} is no number", "write --gate win_rate=0.03"
            ) from error
        if percent and name not in ("win_rate", "end_reasons"):
            row["relative"] = True
    if source:
        kind, _, what = source.partition(":")
        key = {"metric": "metric", "csv": "column", "tensorboard": "tag", "output": "output"}.get(kind)
        if key is None or not what:
            raise ConfigError(
                f"--gate {text!r}: no source {source!r}",
                "write @metric:NAME, @csv:COLUMN, @tensorboard:TAG or @output:EXPRESSION",
            )
        row[key] = what
    return read_gate(name, row, "--gate")
