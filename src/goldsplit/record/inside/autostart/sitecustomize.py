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


try:
    _start()
except Exception as error:  # a recorder that cannot start must not stop the training
    if os.environ.get("GOLDSPLIT_DEBUG"):
        print(f"goldsplit: this process is not recorded: {error!r}", file=sys.stderr)
_run_users_own()
