"""How an update is carried out on its device: as a captured graph, compiled, in bfloat16, or as it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from goldsplit.fast.learner import GraphedUpdate, GraphOptions
from goldsplit.train.options import TrainOptions

Update = Callable[..., Any]


def carried_out(
    update: Update,
    optimizer: torch.optim.Optimizer,
    options: TrainOptions,
    device: torch.device,
    generators: Sequence[torch.Generator] = (),
) -> Update:
    """The update as these options want it. The options for CUDA change nothing on the CPU."""
    if device.type != "cuda":
        return update
    if options.graph and options.surroundings == "fast":
        how = GraphOptions(amp=options.amp, compile=options.compile)
        return GraphedUpdate(update, optimizers=[optimizer], generators=generators, options=how)
    return Eager(update, amp=options.amp, compiled=options.compile)


def mode_of(update: Update) -> str:
    """In words: how it is carried out, and where it is not as asked for, why."""
    mode, reason = getattr(update, "mode", "eager"), getattr(update, "reason", "")
    return f"{mode} ({reason})" if reason else str(mode)


class Eager:
    """Call by call, with autocast around; compiled where that is asked for and works."""

    mode = "eager"

    def __init__(self, update: Update, *, amp: bool, compiled: bool) -> None:
        self._plain, self._amp = update, amp
        self._run: Update = torch.compile(update, dynamic=False) if compiled else update
        self.reason = ""

    def __call__(self, *args: Any) -> Any:
        with torch.autocast("cuda", dtype=torch.bfloat16, enabled=self._amp):
            if self._run is self._plain:
                return self._plain(*args)
            try:
                return self._run(*args)
            except Exception as failure:  # compilation happens in the first call, before anything is changed
                self._run = self._plain
                self.reason = f"not compiled: {type(failure).__name__}"
                return self._plain(*args)
