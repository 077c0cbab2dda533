"""In which order the trials run: every block has every variant once, in an order drawn anew for each block.

Trials of a block are close together in time, so that they meet the same machine; an order that is drawn keeps
whatever drifts from favouring one variant.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from goldsplit.model.experiment.design import Plan
from goldsplit.model.experiment.trial import Trial


def block_order(plan: Plan, block: int) -> list[str]:
    """The variants of a block, in the order in which they run: the same for the same plan and block.

    Of as many blocks as there are variants, each variant is first, second, … once: who runs later in a
    block may meet a warmer machine or a fuller cache, and with few blocks a plain draw would leave that to
    chance.
    """
    names = [variant.name for variant in plan.variants]
    group, place = divmod(block, len(names))
    draw = random.Random(f"{plan.seed}:{group}")
    draw.shuffle(names)
    turns = list(range(len(names)))
    draw.shuffle(turns)
    first = turns[place]
    return names[first:] + names[:first]


def block_seed(plan: Plan, block: int) -> int:
    """The seed that all trials of a block get."""
    return plan.seed + block


def left_to_do(plan: Plan, trials: Sequence[Trial]) -> list[tuple[int, int, str]]:
    """Block, position and variant of every trial that is still to be made. A failed trial has been made. A
    block that was broken off is made again as a whole: its trials would not be close together in time."""
    done = {(trial.block, trial.variant) for trial in trials}
    left = []
    for block in range(plan.pairs):
        order = block_order(plan, block)
        if any((block, name) not in done for name in order):
            left += [(block, position, name) for position, name in enumerate(order)]
    return left
