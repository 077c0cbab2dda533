"""The house in order: rooms that are not crowded, names that mean one thing, vocabularies written once."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import goldsplit
from goldsplit.model import fact_wire, stage, wire
from goldsplit.model.deep_files import deep_wire
from goldsplit.model.env_alone import drive_wire

ROOT = Path(goldsplit.__file__).parent
REPOSITORY = Path(__file__).parents[2]
MODULES = sorted(file for file in ROOT.rglob("*.py") if "__pycache__" not in file.parts)
MOST_MODULES = 22

#: Module names that several rooms have, and the one thing that each of them means everywhere.
SHARED_NAMES = {
    "__init__": "a package",
    "__main__": "a program",
    "act_or_learn": "whether a forward pass acts or learns, in C and in Python",
    "attach": "the command",
    "batch": "many rows at once: of a replay memory, of a game's twin",
    "caches": "the user's caches, as the deep look sees them: recorded, put together",
    "call_wrappers": "callables in the place of methods, in C and in Python",
    "counting": "counting steps and updates, in C and in Python",
    "deep": "the deep look",
    "detail": "what the HTML page and the exports show beyond the report: its data, its making",
    "device_rows": "rows that lie on or come from a device: of a replay memory, of a run file",
    "drift": "whether a run slows down",
    "env_look": "what `goldsplit env` says: its data, its making",
    "errors": "exceptions",
    "fast": "a game's fast twin",
    "facts": "facts: recorded, put together",
    "horizon": "the question how long another run would take: its data, its answer, its command",
    "ledger": "predicted and measured gains: their data, their making, the command",
    "measuring": "what the benchmark of a game's twins calls",
    "networks": "neural networks: hooked in programs, made for the trainers",
    "options": "options: of commands, of trainers",
    "packing": "single spans as bytes, in C and in Python",
    "plain": "a game's plain twin",
    "plan": "the plan: its data, its page, its command",
    "processes": "worker processes of the program",
    "profile": "the profile: its data, its making",
    "progress": "how far something has come: a run's unit of it, a training's bar",
    "report": "the report: its data, its command",
    "sb3": "the adapter to Stable-Baselines3",
    "segments": "coroutines driven segment by segment, in C and in Python",
    "side_by_side": "two recordings compared: the data, its making",
    "sites": "lines of user code that the deep look sees: recorded, put together",
    "spans": "opening and closing spans, in C and in Python",
    "sweep": "one command at several settings: its data, its command",
    "structure": "who waits for whom: its data, its making",
    "throughput": "rates",
    "trajectory": "what environments returned, as hashes: in a training, in an environment alone",
    "waiting": "waits: hooked, and made into spans in C and in Python",
    "whatif": "the what-if question: its data, its answer, its command",
}


def test_no_room_is_crowded() -> None:
    rooms: dict[Path, int] = defaultdict(int)
    for file in [*MODULES, *ROOT.rglob("*.c")]:
        rooms[file.parent] += 1
    crowded = {str(room.relative_to(ROOT)): n for room, n in rooms.items() if n > MOST_MODULES}
    assert set(crowded) <= {"diagnose/rules"}, crowded


def test_a_module_name_means_one_thing() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for file in MODULES:
        places[file.stem].append(str(file.relative_to(ROOT)))
    shared = {name: files for name, files in places.items() if len(files) > 1}
    unexplained = {name: files for name, files in shared.items() if name not in SHARED_NAMES}
    assert not unexplained, "rename one of them, or say in SHARED_NAMES what both mean"


def test_the_tests_mirror_the_source() -> None:
    unit = REPOSITORY / "tests" / "unit"
    rooms = {file.parent.relative_to(unit) for file in unit.rglob("test_*.py")}
    beside = {Path("benchmarks"), Path("tools")}
    assert [str(room) for room in sorted(rooms - beside) if not (ROOT / room).is_dir()] == []


def strings(file: Path) -> Iterator[ast.Constant]:
    """The texts of a module's code: neither docstrings nor parts of longer texts."""
    tree = ast.parse(file.read_text())
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    said |= {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            yield node


#: Stage names that are common words, too, and where they are spelt as such.
COMMON_WORDS = {
    "act": (),
    "checkpoint": (),
    "driver": ("model/profile.py", "report", "analyse", "diagnose"),  # the role
    "eval": (
        "record/inside/deep",
        "record/inside/overlays/compiled_text.py",
        "diagnose/rules/recompiled_text.py",
    ),  # Python's function
    "log": ("record/inside/deep/site_table.py",),  # a method of loggers
    "rollout": (),
    "startup": ("model/wire.py",),  # a key
    "transfer": (),
    "wait": ("model", "report", "cli/live", "record/inside/hooks/waiting.py"),  # a method, a column
}


def names_of_methods(file: Path) -> set[tuple[int, int]]:
    """Where a module names methods of libraries: keys of hooks' dictionaries, the second part of a rule."""
    nodes = list(ast.walk(ast.parse(file.read_text())))
    found: list[ast.expr | None] = []
    if file.parent.name == "hooks":
        found = [key for node in nodes if isinstance(node, ast.Dict) for key in node.keys]
    elif file.name == "frame_stages.py":
        found = [node.elts[1] for node in nodes if isinstance(node, ast.Tuple) and len(node.elts) == 3]
    return {(node.lineno, node.col_offset) for node in found if node is not None}


def test_every_hook_is_installed() -> None:
    hooks = ROOT / "record" / "inside" / "hooks"
    listed = re.findall(r"in \((.*?)\)|_WITHOUT_STAGES = \((.*?)\)", (hooks / "__init__.py").read_text())
    installed = set(re.findall(r"\w+", str(listed)))
    made = [file.stem for file in hooks.glob("*.py") if "\ndef install(" in file.read_text()]
    assert [name for name in made if name != "__init__" and name not in installed] == []


def test_stage_names_are_written_once() -> None:
    names = {known.name for known in stage.VOCABULARY}
    assert set(COMMON_WORDS) == {name for name in names if "." not in name}
    spelt = []
    for file in MODULES:
        place = file.relative_to(ROOT).as_posix()
        if place == "model/stage.py" or place.startswith("fast/"):
            continue
        methods = names_of_methods(file)
        for node in strings(file):
            allowed = COMMON_WORDS.get(node.value, ())
            if (node.lineno, node.col_offset) in methods:
                continue
            if node.value in names and not place.startswith(allowed or ("-",)):
                spelt.append(f"{place}:{node.lineno} {node.value}")
    spelt += [
        f"{file.name}: {name}"
        for file in ROOT.rglob("*.c")
        for name in names
        if f'"{name}"' in file.read_text()
    ]
    assert spelt == [], "use the constants of model/stage.py"


WIRE = ("model/wire.py", "model/fact_wire.py", "model/deep_files/deep_wire.py")
#: Vocabularies of wire.py whose texts are unmistakable wherever they stand.
UNMISTAKABLE = (wire.File, wire.Variable, wire.Counter, fact_wire.FactKind)
#: Vocabularies of keys: common words, which count where something is asked or made by them.
KEYS = (wire.Header, wire.Key, wire.Stacks, wire.System, deep_wire.Deep, drive_wire.DriveKey)
#: Rooms that write or read run files.
WIRED = ("record/", "store/", "analyse/", "cli/live/", "api.py", "pipeline.py")
#: Keys of other dictionaries that happen to be the same words.
OTHERS_KEYS: dict[str, set[str]] = {
    "analyse/counts/curve.py": {"updates", "episodes"},  # names of counts
    "analyse/predict/drift.py": {"stage", "memory", "processes"},  # of the report JSON
    "analyse/predict/horizon.py": {"episodes"},  # units
    "analyse/predict/whatif.py": {"cores"},  # of an answer
    "analyse/profile.py": {"name", "utilisation"},  # of the report JSON
    "record/drive/driven_env.py": {"seed"},  # an argument of `reset`
    "record/inside/deep/torch_sites.py": {"frames"},  # of torch's compiler
    "record/outside/hot_functions.py": {"frames", "file", "name"},  # of py-spy's output
    "record/inside/overlays/quiet.py": {"file"},  # an argument of `print`
    "record/outside/machine_checks.py": {"samples"},  # of py-spy's output
    "record/outside/py_spy.py": {"frames", "file", "name"},  # of py-spy's output
    "store/experiment_files.py": {"command", "name", "overlays"},  # of a plan
    "record/outside/stack_folding.py": {"frames", "file", "name", "samples"},  # of py-spy's output
}
#: Names of counters that are also units and fields of the report.
UNITS = {wire.Counter.ENV_STEPS}


def values(vocabulary: type) -> set[str]:
    return {value for name, value in vars(vocabulary).items() if name.isupper()}


def keys_in(file: Path) -> Iterator[ast.Constant]:
    """Texts that something is asked by, or that a dictionary is made with."""
    for node in ast.walk(ast.parse(file.read_text())):
        found: list[ast.expr | None] = []
        if isinstance(node, ast.Subscript):
            found = [node.slice]
        elif isinstance(node, ast.Dict):
            found = list(node.keys)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
            found = list(node.args[:1])
        for key in found:
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                yield key


def wired_modules() -> list[tuple[str, Path]]:
    named = [(file.relative_to(ROOT).as_posix(), file) for file in MODULES]
    return [(place, file) for place, file in named if place.startswith(WIRED)]


def test_wire_keys_are_written_once() -> None:
    keys = set().union(*map(values, KEYS))
    spelt = [
        f"{place}:{key.lineno} {key.value}"
        for place, file in wired_modules()
        for key in keys_in(file)
        if key.value in keys and key.value not in OTHERS_KEYS.get(place, set())
    ]
    assert spelt == [], "use the names of model/wire.py"


def test_files_counters_and_facts_are_named_once() -> None:
    names = set().union(*map(values, UNMISTAKABLE))
    distinct = {name for name in names - UNITS if re.search(r"[_:.-]", name)}
    spelt = [
        f"{place}:{node.lineno} {node.value}"
        for file in MODULES
        if (place := file.relative_to(ROOT).as_posix()) not in (*WIRE, AUTOSTART)
        for node in strings(file)
        if node.value in distinct and not place.startswith("fast/")
    ]
    assert spelt == [], "use the names of model/wire.py"


#: It meets whatever interpreter the run uses, before anything of ours can be imported.
AUTOSTART = "record/inside/autostart/sitecustomize.py"


#: Words that a reader who learnt English at school has to look up, and what to write instead.
BOOKISH = {
    "dear": "expensive",
    "dearer": "more expensive",
    "dearest": "most expensive",
    "mend": "fix",
    "mended": "fixed",
    "mending": "fixing",
    "mends": "fixes",
    "buys": "saves",
    "reckon": "calculate",
    "reckoned": "calculated",
    "thereof": "of it",
}
WRITTEN = ("*.py", "*.md", "*.c", "*.h", "*.toml", "*.j2", "*.txt")


@pytest.mark.parametrize("folder", ["src", "docs", "tests", "benchmarks", "examples"])
def test_the_words_are_plain(folder: str) -> None:
    bookish = re.compile(r"\b(" + "|".join(BOOKISH) + r")\b", re.IGNORECASE)
    found = []
    for pattern in WRITTEN:
        for file in sorted((REPOSITORY / folder).rglob(pattern)):
            if file == Path(__file__) or ".egg-info" in str(file):
                continue
            for number, line in enumerate(file.read_text(errors="replace").splitlines(), 1):
                found += [
                    f"{file.relative_to(REPOSITORY)}:{number} {word} → {BOOKISH[word.lower()]}"
                    for word in bookish.findall(line)
                ]
    assert found == []
