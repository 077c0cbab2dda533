"""What the device is and how torch is set to use it: what findings about precision and graphs rest on."""

from __future__ import annotations

from typing import Any

from goldsplit.model.device.device_record import Setting
from goldsplit.record.inside.own_failures import harmless


def settings_of(torch: Any, kind: str) -> dict[str, Any]:
    """Plain values; what this torch does not tell is left out. Asks the device: not while a graph is made."""
    found: dict[str, Any] = {}
    if kind == "mps":
        return found
    with harmless("the device's name"):
        index = torch.cuda.current_device()
        properties = torch.cuda.get_device_properties(index)
        found[Setting.INDEX] = index
        found[Setting.NAME] = str(properties.name)
        found[Setting.MEMORY_BYTES] = int(properties.total_memory)
        if kind == "cuda":
            found[Setting.CAPABILITY] = [int(properties.major), int(properties.minor)]
    with harmless("the precision of products"):
        found[Setting.MATMUL_PRECISION] = str(torch.get_float32_matmul_precision())
    return found
