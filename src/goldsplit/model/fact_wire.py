"""Names of the facts in run files: countable things beside time. `model/wire.py` has the other names."""

from __future__ import annotations

#: Between the parts of a fact's name (kind, detail, place); in no file or function name that we have seen.
FACT_SEPARATOR = "\x1f"


class FactKind:
    """Countable things that a hook sees beside time. Amounts are sums, counts are how often."""

    MESSAGE = "message"
    """Detail `sent`: a message through a multiprocessing connection; bytes."""
    COMMAND = "command"
    """Detail: its name (`step`, `env_method:action_masks`): a message (command, argument), at the user's line
    that first sent it."""
    INFO = "info"
    """A worker's info pickled alone; bytes. The place is the environment's `step`."""
    INFO_US = "info_us"
    """Microseconds to pickle and unpickle such an info."""
    INFO_KEY = "info_key"
    """Detail: the key: the largest values of one info; bytes."""
    PROCESS_START = "process_start"
    """Detail: the target: a process was started through multiprocessing, at the user's line."""
    TORCH_THREADS = "torch_threads"
    """Detail: how many: `torch.set_num_threads` was called, at the user's line."""
    IMPORT = "import"
    """Detail: the package: importing it for the first time in this process; seconds, at the user's line."""
    TORCH_POOL = "torch_pool"
    """Detail: how many threads: a forward pass was seen with torch's pool so large; every 67th."""
    FORWARD_ROWS = "forward_rows"
    """A forward pass that learns, every 67th; rows of its batch, at the user's line."""
    UPDATE = "update"
    """An optimizer's step, every 67th; at the innermost line of user code that is in a loop."""
    POOL_SUBMIT = "pool_submit"
    """Detail `thread` or `process`: work was handed to a pool of `concurrent.futures`, every 67th; at the
    user's line."""
    LOOP_SUBMIT = "loop_submit"
    """A coroutine was handed to another thread's event loop, every 67th; at the user's line."""
    DEVICE_WAIT = "device_wait"
    """Detail: the call (`item`, `cpu`, `synchronize`): it waited for the device, every 67th; seconds, at the
    user's line."""
    KEPT_BYTES = "kept_bytes"
    """Allocated during a short look with tracemalloc and still there after it; bytes, at the user's line."""
    MEMORY_LOOK = "memory_look"
    """Such a look; seconds."""
    TIMER_CALL = "timer_call"
    """A method of user code that is named like a timer was called; at its `def`."""
    OUTPUT = "output"
    """Detail `print`, `logging` or `tensorboard`: something was written out, at the user's line."""
    PARSED = "parsed"
    """Detail: `json`, `yaml`, … or `file`, and the file's name: what was parsed or read before came
    again, unchanged; seconds of parsing, at the user's line."""
    OVERLAY = "overlay"
    """Detail: an overlay's text and what it changed; `CHANGE_SEPARATOR` of `model/overlay.py` between."""
    OVERLAY_SAW = "overlay_saw"
    """As this, for what an overlay saw or did without changing anything."""
    OVERLAY_WHY = "overlay_why"
    """As this, for why it changed nothing in a process."""
    OVERLAY_FOUND = "overlay_found"
    """As this: a function that the overlay names was there and was replaced."""
    OVERLAY_MISSED = "overlay_missed"
    """As this: why that function was not there, at the end of the first process."""
