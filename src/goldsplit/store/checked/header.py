"""The header of a run (run.json), checked field by field: what has the wrong type or an absurd value is left
out and noted. Whatever uses a header afterwards may believe the types below."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from goldsplit.model.wire import File, Header
from goldsplit.store.checked.figures import count, real, whole
from goldsplit.store.checked.json_lines import DAMAGE

#: Seconds since 1970; about the year 3000.
_LATEST = 32_503_680_000.0

Check = Callable[[Any], Any]


def checked_header(header: dict[str, Any]) -> dict[str, Any]:
    """The same header with fields of the right types only; its notes say what was left out."""
    kept: dict[str, Any] = {}
    notes: list[str] = []
    for key, check in _CHECKS.items():
        if header.get(key) is None:
            continue
        try:
            kept[key] = check(header[key])
        except DAMAGE:
            notes.append(f"{File.HEADER}: `{key}` is damaged and was left out")
    if notes:
        kept[Header.NOTES] = [*kept.get(Header.NOTES, []), *notes]
    return kept


def text(value: Any) -> str:
    """A text that is one."""
    if not isinstance(value, str):
        raise TypeError("no text")
    return value


def texts(value: Any) -> list[str]:
    """A list of texts."""
    if not isinstance(value, list):
        raise TypeError("no list")
    return [text(one) for one in value]


def text_by_text(value: Any) -> dict[str, str]:
    """An object whose values are texts."""
    return {str(key): text(one) for key, one in value.items()}


def _instant(value: Any) -> float:
    seconds = real(value)
    if isinstance(value, str) or not 0.0 <= seconds <= _LATEST:
        raise ValueError("no date")
    return seconds


def _number(value: Any) -> int:
    if type(value) is not int:
        raise TypeError("no number")
    return whole(value)


def _pid(value: Any) -> int:
    if type(value) is not int or not 0 < value < 1 << 31:
        raise ValueError("no process")
    return value


def _recorder(value: Any) -> tuple[int, int | None]:
    pid, born = value
    return _pid(pid), None if born is None else _number(born)


def _variables(value: Any) -> dict[str, dict[str, list[str | None]]]:
    """Overlay → variable → value before and now."""
    return {
        str(overlay): {
            str(name): [None if one is None else text(one) for one in pair] for name, pair in pairs.items()
        }
        for overlay, pairs in value.items()
    }


def _scalars(value: Any) -> dict[str, Any]:
    found = {str(key): one for key, one in value.items()}
    if not all(one is None or isinstance(one, str | bool | int | float) for one in found.values()):
        raise TypeError("not plain")
    return found


def _environment(value: Any) -> dict[str, Any]:
    found = _scalars(value)
    if Header.CORES in found:
        found[Header.CORES] = min(count(found[Header.CORES]), 1 << 20)
    return found


def _git(value: Any) -> dict[str, Any]:
    found = _scalars(value)
    known = {Header.REVISION: text(found[Header.REVISION]), Header.CHANGED: bool(found[Header.CHANGED])}
    return {**found, **known}


_CHECKS: dict[str, Check] = {
    Header.FORMAT_VERSION: _number,
    Header.ID: text,
    Header.NAME: text,
    Header.KIND: text,
    Header.COMMAND: texts,
    Header.FOLDER: text,
    Header.STATUS: text,
    Header.EXIT_CODE: _number,
    Header.STARTED: _instant,
    Header.START_NS: _number,
    Header.END_NS: _number,
    Header.HOST: text,
    Header.PYTHON: text,
    Header.PACKAGES: text_by_text,
    Header.GIT: _git,
    Header.SEED: _number,
    Header.ENVIRONMENT: _environment,
    Header.STAGES: text_by_text,
    Header.OVERLAYS: texts,
    Header.OVERLAY_VARIABLES: _variables,
    Header.NOTES: texts,
    Header.RECORDER: _recorder,
    Header.TARGET_PID: _pid,
}
