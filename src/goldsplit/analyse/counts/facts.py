"""Facts that the hooks of all processes counted."""

from __future__ import annotations

import re

from goldsplit.analyse.counts.series import Series
from goldsplit.model.fact_wire import FACT_SEPARATOR
from goldsplit.model.finding import Place
from goldsplit.model.profile import Fact
from goldsplit.model.recording import ProcessId
from goldsplit.model.wire import Counter

_PLACE = re.compile(r"(.*?):(\d+):(.*)", re.DOTALL)
_END = 1 << 62


def facts(series: dict[ProcessId, Series], roles: dict[ProcessId, str]) -> list[Fact]:
    """Every fact of every process, threads added together."""
    numbers: dict[tuple[ProcessId, str], list[float]] = {}
    for process, one in series.items():
        for full in one.counters():
            name = full.split(":", 1)[1]
            for prefix, index in ((Counter.FACT_COUNT, 0), (Counter.FACT_SUM, 1)):
                if name.startswith(prefix):
                    row = numbers.setdefault((process, name.removeprefix(prefix)), [0.0, 0.0])
                    row[index] += one.count(full, _END)
    found = []
    for (process, name), (count, amount) in numbers.items():
        if name.count(FACT_SEPARATOR) != 2:
            continue  # a damaged name
        kind, detail, place = name.split(FACT_SEPARATOR)
        role = roles.get(process, "other")
        found.append(Fact(kind, detail, process.pid, role, count, amount, read_place(place)))
    return sorted(found, key=lambda fact: (fact.kind, fact.detail, fact.pid))


def read_place(text: str) -> Place | None:
    """The inverse of the recorder's `place_of`; names of functions may hold colons, and of files too."""
    found = _PLACE.fullmatch(text)
    return Place(found[1], int(found[2]), found[3]) if found else None
