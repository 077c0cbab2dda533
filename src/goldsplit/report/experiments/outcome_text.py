"""What an experiment concluded, as labelled lines and table rows: the terminal and Markdown share them."""

from __future__ import annotations

from goldsplit.model.experiment.conclusion import Comparison, Effect, GateResult, Judged, MachineNoise
from goldsplit.report import words
from goldsplit.report.bottleneck import Line
from goldsplit.report.column import Column

#: More changed counts than this are not listed.
MOST_COUNTS = 5
_POINTS = ("win_rate", "end_reasons")


def gain(effect: Effect | None) -> str:
    """A gain; a dash where none was measured."""
    return words.DASH if effect is None else words.speedup(effect.gain)


def gain_interval(effect: Effect | None) -> str:
    """Where the gain lies."""
    if effect is None or effect.low is None or effect.high is None:
        return words.DASH
    return f"{effect.low:.2f}–{effect.high:.2f}x"


VARIANTS: tuple[Column[Judged], ...] = (
    Column("variant", lambda one: one.variant, width=9, most=24),
    Column("gain", lambda one: gain(one.effect), right=True, width=7),
    Column("interval", lambda one: gain_interval(one.effect), right=True, width=12),
    Column("pairs", lambda one: str(one.effect.pairs), right=True, width=5, spare=True),
    Column("CPU gain", lambda one: gain(one.cpu), right=True, width=8, spare=True),
    Column("verdict", lambda one: one.verdict, width=31),
    Column("do", lambda one: one.decision, width=9),
)


def outcome_lines(comparison: Comparison) -> list[Line]:
    """What stands below the table: for each variant why, then the machine and what went wrong."""
    lines: list[Line] = []
    for one in comparison.judged:
        lines.append(Line(words.clip(one.variant, 12), f"{one.verdict}: {one.decision}. {one.why}", "strong"))
        lines += [Line("", text) for text in variant_details(one)]
    lines.append(Line("Machine", machine_text(comparison.machine)))
    failed = [
        f"{variant} in block {block + 1}: {words.plain(problem)}"
        for variant, block, problem in comparison.failed
    ]
    lines += [Line("Failed" if i == 0 else "", text, "warning") for i, text in enumerate(failed)]
    lines += [Line("Note" if i == 0 else "", text) for i, text in enumerate(comparison.notes)]
    return lines


def variant_details(one: Judged) -> list[str]:
    """Figures behind a verdict, one sentence each."""
    told = []
    if one.equal:
        told.append(f"Equal trajectories: {one.equal}" + (f" ({one.equal_why})" if one.equal_why else ""))
    told.append(counts_text(one))
    told.append(effect_text(one.effect))
    if one.cpu is not None:
        told.append(effect_text(one.cpu))
    told += [gate_text(gate) for gate in one.gates]
    if one.predicted is not None:
        told.append(f"Predicted: {words.speedup(one.predicted)}")
    return [text for text in told if text]


def effect_text(effect: Effect) -> str:
    """A metric before and after, and the smallest effect that could have been seen."""
    if effect.base_value is None or effect.value is None:
        return f"{effect.metric}: {words.NOT_MEASURED}"
    text = (
        f"{effect.metric}: {figure(effect.base_value)} → {figure(effect.value)}, {words.speedup(effect.gain)}"
    )
    if effect.low is not None and effect.high is not None:
        text += f" ({effect.low:.2f}x to {effect.high:.2f}x, {100 * (1 - effect.level):.1f} % sure)"
    text += f" in {words.plural(effect.pairs, 'pair')}"
    if effect.detectable is not None:
        text += f"; a gain of {effect.detectable:.2f}x or more could have been seen"
    return text


def figure(value: float) -> str:
    """A value of any metric: four digits, or all before the point."""
    return f"{value:.4g}" if abs(value) < 9_999.5 else f"{value:,.0f}"


def counts_text(one: Judged) -> str:
    """What needs no clock, before any time."""
    if not one.counts_compared:
        return ""
    if not one.counts:
        return f"Counts per env step ({one.counts_compared} compared): none differs in every pair"
    told = [f"{row.name} {figure(row.base_value)} → {figure(row.value)}" for row in one.counts]
    return f"Counts per env step ({one.counts_compared} compared): {words.listing(told, MOST_COUNTS)}"


def gate_text(gate: GateResult) -> str:
    """A gate with its interval and margin."""
    if gate.base_value is None or gate.value is None or gate.difference is None:
        return f"Gate {gate.gate}: {gate.state}" + (f": {gate.why}" if gate.why else "")
    points = gate.gate in _POINTS
    scale, unit = (100.0, " points") if points else (1.0, "")
    text = f"Gate {gate.gate}: {gate.state}, {figure(scale * gate.base_value)} → {figure(scale * gate.value)}"
    if gate.low is not None and gate.high is not None:
        low, high = (f"{scale * bound:+.2g}" for bound in (gate.low, gate.high))
        text += f" ({low} to {high}{unit}, {-scale * gate.max_drop:+.2g} allowed)"
    text += f", {gate.base_episodes} and {gate.episodes} episodes"
    return text + (f"; {gate.why}" if gate.why else "")


def machine_text(machine: MachineNoise) -> str:
    """How calm the machine was."""
    parts = ["calm" if machine.calm else "not calm"]
    if machine.other_cores is not None:
        parts.append(f"other programs kept {machine.other_cores:.1f} of {machine.cores} cores busy")
    if machine.base_spread is not None:
        parts.append(f"the base alone varied by {words.share(machine.base_spread)} from trial to trial")
    if machine.stolen_share is not None and machine.stolen_share >= 0.01:
        parts.append(f"the host took {words.share(machine.stolen_share)} of the processor time")
    return " · ".join(parts)


def heading(comparison: Comparison) -> str:
    """Which experiment this is."""
    pairs = max((one.effect.pairs for one in comparison.judged), default=0)
    return (
        f"{comparison.name} · {comparison.metric} · {pairs} of {comparison.pairs_planned} pairs · "
        f"{words.plural(comparison.trials, 'trial')} · minimum gain {1 + comparison.minimum_gain:.2f}x"
    )
