"""Put first on PYTHONPATH by `goldsplit record`, so that every Python process of the run records itself.

Whatever goes wrong here, the user's program runs as it would have; the user's own sitecustomize runs after
this one. Names of variables and files are spelled here, because goldsplit cannot be imported yet: they are
those of `model/wire.py`.
"""

import os
import sys


def _start() -> None:
    run_dir = os.environ.get("GOLDSPLIT_RUN_DIR")
    if not run_dir:
        return
    if sys.version_info < (3, 11):  # noqa: UP036 - this file meets whatever interpreter the run uses
        version = sys.version.split()[0]
        with open(os.path.join(run_dir, "too-old.txt"), "a") as note:  # noqa: PTH118, PTH123
            note.write("python " + version + " is too old: goldsplit records 3.11 and later\n")
        return
    try:
        import goldsplit.record.inside.start as start
    except ImportError:
        # goldsplit is installed for another interpreter than the run's: load it from its place.
        import importlib.util

        package = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))  # noqa: PTH100, PTH118, PTH120
        spec = importlib.util.spec_from_file_location(
            "goldsplit",
            os.path.join(package, "__init__.py"),  # noqa: PTH118
            submodule_search_locations=[package],
        )
        if spec is None or spec.loader is None:
            return
        module = importlib.util.module_from_spec(spec)
        sys.modules["goldsplit"] = module
        spec.loader.exec_module(module)
        import goldsplit.record.inside.start as start
    start.start_from_environment(run_dir)


def _module_in(folder: str, entry: str) -> str:
    """The module that an entry of a folder is; "": it is none (`json/` with data in it hides no module)."""
    name, _, ending = entry.partition(".")
    if ending:
        return name if ending == "py" or ending.endswith("so") else ""
    is_package = os.path.isfile(os.path.join(folder, entry, "__init__.py"))  # noqa: PTH113, PTH118
    return name if is_package else ""


def _make_way(known: "set[str]") -> None:
    """Forget what only the recorder has imported so far, where a module of the program has the same name:
    then the program imports its own, as it would have."""
    script = sys.argv[0]
    if getattr(sys.flags, "safe_path", False):
        return
    folder = os.path.dirname(os.path.realpath(script)) if os.path.isfile(script) else script  # noqa: PTH113, PTH120
    folder = "." if folder in ("-c", "-m", "") else folder
    entries = os.listdir(folder)  # noqa: PTH208
    own = {_module_in(folder, entry) for entry in entries} - {"", "goldsplit", "sitecustomize"}
    for name in set(sys.modules) - known:
        if name.partition(".")[0] in own:
            del sys.modules[name]


def _run_users_own() -> None:
    here = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != here]  # noqa: PTH100
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    spec = PathFinder.find_spec("sitecustomize", sys.path)
    if spec is not None and spec.loader is not None:
        module = module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


known = set(sys.modules)
try:
    _start()
    _make_way(known)
except Exception as error:  # a recorder that cannot start must not stop the training
    if os.environ.get("GOLDSPLIT_DEBUG"):
        print(f"goldsplit: this process is not recorded: {error!r}", file=sys.stderr)
_run_users_own()
