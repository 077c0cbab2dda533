"""Which settings to try next, by Optuna (extra `[tune]`)."""

from __future__ import annotations

from typing import Any

from goldsplit.errors import CommandError


class OptunaSearch:
    """Optuna's TPE sampler over lists of values; the incumbent comes first, as what is known."""

    def __init__(self, values: dict[str, tuple[str, ...]], incumbent: dict[str, str], seed: int) -> None:
        try:
            import optuna
        except ImportError as error:
            raise CommandError("tuning needs Optuna", "pip install 'goldsplit[tune]'") from error
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        choice = optuna.distributions.CategoricalDistribution
        self._distributions = {name: choice(choices) for name, choices in values.items()}
        self._failed = optuna.trial.TrialState.FAIL
        self._study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
        if all(incumbent[name] in choices for name, choices in values.items()):
            known = optuna.trial.create_trial(params=incumbent, distributions=self._distributions, value=0.0)
            self._study.add_trial(known)
        self._asked: Any = None

    def ask(self) -> dict[str, str]:
        """The next settings."""
        self._asked = self._study.ask(self._distributions)
        return {name: str(self._asked.params[name]) for name in self._distributions}

    def tell(self, log_gain: float | None) -> None:
        """What came of them."""
        if log_gain is None:
            self._study.tell(self._asked, state=self._failed)
        else:
            self._study.tell(self._asked, log_gain)
