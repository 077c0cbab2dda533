"""TARGET → something that makes the environment: a Gymnasium id, `module:Factory` or `file.py:Factory`."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

from goldsplit.record.drive.problem import DriveError, told_at, users_traceback

_VERSIONED = re.compile(r"-v\d+$")
#: What making an environment may raise; a factory that calls sys.exit has failed like any other.
FAILURES = (Exception, SystemExit)

Maker = Callable[[], Any]


def find(target: str, arguments: dict[str, Any]) -> Maker:
    """A function that makes a new environment each time it is called."""
    left, colon, right = target.rpartition(":")
    if not colon:
        if target.endswith(".py"):
            module = load_file(Path(target))
            raise DriveError(f"{target} names a file, not an environment", _choices(module, "", target))
        return gymnasium_maker("", target, arguments)
    if left.endswith(".py"):
        return factory_maker(load_file(Path(left)), right, arguments)
    if _VERSIONED.search(right) or "/" in right:
        return gymnasium_maker(left, right, arguments)
    return factory_maker(import_by_name(left), right, arguments)


def make(maker: Maker, target: str) -> Any:
    """Make one environment, and check that it is one."""
    try:
        env = maker()
        if not hasattr(env, "step") and callable(env):  # a factory of factories, as vector environments take
            env = env()
    except DriveError:
        raise
    except FAILURES as error:
        raise DriveError(
            f"making {target} failed: {told_at(error)}",
            "give its arguments with --kwargs '{\"name\": value}', or name a factory that needs none",
            users_traceback(error),
        ) from error
    missing = [name for name in ("reset", "step") if not callable(getattr(env, name, None))]
    if missing:
        lacks = " and no ".join(missing)
        raise DriveError(
            f"{target} makes a {type(env).__name__}, which has no {lacks} method",
            "an environment has reset() and step(action); name the class or the function that makes it",
        )
    return env


def gymnasium_maker(module: str, name: str, arguments: dict[str, Any]) -> Maker:
    """From Gymnasium's registry; `module` is imported first, so that it can register its environments."""
    try:
        import gymnasium
    except ImportError as error:
        raise DriveError(
            f"{name} looks like a Gymnasium id, but gymnasium is not installed",
            "name the environment's class or factory instead: package.module:Factory",
        ) from error
    if module:
        import_by_name(module)

    def make_registered() -> Any:
        try:
            return gymnasium.make(name, **arguments)
        except gymnasium.error.UnregisteredEnv as error:
            raise DriveError(
                f"no Gymnasium environment {name!r}", _closest_id(name, gymnasium.registry)
            ) from error

    return make_registered


def _closest_id(name: str, registered: Iterable[str]) -> str:
    known = {known_id.lower(): known_id for known_id in registered}
    close = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.5)
    if name.startswith("ALE/"):
        return f"Atari games are in the package ale-py; with it installed: goldsplit env ale_py:{name}"
    if close:
        return f"did you mean {known[close[0]]}?"
    if "." in name:
        module, _, factory = name.rpartition(".")
        return f"for a class or function of your own write {module}:{factory}"
    return (
        f"an id that a package registers is written package:{name}; a class or function of your own, "
        "package.module:Factory"
    )


def factory_maker(module: ModuleType, name: str, arguments: dict[str, Any]) -> Maker:
    """From a class or function of a module; a ready environment is taken as it is."""
    found: Any = module
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise DriveError(f"{module.__name__} has no {name!r}", _choices(module, name)) from None
    if callable(found):
        return lambda: found(**arguments)
    if hasattr(found, "step"):
        return lambda: found
    raise DriveError(
        f"{module.__name__}:{name} is a {type(found).__name__}, not a class or function", _choices(module)
    )


def _choices(module: ModuleType, name: str = "", left: str = "") -> str:
    """The closest name in a module, or what in it looks like an environment."""
    close = difflib.get_close_matches(name, vars(module), n=1, cutoff=0.6) if name else []
    if close:
        return f"did you mean {close[0]}?"
    environments = [
        key
        for key, value in vars(module).items()
        if isinstance(value, type)
        and value.__module__ == module.__name__
        and hasattr(value, "step")
        and hasattr(value, "reset")
    ]
    if environments:
        return "it has " + ", ".join(f"{left or module.__name__}:{key}" for key in environments[:4])
    return "name a class or function that makes the environment: package.module:Factory"


def import_by_name(name: str) -> ModuleType:
    """Import a module, the working directory first."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and (name == error.name or name.startswith(error.name + ".")):
            raise DriveError(
                f"there is no module {error.name!r}",
                "run in the project's folder (modules are looked for there, and among what is installed), "
                "or name the file: path/to/game.py:Factory",
            ) from error
        raise _cannot_import(name, error) from error
    except FAILURES as error:
        raise _cannot_import(name, error) from error


def load_file(path: Path) -> ModuleType:
    """Run a file as a module; what lies beside it can be imported, as if it were a script."""
    if not path.is_file():
        raise DriveError(f"there is no file {path}", "the path is relative to the working directory")
    sys.path.insert(0, str(path.resolve().parent))
    name = path.stem if path.stem not in sys.modules else f"target_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path.resolve())
    if spec is None or spec.loader is None:
        raise DriveError(f"{path} is not a Python file", "name a .py file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except FAILURES as error:
        raise _cannot_import(str(path), error) from error
    return module


def _cannot_import(what: str, error: BaseException) -> DriveError:
    hint = "it does not import without goldsplit either; fix that first"
    if "relative import" in str(error):
        hint = "it is part of a package: run in the folder above and write package.module:Factory"
    elif isinstance(error, ModuleNotFoundError):
        hint = f"install {error.name}, or run in the folder that it lies in"
    return DriveError(f"cannot import {what}: {told_at(error)}", hint)
