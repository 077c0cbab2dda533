"""Which settings to try next, by Optuna (extra `[tune]`)."""

from __future__ import annotations

import math
import random
from typing import Any

from goldsplit.errors import CommandError

#: So often Optuna may propose what is known; then what it has not proposed is drawn.
_PATIENCE = 20


class OptunaSearch:
    """Optuna's TPE sampler over lists of values; the incumbent comes first, as what is known. No setting is
    proposed twice, and the incumbent never: each costs a pair of trials."""

    def __init__(self, values: dict[str, tuple[str, ...]], incumbent: dict[str, str], seed: int) -> None:
        try:
            import optuna
        except ImportError as error:
            raise CommandError("tuning needs Optuna", "pip install 'goldsplit[tune]'") from error
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        choice = optuna.distributions.CategoricalDistribution
        self._values = values
        self._draw = random.Random(seed)
        self._distributions = {name: choice(choices) for name, choices in values.items()}
        self._failed = optuna.trial.TrialState.FAIL
        self._study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
        self._known: dict[tuple[str, ...], float | None] = {}
        if all(incumbent[name] in choices for name, choices in values.items()):
            known = optuna.trial.create_trial(params=incumbent, distributions=self._distributions, value=0.0)
            self._study.add_trial(known)
            self._known[self._key(incumbent)] = 0.0
        self._asked: Any = None

    def ask(self) -> dict[str, str] | None:
        """The next settings; None: all have been tried."""
        if len(self._known) >= math.prod(map(len, self._values.values())):
            return None
        for _ in range(_PATIENCE):
            self._asked = self._study.ask(self._distributions)
            settings = {name: str(self._asked.params[name]) for name in self._distributions}
            if self._key(settings) not in self._known:
                return settings
            self._tell(self._known[self._key(settings)])  # it may learn from it, but costs no trial
        settings = self._unknown()
        self._study.enqueue_trial(settings)
        self._asked = self._study.ask(self._distributions)
        return settings

    def tell(self, log_gain: float | None) -> None:
        """What came of them."""
        self._known[self._key(self._asked.params)] = log_gain
        self._tell(log_gain)

    def _tell(self, log_gain: float | None) -> None:
        if log_gain is None:
            self._study.tell(self._asked, state=self._failed)
        else:
            self._study.tell(self._asked, log_gain)

    def _unknown(self) -> dict[str, str]:
        """Any setting that has not been tried: the next in the list of all from a place that is drawn."""
        total = math.prod(map(len, self._values.values()))
        at = self._draw.randrange(total)
        while self._key(self._numbered(at)) in self._known:
            at = (at + 1) % total
        return self._numbered(at)

    def _numbered(self, number: int) -> dict[str, str]:
        settings = {}
        for name, choices in self._values.items():
            number, place = divmod(number, len(choices))
            settings[name] = choices[place]
        return settings

    def _key(self, settings: dict[str, Any]) -> tuple[str, ...]:
        return tuple(str(settings[name]) for name in self._values)
