"""What the driver of an environment alone measured: env.json while it was recorded, timing.json before."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from goldsplit.errors import DamagedRunError

RECORDED, TIMED = "env.json", "timing.json"


def read_env_file(path: Path) -> dict[str, Any] | None:
    """The driver's own figures; None if it wrote none."""
    try:
        data = json.loads(path.read_text())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise DamagedRunError(f"{path} cannot be read: {error}", "drive the environment again") from error
    if not isinstance(data, dict) or not {"asked", "driven", "problem"} <= set(data):
        raise DamagedRunError(f"{path} is not what a driver writes", "drive the environment again")
    return data
