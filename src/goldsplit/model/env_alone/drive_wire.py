"""What the driver of an environment alone writes: keys of timing.json and env.json. See `model/wire.py`."""

from __future__ import annotations

#: Histograms of `goldsplit env`: bucket b holds exp(b / 50) to exp((b + 1) / 50) nanoseconds.
DRIVE_BUCKETS_PER_E = 50


class DriveKey:
    """Keys of both files."""

    FORMAT = "format"
    VERSION = "version"
    ASKED = "asked"
    FINISHED = "finished"
    PROBLEM = "problem"
    DRIVEN = "driven"
    # of what was asked for: arguments of the driver
    TARGET = "target"
    POLICY = "policy"
    SEED = "seed"
    VECTOR = "vector"
    # of a problem
    MESSAGE = "message"
    HINT = "hint"
    TRACE = "trace"
    # of what was driven
    ENVIRONMENT = "environment"
    BATCH = "batch"
    MASK = "mask"
    MASK_NS = "mask_ns"
    CALLS = "calls"
    STEPS = "steps"
    WARM_UP_CALLS = "warm_up_calls"
    TIMED_STEPS = "timed_steps"
    TIMED_NS = "timed_ns"
    TIMES = "times"
    WINDOWS = "windows"
    STEP_NS = "step_ns"
    RESETS = "resets"
    FIRST_RESET_NS = "first_reset_ns"
    WALL_NS = "wall_ns"
    HASH_NS = "hash_ns"
    EPISODES = "episodes"
    LENGTHS = "lengths"
    HASH = "hash"
    DEAD_ENDS = "dead_ends"
    # of a hash
    VALUE = "value"
    WANTED = "wanted"
    # of a histogram
    NS = "ns"
    LONGEST_NS = "longest_ns"
    BUCKETS = "buckets"
