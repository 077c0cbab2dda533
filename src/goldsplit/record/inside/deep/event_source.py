"""How this interpreter reports the calls that a window sees."""

from __future__ import annotations

import sys
from typing import Any

from goldsplit.record.inside.deep.call_watch import Watch
from goldsplit.record.inside.deep.monitoring_events import MonitoringEvents
from goldsplit.record.inside.deep.native_sites import NativeSites
from goldsplit.record.inside.deep.profile_events import ProfileEvents


def make_events(watch: Watch, native: NativeSites) -> Any:
    """`sys.monitoring` from Python 3.12 on, else a profile function."""
    if sys.version_info >= (3, 12):
        return MonitoringEvents(watch, native)
    return ProfileEvents(watch, native)
