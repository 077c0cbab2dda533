"""What is set apart from speed and trends, in words: the time before learning, stalls, a change of phase."""

from __future__ import annotations

from goldsplit.model.progress import Drift, Throughput
from goldsplit.report import words


def set_apart(flow: Throughput) -> list[str]:
    """One sentence each for what the speed leaves out, and for what trends do."""
    found = []
    before = flow.prefill
    if before is not None:
        steps = "" if before.env_steps is None else f", {words.plural(before.env_steps, 'env step')}"
        rate = before.env_steps_per_second
        speed = "" if rate is None else f" at {words.rate(rate)}/s"
        found.append(
            f"Before the first update: {words.seconds(before.seconds)}{steps}{speed}, left out of this speed."
        )
    if flow.stalls is not None:
        usual = words.seconds(max(0.0, flow.stalls.seconds - flow.stalls.lost_seconds))
        found.append(
            f"{words.plural(flow.stalls.count, 'stall')} (the training stood still, or had no core): "
            f"{words.seconds(flow.stalls.seconds)} for what usually takes {usual}. It does not count where "
            "the report says whether the run gets slower."
        )
    return found


def changed(change: Drift) -> str:
    """Where the cost of a step changed once; "" where it did not."""
    found = change.changed
    if found is None:
        return ""
    before, after = (words.duration(us) for us in (found.us_per_env_step_before, found.us_per_env_step_after))
    stages = [row["stage"] for row in change.changed_stages]
    text = (
        f"changed at {words.count(found.at_env_steps)} env steps ({words.seconds(found.at_seconds)}): an env "
        f"step costs {found.factor:.2f}x as much since then ({before} → {after}), no trend"
    )
    return text + (f"; mostly {words.listing(stages, 2)}" if stages else "")
