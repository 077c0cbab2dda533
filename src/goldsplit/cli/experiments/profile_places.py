"""`goldsplit record --profile`: the command with its settings; none of them is lost silently."""

from __future__ import annotations

import difflib
import re
from pathlib import Path
from typing import TYPE_CHECKING

from goldsplit.errors import ConfigError, OutputError

if TYPE_CHECKING:
    from goldsplit.store.beside_runs.settings_profile import SettingsProfile

_PLACE = re.compile(r"\{([A-Za-z_][\w-]*)\}")
#: Filled in by experiments; one recording has no seed of its own.
_SEED = "seed"


def filled(command: tuple[str, ...], profile: SettingsProfile, file: Path) -> tuple[str, ...]:
    """The command to run. Refused: a setting that has no place, and a place that is meant for a setting but
    named otherwise; other braces are the command's own."""
    asked = list(dict.fromkeys(name for part in command for name in _PLACE.findall(part)))
    unknown = [name for name in asked if name not in profile.settings]
    for name in unknown:
        if name == _SEED:
            raise ConfigError(
                f"the command has {{{_SEED}}}, and --profile sets no seed", "write a number there"
            )
        close = difflib.get_close_matches(name, profile.settings, n=1)
        if close:
            raise ConfigError(f"{file} has no setting {name!r}", f"did you mean {{{close[0]}}}?")
    elsewhere = _places_in(file)
    for name, value in profile.settings.items():
        if name not in asked and name not in elsewhere:
            raise ConfigError(
                f"the command has no {{{name}}}, so {name} = {value} of {file} would change nothing",
                f"did you mean '{{{name}}}' where it has '{{{unknown[0]}}}'?"
                if unknown
                else f"write '{{{name}}}' where its value belongs",
            )
    return tuple(map(profile.filled, command))


def _places_in(file: Path) -> set[str]:
    """Settings that variables and overlays of the profile use."""
    from goldsplit.store.config import read_toml

    data = read_toml(file, "check --profile", "tune.md")
    texts = [*data.get("env", {}).values(), *data.get("with", [])]
    return {name for text in texts for name in _PLACE.findall(str(text))}


def keep_profile(run_dir: Path, profile: SettingsProfile, file: Path) -> None:
    """What the profile changed, beside the run: without it two such runs look alike."""
    from goldsplit.model.wire import File, ProfileKey
    from goldsplit.store.experiment_files import write_json

    told = {
        ProfileKey.FILE: file.name,
        ProfileKey.SETTINGS: profile.settings,
        ProfileKey.VARIABLES: profile.environment,
    }
    try:
        write_json(run_dir / File.PROFILE, told)
    except OSError as error:
        what = f"cannot write {run_dir / File.PROFILE}: {error.strerror or error}"
        raise OutputError(what, "is the disk full?") from error
