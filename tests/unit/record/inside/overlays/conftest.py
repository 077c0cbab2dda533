"""What the tests of overlays share: counts of what was changed, and a run that is stopped without an end."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from goldsplit.model.fact_wire import FACT_SEPARATOR, FactKind
from goldsplit.model.overlays.overlay import CHANGE_SEPARATOR
from goldsplit.model.wire import Counter
from goldsplit.record.inside import after_import
from goldsplit.record.inside.alterations import forget_alterations
from goldsplit.record.inside.engine import ThreadState
from goldsplit.record.inside.overlays import scopes, verification


@pytest.fixture(autouse=True)
def clean(state: ThreadState) -> Iterator[None]:
    """No overlay of another test is on, and none of these comes on with a later import."""
    forget_alterations()
    scopes._installed.clear()
    waiting = {name: list(hooks) for name, hooks in after_import._FINDER.waiting.items()}
    yield
    after_import._FINDER.waiting = waiting
    forget_alterations()
    scopes._installed.clear()


@pytest.fixture
def changed(state: ThreadState) -> Callable[..., dict[str, float]]:
    """changed(): what overlays have counted in this thread."""

    def read(kind: str = FactKind.OVERLAY) -> dict[str, float]:
        found: dict[str, float] = {}
        for key, value in state.counts.items():
            name = key.removeprefix(Counter.FACT_COUNT)
            if name != key and name.split(FACT_SEPARATOR)[0] == kind:
                what = name.split(FACT_SEPARATOR)[1].partition(CHANGE_SEPARATOR)[2]
                found[what] = found.get(what, 0) + value
        return found

    return read


class Stopped(BaseException):
    """In the place of the end of the process."""


@pytest.fixture
def stopped(monkeypatch: pytest.MonkeyPatch) -> type[Stopped]:
    """The run is stopped by raising this, with the message."""

    def stop(message: str) -> None:
        raise Stopped(message)

    monkeypatch.setattr(verification, "stop_the_run", stop)
    return Stopped
