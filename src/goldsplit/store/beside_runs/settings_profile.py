"""Profiles of settings (`speed.toml`, `balance.toml`): what tuning found, with the evidence in comments."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from goldsplit.errors import ConfigError, OutputError

_KEYS = ("settings", "env", "with")


@dataclass(frozen=True, slots=True)
class SettingsProfile:
    """What a profile changes in a run."""

    settings: dict[str, str] = field(default_factory=dict)
    """`{name}` in the command → value."""
    environment: dict[str, str] = field(default_factory=dict)
    overlays: tuple[str, ...] = ()

    def filled(self, text: str) -> str:
        """A text with the settings in their places."""
        for name, value in self.settings.items():
            text = text.replace(f"{{{name}}}", value)
        return text


def read_profile(file: Path) -> SettingsProfile:
    """Read a profile; its variables and overlays have their settings in place."""
    try:
        data = tomllib.loads(file.read_text())
    except OSError as error:
        raise ConfigError(f"cannot read {file}: {error.strerror}", "check --profile") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file} is not valid TOML: {error}", "see docs/reference/tune.md") from error
    unknown = sorted(set(data) - set(_KEYS))
    settings, environment, overlays = data.get("settings", {}), data.get("env", {}), data.get("with", [])
    fits = isinstance(settings, dict) and isinstance(environment, dict) and isinstance(overlays, list)
    if unknown or not fits:
        raise ConfigError(f"{file} is no profile", "a profile has [settings], [env] and with = […]")
    plain = SettingsProfile({name: str(value) for name, value in settings.items()})
    return SettingsProfile(
        plain.settings,
        {str(name): plain.filled(str(value)) for name, value in environment.items()},
        tuple(plain.filled(str(one)) for one in overlays),
    )


def write_profile(file: Path, profile: SettingsProfile, evidence: list[str]) -> None:
    """Write a profile, evidence first."""
    lines = [f"# {' '.join(line.split())}" for line in evidence]
    if profile.overlays:
        lines.append(f"with = {json.dumps(list(profile.overlays))}")
    for title, table in (("settings", profile.settings), ("env", profile.environment)):
        if table:
            lines += ["", f"[{title}]", *(f"{name} = {json.dumps(value)}" for name, value in table.items())]
    try:
        file.write_text("\n".join(lines) + "\n")
    except OSError as error:
        raise OutputError(f"cannot write {file}: {error.strerror}", "choose another place with -o") from error
