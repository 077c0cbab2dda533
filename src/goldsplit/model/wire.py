"""What run files are made of, written once: names of files, keys of their lines, names of counters.

The recorder writes with these names and `store` reads with them; no other file may spell them (a test checks
that). A name that changes here changes the run format: then `FORMAT_VERSION` in `model/recording.py` goes up.
Keys of the files that only `goldsplit env` writes are in `model/env_alone/drive_wire.py`.
"""

from __future__ import annotations


class File:
    """Files of a run directory."""

    HEADER = "run.json"  # the run: see below
    PROCESS_PREFIX = "proc-"  # what names of the next begin with
    PROCESSES = "proc-*.jsonl"
    """One for each Python process; its name has the process id and the instant at which it began."""
    STACKS = "stacks.jsonl"  # the sampler: sampled stacks, folded into counts
    SYSTEM = "system.jsonl"  # the recorder: CPU, memory and GPU of the process tree, every four seconds
    NAMED = "named.jsonl"
    """What the user's functions are taken for, read from their source; one line for each source file."""
    DEEP_PLAN = "deep.json"  # with `--deep`: when the windows of all processes are
    HOT = "hot.json"
    """Functions that stack samples show to be hot: the deep look watches them."""
    DRIVE_TIMED = "timing.json"
    """What the driver of an environment alone measured while nothing recorded it."""
    DRIVE_RECORDED = "env.json"  # the same, while it was recorded
    TOO_OLD = "too-old.txt"  # left by an interpreter that is older than 3.11
    TRAJECTORY_PREFIX = "trajectory-"  # what names of the next begin with
    TRAJECTORIES = "trajectory-*.jsonl"
    """What environments returned, as hashes; one for each process that has some. `model/trajectory.py`."""
    STOPPED = "stopped.txt"
    """Why an overlay has stopped the run: it would have changed an answer of the program."""
    TRIED = "tried.json"
    """What `goldsplit try` measured about the remedies of this run's findings."""
    PROFILE = "profile.json"
    """With `--profile`: its file's name, the settings that were put into the command, the variables."""
    SUMMARY = "summary.json"
    """Written when the run was explained: speed and bottleneck, for `goldsplit runs`. It may be deleted."""


class Metrics:
    """Metrics with names of ours. The program says those of `END`; the others are what libraries keep, where
    nobody's code names them."""

    END = "end:"
    """How an episode ended, before the reason: `goldsplit.episode(end="timeout")`. Its value is 1."""
    EPISODE_RETURN = "episode_return"
    """As Gymnasium's RecordEpisodeStatistics has it in `info["episode"]`."""
    MONITOR_RETURN = "monitor_return"
    """As Stable-Baselines3's Monitor has it there."""
    EPISODE_END, MONITOR_END = "episode_end:", "monitor_end:"
    """The same two on how episodes ended, before `terminated` or `truncated`."""
    EPISODE_SUCCESS, MONITOR_SUCCESS = "episode_success", "monitor_success"
    """… and what the last info said about `is_success`."""


class Variable:
    """Environment variables by which the launcher tells the processes of a run what to do."""

    RUN_DIR = "GOLDSPLIT_RUN_DIR"
    RUN_START_NS = "GOLDSPLIT_RUN_START_NS"
    STAGES = "GOLDSPLIT_STAGES"
    DEEP = "GOLDSPLIT_DEEP"
    OVERLAYS = "GOLDSPLIT_OVERLAYS"
    TRAJECTORY = "GOLDSPLIT_TRAJECTORY"
    TRAJECTORY_STEPS = "GOLDSPLIT_TRAJECTORY_STEPS"
    """`33-64`: digests are kept at each of these steps, too."""
    GPU = "GOLDSPLIT_GPU"
    FIRST_PROCESS = "GOLDSPLIT_FIRST_PROCESS"
    """The process id of the run's first Python process; the others are its workers."""
    SCRIPT = "GOLDSPLIT_SCRIPT"
    """The names by which the script may be meant, for workers: their command lines do not have them."""
    TIMER_STACKS = "GOLDSPLIT_SIGNAL_STACKS"
    CORE = "GOLDSPLIT_CORE"
    DEBUG = "GOLDSPLIT_DEBUG"


class Header:
    """Keys of run.json."""

    FORMAT_VERSION = "format_version"  # of the run directory
    ID = "id"  # the directory's name
    NAME = "name"  # given, or the script's
    KIND = "kind"  # `record`, `attach` or `env`
    COMMAND = "command"  # a list of arguments
    FOLDER = "folder"
    """The folder that the command was started in."""
    STATUS = "status"  # `running` until the end
    EXIT_CODE = "exit_code"  # as the shell counts it
    STARTED = "started"  # Unix time
    START_NS = "start_ns"  # when it began
    END_NS = "end_ns"  # when it ended
    HOST = "host"  # the machine's name
    PYTHON = "python"  # goldsplit's own version of Python
    PACKAGES = "packages"  # name → version
    GIT = "git"  # `revision` and `changed`, or null
    SEED = "seed"  # of a `--seed` argument
    ENVIRONMENT = "environment"  # `cores`, `os`, and thread settings
    STAGES = "stages"  # what was mapped: target → stage
    NOTES = "notes"  # doubts, as text
    RECORDER = "recorder"  # its process id and start, so that a killed one is noticed
    TARGET_PID = "target_pid"  # of `attach`
    OVERLAYS = "overlays"  # as they were written
    OVERLAY_VARIABLES = "overlay_variables"
    """Environment variables that overlays have set: overlay → name → [value before or null, value]."""
    # of the environment
    CORES = "cores"  # that the run may use
    OS = "os"  # the operating system
    # of git
    REVISION = "revision"  # of the folder that it was started in
    CHANGED = "changed"  # whether files differ from it


class ProfileKey:
    """Keys of profile.json."""

    FILE = "file"  # the profile's name
    SETTINGS = "settings"  # that were put into the command: name → value
    VARIABLES = "variables"  # of the environment: name → value


class Summary:
    """Keys of summary.json."""

    OF = "of"  # `end_ns` of the run that was explained; null: its recorder was killed
    SPEED = "speed"  # progress per second, or null
    UNIT = "unit"  # what progress is counted in
    STAGE = "stage"  # the bottleneck's largest stage, or null
    SHARE = "share"  # its share of wall time, or null


class Line:
    """Kinds of lines in a process's file: the value of `Key.KIND`."""

    START = "start"  # the process began to record: `t`, `unix`, `pid`, `ppid`, `python`, `argv`, `span_ns`
    SNAPSHOT = "w"  # a snapshot; values are cumulative, and what did not change is left out
    RAW = "raw"  # all single spans of a short window: `t`, `end`, `spans`
    CODES = "codes"  # functions whose calls were spans without a frame: `file`, `codes`
    PIPE = "pipe"  # a pipe between processes: `a`, `b`
    MAPPED = "mapped"  # a `--stage` target was found: `target`
    UNMAPPED = "unmapped"  # it was not: `target`, `why`
    NOTE = "note"  # a doubt: `text`
    CALLED = "called"
    """What a process is, where its command line does not say: a worker that a server started."""
    STACKS = "stacks"  # of the main thread, taken by a timer where py-spy may not: see stacks
    DEEP = "deep"  # a window of the deep look ended: see below
    CHILD = "child"
    """A worker process that this one had started ended badly."""
    WATCHED = "watched"  # what the deep look knows of hot functions: see below
    DEVICE = "device"
    """Marks of a device's clock at borders of spans, in one short window."""
    KERNELS = "kernels"
    """What torch's profiler saw on a device in one short window."""
    DEVICE_INFO = "device_info"
    """A device and its settings; the last line of a device counts."""
    END = "end"  # the process ended by itself: `t`, `code`


class Key:
    """Keys of the lines in a process's file."""

    KIND = "k"  # the kind of the line
    TIME = "t"  # when it was written, or what it is about began
    END = "end"  # when that ended
    # start
    UNIX = "unix"  # Unix time
    PID = "pid"  # process id
    PARENT_PID = "ppid"  # of the process that started it
    PYTHON = "python"  # its version
    ARGV = "argv"  # its command line
    SPAN_NS = "span_ns"  # what a span costs here
    # snapshot
    NODES = "n"  # changed nodes: thread, node, count, total ns, CPU count, CPU ns, wall ns of these
    NEW_NODES = "d"  # new nodes: thread, node, parent, stage, detail
    COUNTERS = "c"  # changed counters, `thread:name`; with `h` all
    THREADS = "th"  # index, CPU ns, run delay ns; once with native id, name, start
    STEPS = "steps"  # instants of the first and last env step
    LOST = "lost"  # failed writes and dropped lines
    FAILED = "failed"  # where goldsplit's own code failed: place, error, how often
    HISTOGRAMS = "h"  # lengths of spans by node
    COSTS = "cost"  # the recorder's own cost
    # raw window
    RAW_SPANS = "spans"  # thread, end, packed spans
    RAW_SPANS_BASE85 = "threads"
    """Format 2."""
    # windows of a device's clock and of torch's profiler
    THREAD = "thread"  # the thread that recorded it
    DEVICE = "dev"  # which device
    MARKS = "marks"  # borders of spans on its clock
    WORK = "work"  # kernels and copies, packed
    CALLS = "calls"  # calls of the host, packed
    NAMES = "names"  # names that rows refer to
    LAUNCHES = "launches"  # how many launches
    SETTINGS = "device_settings"  # what torch was set to
    # code of functions whose calls are spans without a frame
    FILE = "file"  # a source file
    CODES = "codes"  # name, first line, last line, stage (none: no longer spans)
    # pipe
    NEAR = "a"  # one end
    FAR = "b"  # the other end
    # mapping, notes, the end
    TARGET = "target"  # as it was given
    WHY = "why"  # the reason
    TEXT = "text"  # what is said
    CODE = "code"  # exit code; negative: a signal


class Named:
    """Keys of a line in named.jsonl."""

    FILE = "file"  # a source file
    FUNCTIONS = "functions"
    """Rows of qualified name, first and last line, stage, reason, whether calls are steps, where the end is
    said."""
    DIGEST = "digest"
    """SHA-256 of the file as it was: a report shows only what the run knew, or what lies in the project."""


class Stacks:
    """Keys of stacks: of a line in stacks.jsonl, and of `Line.STACKS` as far as it has them."""

    START = "start"  # when it began
    END = "end"  # when it ended
    RATE = "rate"  # asked for, per second
    SAMPLES = "samples"  # how many
    FAILED = "failed"  # of them
    LATE = "late"  # of them
    CPU = "cpu"  # seconds that sampling cost
    STARTUP = "startup"  # whether it lies before the training loop
    BASE = "base"  # the numbers at which its new files, frames and stacks begin
    FILES = "files"  # paths
    FRAMES = "frames"  # function, file, line
    BRANCHES = "branches"  # stack below (-1: the empty one), frame
    STACKS = "stacks"  # pid, thread id, thread name, stack, count
    WAITS = "waits"  # a waiting stack, one that was busy at the same time, samples


class System:
    """Keys of a line in system.jsonl."""

    TIME = "t"  # when
    CPU = "cpu"  # percent of one core over all processes; of one process: seconds
    RSS = "rss"  # bytes
    PROCESSES = "processes"  # by process id
    GPU = "gpu"  # one for each device
    # of one process
    THREADS = "threads"  # how many
    FILES = "files"  # open files, pipes and sockets
    MAIN_THREAD = "main"  # of its main thread: seconds on a core, seconds ready without one
    NAME = "name"  # in its first line; of a device: always
    PARENT_PID = "ppid"  # in its first line
    COMMAND = "cmd"  # in its first line
    # of one device
    UTILISATION = "utilisation"  # percent
    MEMORY = "memory"  # bytes


#: What a burst of the deep look sees: every function of user code, or only single lines (in older runs some
#: chosen functions, too). Figures of both are kept apart, in this order.
ALL, CHOSEN = 0, 1
#: Which kind of beat ended a segment of the loop: an environment step or an update. Figures by kind are in
#: this order.
STEP, UPDATE = 0, 1

#: Histograms of spans: bucket b holds durations of about exp(b / 8) nanoseconds.
SPAN_BUCKETS_PER_E = 8


class Counter:
    """Names of counters. In a snapshot each has the index of its thread and a colon in front."""

    ENV_STEPS = "env_steps"  # steps of environments
    EPISODES = "episodes"  # episodes that ended
    UPDATES = "updates"  # updates of parameters
    OWN = "own_"
    """Steps that a process made itself (`own_env_steps`, `own_episodes`)."""
    VECTOR = "vec_"
    """Steps that a process made in a vector environment; its workers may count them again."""
    EVALUATION = "eval_"
    """In front of either: steps of an evaluation, which are not training."""
    OWN_ENV_STEPS = OWN + ENV_STEPS  # both together
    VECTOR_ENV_STEPS = VECTOR + ENV_STEPS  # both together
    RESETS = "resets"
    """Games that have begun, by calls of a function that begins one."""
    FIRST_RESETS = "first_resets"
    """Those before the first step: as many games are played beside each other, if it is more than one."""
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
    METRIC_COUNT = "metric_n:"  # `goldsplit.metric`: how often; the name follows
    METRIC_SUM = "metric_sum:"  # the sum of its values; the name follows
    TENSOR_READS = "tensor_reads:"  # reads of tensors; the function follows
    FACT_COUNT = "fact_n:"  # a fact beside time: how often; its name follows
    FACT_SUM = "fact_sum:"  # the sum of its values
    PROCESS_CPU_NS = "process_cpu_ns"  # of the whole process
    PROCESS_RSS_BYTES = "process_rss_bytes"  # of the whole process
    PROCESS_NATIVE_THREADS = "process_native_threads"  # of the whole process
    DEVICE_PEAK_BYTES = "device_peak_bytes"
    """The most memory that torch's allocator has held at once on the device in use."""


#: The stage of spans that only count calls (`[counters]` in goldsplit.toml): their time is that of the stage
#: around them.
COUNTED = "counted"
#: In a mapping, in place of a stage: count calls under the name that follows.
COUNT_CALLS = "count:"
#: In a mapping, in place of a stage: one call is one env step; the function keeps the stage that it has.
PROGRESS = "progress"
#: In a mapping, in place of a stage: this function has none.
UNSTAGED = "none"


class WaitDetail:
    """What the detail of a waiting span begins with: the other side of the wait follows."""

    THREAD = "t:"  # a thread
    PIPE = "pipe:"  # a pipe's end
    PROCESS = "pid:"  # a process
    SEMAPHORE = "sem:"  # a semaphore between processes
