"""What run files are made of, written once: names of files, keys of their lines, names of counters.

The recorder writes with these names and `store` reads with them; no other file may spell them (a test checks
that). A name that changes here changes the run format: then `FORMAT_VERSION` in `model/recording.py` goes up.
Keys of the files that only `goldsplit env` writes are in `model/env_alone/drive_wire.py`.
"""

from __future__ import annotations


class File:
    """Files of a run directory."""

    HEADER = "run.json"
    PROCESS_PREFIX = "proc-"
    PROCESSES = "proc-*.jsonl"
    """One for each Python process; its name has the process id and the instant at which it began."""
    STACKS = "stacks.jsonl"
    SYSTEM = "system.jsonl"
    NAMED = "named.jsonl"
    """What the user's functions are taken for, read from their source; one line for each source file."""
    DEEP_PLAN = "deep.json"
    DRIVE_TIMED = "timing.json"
    """What the driver of an environment alone measured while nothing recorded it."""
    DRIVE_RECORDED = "env.json"
    TOO_OLD = "too-old.txt"


class Variable:
    """Environment variables by which the launcher tells the processes of a run what to do."""

    RUN_DIR = "GOLDSPLIT_RUN_DIR"
    RUN_START_NS = "GOLDSPLIT_RUN_START_NS"
    STAGES = "GOLDSPLIT_STAGES"
    DEEP = "GOLDSPLIT_DEEP"
    TIMER_STACKS = "GOLDSPLIT_SIGNAL_STACKS"
    CORE = "GOLDSPLIT_CORE"
    DEBUG = "GOLDSPLIT_DEBUG"


class Header:
    """Keys of run.json."""

    FORMAT_VERSION = "format_version"
    ID = "id"
    NAME = "name"
    KIND = "kind"
    COMMAND = "command"
    STATUS = "status"
    EXIT_CODE = "exit_code"
    STARTED = "started"
    START_NS = "start_ns"
    END_NS = "end_ns"
    HOST = "host"
    PYTHON = "python"
    PACKAGES = "packages"
    GIT = "git"
    SEED = "seed"
    ENVIRONMENT = "environment"
    STAGES = "stages"
    NOTES = "notes"
    RECORDER = "recorder"
    TARGET_PID = "target_pid"
    # of the environment
    CORES = "cores"
    OS = "os"
    # of git
    REVISION = "revision"
    CHANGED = "changed"


class Line:
    """Kinds of lines in a process's file: the value of `Key.KIND`."""

    START = "start"
    SNAPSHOT = "w"
    RAW = "raw"
    CODES = "codes"
    PIPE = "pipe"
    MAPPED = "mapped"
    UNMAPPED = "unmapped"
    NOTE = "note"
    CALLED = "called"
    """What a process is, where its command line does not say: a worker that a server started."""
    STACKS = "stacks"
    DEEP = "deep"
    END = "end"


class Key:
    """Keys of the lines in a process's file."""

    KIND = "k"
    TIME = "t"
    END = "end"
    # start
    UNIX = "unix"
    PID = "pid"
    PARENT_PID = "ppid"
    PYTHON = "python"
    ARGV = "argv"
    SPAN_NS = "span_ns"
    # snapshot
    NODES = "n"
    NEW_NODES = "d"
    COUNTERS = "c"
    THREADS = "th"
    STEPS = "steps"
    LOST = "lost"
    FAILED = "failed"
    HISTOGRAMS = "h"
    COSTS = "cost"
    # raw window
    RAW_SPANS = "spans"
    RAW_SPANS_BASE85 = "threads"
    """Format 2."""
    # code of functions whose calls are spans without a frame
    FILE = "file"
    CODES = "codes"
    # pipe
    NEAR = "a"
    FAR = "b"
    # mapping, notes, the end
    TARGET = "target"
    WHY = "why"
    TEXT = "text"
    CODE = "code"


class Named:
    """Keys of a line in named.jsonl."""

    FILE = "file"
    FUNCTIONS = "functions"
    """Rows of qualified name, first and last line, stage, reason, whether calls are steps, where the end is
    said."""


class Stacks:
    """Keys of stacks: of a line in stacks.jsonl, and of `Line.STACKS` as far as it has them."""

    START = "start"
    END = "end"
    RATE = "rate"
    SAMPLES = "samples"
    FAILED = "failed"
    LATE = "late"
    CPU = "cpu"
    STARTUP = "startup"
    BASE = "base"
    FILES = "files"
    FRAMES = "frames"
    BRANCHES = "branches"
    STACKS = "stacks"
    WAITS = "waits"


class System:
    """Keys of a line in system.jsonl."""

    TIME = "t"
    CPU = "cpu"
    RSS = "rss"
    PROCESSES = "processes"
    GPU = "gpu"
    # of one process
    THREADS = "threads"
    FILES = "files"
    NAME = "name"
    PARENT_PID = "ppid"
    COMMAND = "cmd"
    # of one device
    UTILISATION = "utilisation"
    MEMORY = "memory"


class Deep:
    """Keys of `Line.DEEP`, and the places of its figures."""

    WINDOWS = "windows"
    SPENT = "spent"
    BEATS = "beats"
    SEGMENTS = "segments"
    SEEN = "seen"
    STEPS = "steps"
    EVENTS = "events"
    EVENT_NS = "event_ns"
    FUNCTIONS = "functions"
    CACHES = "caches"
    SITES = "sites"
    # of one function, cache or line
    AT = "at"
    KIND = "kind"
    STAGE = "stage"
    # of a function
    CHOSEN = "chosen"
    TOTALS = "booked"
    COMPARED = "compared"
    # of what comparing a function's calls has shown
    CALLS = "calls"
    NS = "ns"
    REPEATS = "repeats"
    IN_STEP = "in_step"
    DIFFERING = "differing"
    REPEAT_NS = "repeat_ns"
    DISTINCT = "distinct"
    RESULTS = "results"
    RESULT = "result"
    MUTATED = "mutated"
    BY_IDENTITY = "by_identity"
    # of a cache
    HITS = "hits"
    MISSES = "misses"
    CLEARS = "clears"
    ENTRIES = "entries"
    HIT_NS = "hit_ns"
    MISS_NS = "miss_ns"
    REPEATED = "repeated"
    # of a line
    CALLEE = "callee"
    AMOUNT = "amount"
    AMOUNTS = "amounts"
    DETAIL = "detail"
    ONLY_ALL = "only_all"


class SiteKind:
    """What a line that the deep look sees calls: the value of `Deep.KIND` of a line."""

    TEXT = "text"
    """Parses or compiles text: eval, compile, re.compile, json.loads."""
    ALLOCATION = "allocation"
    """Makes an array or tensor; the amount is its bytes."""
    CONVERSION = "conversion"
    """Converts an array or tensor to another type; the amount is its elements."""
    DEEPCOPY = "deepcopy"
    """Calls `copy.deepcopy`."""
    TENSOR_READ = "tensor_read"
    """Reads a tensor into Python: item, tolist, cpu, bool, int."""
    TENSOR_OP = "tensor_op"
    """Any other operation on tensors; the amount is the elements of the largest one."""
    FORWARD = "forward"
    """Calls a torch module."""
    DISTRIBUTION = "distribution"
    """Makes a distribution of torch."""
    KERNEL = "kernel"
    """Calls a function compiled by Numba; the amount is the elements of its arguments."""
    SAMPLING = "sampling"
    """Draws at random; the amount is how many there are to choose from."""
    OUTPUT = "output"
    """Prints, logs or writes."""


class DeepPlan:
    """Keys of deep.json: when the windows of all processes of a run are."""

    FIRST_NS = "first_ns"
    LENGTH_NS = "length_ns"


#: What a burst of the deep look sees: every function of user code, or the chosen ones. Figures of both are
#: kept apart, in this order.
ALL, CHOSEN = 0, 1
#: Which kind of beat ended a segment of the loop: an environment step or an update. Figures by kind are in
#: this order.
STEP, UPDATE = 0, 1

#: Histograms of spans: bucket b holds durations of about exp(b / 8) nanoseconds.
SPAN_BUCKETS_PER_E = 8


class Counter:
    """Names of counters. In a snapshot each has the index of its thread and a colon in front."""

    ENV_STEPS = "env_steps"
    EPISODES = "episodes"
    UPDATES = "updates"
    OWN = "own_"
    """Steps that a process made itself (`own_env_steps`, `own_episodes`)."""
    VECTOR = "vec_"
    """Steps that a process made in a vector environment; its workers may count them again."""
    EVALUATION = "eval_"
    """In front of either: steps of an evaluation, which are not training."""
    OWN_ENV_STEPS = OWN + ENV_STEPS
    VECTOR_ENV_STEPS = VECTOR + ENV_STEPS
    RESETS = "resets"
    """Games that have begun, by calls of a function that begins one."""
    LEARNING_CALLS = "learning_calls"
    """Calls of functions that are taken for a whole update."""
    OPTIMIZER = "updates:"
    """Steps of the optimizers that first stepped through the same calls; the number of these follows."""
    BACKWARD = "backward:"
    """Backward passes at one place of the program; the place's number follows."""
    GRADIENTS = "gradients:"
    """As these, through `torch.autograd.grad`: often several for one update."""
    USER = "user:"
    """`goldsplit.count`; the name that the user gave follows."""
    METRIC_COUNT = "metric_n:"
    METRIC_SUM = "metric_sum:"
    TENSOR_READS = "tensor_reads:"
    FACT_COUNT = "fact_n:"
    FACT_SUM = "fact_sum:"
    PROCESS_CPU_NS = "process_cpu_ns"
    PROCESS_RSS_BYTES = "process_rss_bytes"
    PROCESS_NATIVE_THREADS = "process_native_threads"


#: The stage of spans that only count calls (`[counters]` in goldsplit.toml): their time is that of the stage
#: around them.
COUNTED = "counted"
#: In a mapping, in place of a stage: count calls under the name that follows.
COUNT_CALLS = "count:"
#: In a mapping, in place of a stage: this function has none.
UNSTAGED = "none"


class WaitDetail:
    """What the detail of a waiting span begins with: the other side of the wait follows."""

    THREAD = "t:"
    PIPE = "pipe:"
    PROCESS = "pid:"
    SEMAPHORE = "sem:"
