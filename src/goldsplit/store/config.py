"""goldsplit.toml and --stage: which functions are which stages."""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from pathlib import Path
from typing import Any

from goldsplit.errors import ConfigError
from goldsplit.model.stage import NO_STAGES, as_stage_name, is_stage_name, stage_hint
from goldsplit.model.wire import COUNT_CALLS, PROGRESS, UNSTAGED

DEFAULT_FILE = Path("goldsplit.toml")
_TARGET = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")


def load_stages(config: Path | None, texts: tuple[str, ...], progress: str | None = None) -> dict[str, str]:
    """Target → stage, from the file and from the command line; the command line wins. `progress`: the target
    of which one call is one env step."""
    stages: dict[str, str] = {}
    if config is None and os.path.lexists(DEFAULT_FILE) and not DEFAULT_FILE.is_file():
        raise ConfigError(
            f"{DEFAULT_FILE} in this folder is no file that can be read",
            "settings are read from a file of that name; rename what is there, or give one with --config",
        )
    if config is not None or DEFAULT_FILE.is_file():
        stages |= read_config(config or DEFAULT_FILE)
    for text in texts:
        target, separator, stage = text.rpartition("=")
        if not separator:
            raise ConfigError(
                f"--stage {text!r} has no '='", "write --stage package.module:Class.method=env.opponent"
            )
        stages[check_target(target.strip(), "--stage")] = check_stage(stage.strip(), "--stage")
    if progress is not None:
        stages[check_target(progress.strip(), "--progress")] = PROGRESS
    return stages


def read_config(path: Path) -> dict[str, str]:
    """The [stages] and [counters] tables of a settings file."""
    data = read_toml(path, "check --config", "config.md")
    unknown = sorted(set(data) - {"stages", "counters"})
    if unknown:
        close = difflib.get_close_matches(unknown[0], ["stages", "counters"], n=1)
        hint = f"did you mean [{close[0]}]?" if close else "known tables: [stages], [counters]"
        raise ConfigError(f"{path} has an unknown table [{unknown[0]}]", hint)
    where = str(path)
    stages = {
        check_target(target, where): check_stage(UNSTAGED if stage == "" else stage, where)
        for target, stage in _table(data, "stages", where).items()
    }
    counters = {
        check_target(target, where): check_stage(f"count:{counter}", where)
        for target, counter in _table(data, "counters", where).items()
    }
    return stages | counters


def read_toml(path: Path, hint: str, page: str) -> dict[str, Any]:
    """What a TOML file holds. `hint`: what to do if it cannot be read; `page`: the page about its keys."""
    try:
        return tomllib.loads(path.read_text())
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}", hint) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}", f"see docs/reference/{page}") from error


def _table(data: dict[str, Any], name: str, where: str) -> dict[str, Any]:
    table = data.get(name, {})
    if not isinstance(table, dict):
        raise ConfigError(
            f"{where}: {name} must be a table", f'write [{name}] and "module:Class.method" = "stage"'
        )
    return table


def check_target(target: str, where: str) -> str:
    if _TARGET.fullmatch(target) is None:
        raise ConfigError(
            f"{where}: {target!r} is not a target",
            "write package.module:Class.method or package.module:function",
        )
    return target


def check_stage(stage: Any, where: str) -> str:
    """The stage, or what stands in its place, that a text of the settings names."""
    if not isinstance(stage, str):
        raise ConfigError(f"{where}: {stage!r} is not a stage name", "write it as a text in quotes")
    if stage in NO_STAGES:
        return stage
    if stage.startswith(COUNT_CALLS) and is_stage_name(stage.removeprefix(COUNT_CALLS)):
        return stage
    name = as_stage_name(stage)
    if not name:
        raise ConfigError(f"{where}: {stage!r} is not a stage name", stage_hint(stage))
    return name
