"""Which calls are worth a line of the report, and what to read from each of them."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from goldsplit.model.deep_files.deep_wire import SiteKind
from goldsplit.record.inside.deep.builtin_text import TEXT_BUILTINS
from goldsplit.record.inside.deep.caches import kernels_of
from goldsplit.record.inside.deep.sites import NOTHING, Note, Reader, Sites, user_modules
from goldsplit.record.inside.deep.values import short
from goldsplit.record.inside.own_failures import harmless

_SIZED = (list, tuple, dict, set, frozenset, str, bytes, range)


def read_text(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> Note | None:
    """The text that is parsed or compiled; code that is compiled already is not counted."""
    text = args[0] if args else next(iter(kwargs.values()), None)
    if not isinstance(text, str | bytes):
        return None
    return (len(text), hash(text)), float(len(text)), short(text)


def read_array(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> Note | None:
    """How many bytes a new array holds, and its shape."""
    size = bytes_of(result)
    return NOTHING if size is None else (None, size, short(result))


def read_copied(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> Note | None:
    return (None, None, short(args[0])) if args else NOTHING


def read_nothing(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> Note | None:
    return NOTHING


def read_population(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> Note | None:
    """How many there are to choose from."""
    population = args[0] if args else next(iter(kwargs.values()), None)
    weighted = "p" in kwargs or "weights" in kwargs
    return None, size_of(population), "weighted" if weighted else short(population)


def read_drawn(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> Note | None:
    """The same for a method: the generator comes first."""
    return read_population(args[1:], kwargs, result)


def read_converted(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> Note | None:
    """Elements before, and the shapes before and after."""
    given = args[0] if args else None
    return None, size_of(given), f"{short(given)} to {short(result)}"


def size_of(value: Any) -> float | None:
    """How many elements a value has, without calling user code."""
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value)  # numpy.random.choice(100)
    if type(value) in _SIZED or type(value).__module__ == "collections":
        return float(len(value))
    if type(value).__module__ == "numpy":
        return float(value.size)
    return float(value.numel()) if type(value).__module__ == "torch" else None


def bytes_of(value: Any) -> float | None:
    """How many bytes an array or tensor holds."""
    module = type(value).__module__
    if module == "numpy":
        return float(value.nbytes)
    if module == "torch" and hasattr(value, "element_size"):
        return float(value.numel() * value.element_size())
    return None


class Kernel:
    """Stands in for a compiled function, which has attributes beside being called."""

    def __init__(self, sites: Sites, real: Any) -> None:
        self.goldsplit_real = real
        self.goldsplit_call = sites.stand_in(SiteKind.KERNEL, real.__name__, real, read_kernel, frames_up=2)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.goldsplit_call(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.goldsplit_real, name)


def read_kernel(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> Note | None:
    """Elements of all its arrays together."""
    sizes = [float(value.size) for value in args if type(value).__module__ == "numpy"]
    return None, sum(sizes) if sizes else float(len(args)), ""


_NUMPY_NEW = [
    "zeros",
    "ones",
    "empty",
    "full",
    "array",
    "concatenate",
    "stack",
    "vstack",
    "hstack",
    "zeros_like",
    "ones_like",
    "empty_like",
    "full_like",
    "arange",
    "linspace",
    "eye",
    "tile",
    "repeat",
    "copy",
    "pad",
]
_LOGGING = ["debug", "info", "warning", "error", "critical", "log"]
_DRAWING = ["sample", "choice", "choices", "shuffle"]

#: kind, module, class or "" , names, what to read
_TABLE: tuple[tuple[str, str, str, list[str], Reader], ...] = (
    (SiteKind.TEXT, "re", "", ["compile"], read_text),
    (SiteKind.TEXT, "json", "", ["loads"], read_text),
    (SiteKind.TEXT, "ast", "", ["literal_eval", "parse"], read_text),
    (SiteKind.ALLOCATION, "numpy", "", _NUMPY_NEW, read_array),
    (SiteKind.DEEPCOPY, "copy", "", ["deepcopy"], read_copied),
    (SiteKind.OUTPUT, "builtins", "", ["print"], read_nothing),
    (SiteKind.OUTPUT, "logging", "Logger", _LOGGING, read_nothing),
    (SiteKind.OUTPUT, "logging", "", _LOGGING, read_nothing),
    (SiteKind.SAMPLING, "random", "", _DRAWING, read_population),
    (SiteKind.SAMPLING, "random", "Random", _DRAWING, read_drawn),
    (SiteKind.SAMPLING, "numpy.random", "", ["choice", "permutation", "shuffle"], read_population),
    (SiteKind.CONVERSION, "torch", "", ["from_numpy"], read_converted),
    (SiteKind.CONVERSION, "cv2", "", ["resize", "cvtColor"], read_converted),
)


_COMPILERS = (
    ("numba.core.dispatcher", "Dispatcher", "compile"),
    ("torch._dynamo.convert_frame", "", "_compile"),
    ("torch.jit._recursive", "", "make_stub"),
)


def replace_all(sites: Sites) -> None:
    """Put a stand-in for everything in the table whose module is loaded, and for its aliases."""
    for kind, module_name, class_name, names, read in _TABLE:
        module = sys.modules.get(module_name)
        owner = getattr(module, class_name, None) if class_name else module
        if owner is None:
            continue
        for name in names:
            real = vars(owner).get(name)
            if callable(real) and not isinstance(real, type):
                callee = f"{class_name or module_name}.{name}".removeprefix("builtins.")
                stand_in = sites.known(real) or sites.stand_in(kind, callee, real, read)
                sites.replace(owner, name, stand_in)
    builtins = sys.modules["builtins"]
    for name, make in TEXT_BUILTINS.items():
        real = vars(builtins)[name]
        sites.replace(builtins, name, sites.known(real) or sites.keep(real, make(sites, real, read_text)))
    modules = user_modules()
    sites.replace_aliases(modules)
    for module, name, kernel in kernels_of(modules):
        sites.replace(module, name, sites.known(kernel) or sites.keep(kernel, Kernel(sites, kernel)))


def restore_before_compiling(sites: Sites, restore: Callable[[], None]) -> None:
    """A compiler reads the program's functions and globals: it must find them as they are."""
    for module_name, class_name, name in _COMPILERS:
        module = sys.modules.get(module_name)
        owner = getattr(module, class_name, None) if class_name else module
        real = vars(owner).get(name) if owner is not None else None
        if real is not None:
            sites.replace(owner, name, _restoring(real, restore))


def _restoring(real: Any, restore: Callable[[], None]) -> Any:
    @functools.wraps(real)
    def goldsplit_compile(*args: Any, **kwargs: Any) -> Any:
        with harmless("making way for a compiler"):
            restore()
        return real(*args, **kwargs)

    return goldsplit_compile
