"""Text that `eval`, `exec`, `compile` or `re.compile` gets again and again is compiled once.

## What it changes

The code object of each text is kept, by text, mode, file name and flags. A later `eval`, `exec` or
`compile` of equal text uses it. Names are looked up at each call as before, so the text may mean another
value each time. `re` keeps its last 512 patterns itself; with this overlay none is forgotten.

## When it helps

Expressions in a configuration that are evaluated in each step. The rule
[recompiled-text](../rules/recompiled-text.md) names the line.

## Verified

The first 20 kept code objects and then about one in 20 (`verify=N`: one in N) are compiled again. If one
differs, the run is stopped with exit code 4.

## For good

Compile the texts once, where they are read: `code = compile(text, "<config>", "eval")`, then `eval(code,
...)`; or write them as functions.

## When not

Text that is new each time gains nothing: at most 20,000 code objects are kept.
"""

# No `from __future__` import here: what is compiled below would inherit it.
import builtins
import functools
import sys
from types import CodeType, ModuleType
from typing import Any

from goldsplit.model.overlays.overlay import VERIFIED_CODE
from goldsplit.model.overlays.written import options_of
from goldsplit.record.inside.after_import import when_imported
from goldsplit.record.inside.deep.builtin_text import FUTURES, with_futures, with_variables
from goldsplit.record.inside.overlays import verification
from goldsplit.record.inside.overlays.changes import Changes
from goldsplit.record.inside.overlays.verification import Share
from goldsplit.record.inside.own_failures import count_failure

MOST_TEXTS = 20_000
_ONLY_A_TREE = 0x400
"""The flag with which compile gives a syntax tree, which the program may change."""
_DEBUG_PATTERN = 128
_PARAMETERS = ("source", "filename", "mode", "flags", "dont_inherit", "optimize")

SPARED, VERIFIED = "texts not compiled again", VERIFIED_CODE


def install(changes: Changes, argument: str) -> None:
    """Take the places of the builtins."""
    _, options = options_of(argument)
    kept = KeptCode(changes, options.get("verify", verification.ONE_IN), builtins.compile)
    builtins.eval = _standing_in(builtins.eval, "eval", kept)
    builtins.exec = _standing_in(builtins.exec, "exec", kept)
    builtins.compile = _compiling(builtins.compile, kept)
    when_imported("re", functools.partial(_keep_patterns, changes))


class KeptCode:
    """Code objects by text."""

    def __init__(self, changes: Changes, one_in: int, real: Any) -> None:
        self.changes = changes
        self.share = Share(one_in)
        self.real = real
        self.codes: dict[Any, CodeType] = {}

    def code(self, text: str, file: Any, mode: Any, flags: int = 0, optimize: int = -1) -> Any:
        """The code object of a text; None where the real function must see the text itself: it is wrong, or
        the overlay has failed."""
        try:
            key = (text, file, mode, flags, optimize)
            found = self.codes.get(key)
            if found is None:
                found = self.real(text, file, mode, flags, True, optimize)
                if type(found) is CodeType and len(self.codes) < MOST_TEXTS:
                    self.codes[key] = found
                return found
            if self.share.takes():
                self.changes.see(VERIFIED)
                again = self.real(text, file, mode, flags, True, optimize)
                if again != found:
                    name = self.changes.text
                    verification.stop_the_run(verification.differs(name, mode, text, found, again))
            else:
                self.changes.count(SPARED)
            return found
        except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError, OverflowError):
            return None
        except Exception as error:
            if not count_failure(self.code, error):
                raise
            return None


def _standing_in(real: Any, mode: str, kept: KeptCode) -> Any:
    """eval or exec that gets kept code in the place of text."""

    @functools.wraps(real)
    def goldsplit_text(*args: Any, **kwargs: Any) -> Any:
        frame = sys._getframe(1)
        arguments, named = with_variables(frame, args, kwargs)
        if arguments and type(arguments[0]) is str:
            text = arguments[0].lstrip(" \t") if mode == "eval" else arguments[0]
            code = kept.code(text, "<string>", mode, frame.f_code.co_flags & FUTURES)
            if code is not None:
                arguments = (code, *arguments[1:])
        return real(*arguments, **named)

    return goldsplit_text


def _compiling(real: Any, kept: KeptCode) -> Any:
    """compile that gives kept code."""

    @functools.wraps(real)
    def goldsplit_compile(*args: Any, **kwargs: Any) -> Any:
        arguments, named = with_futures(sys._getframe(1), args, kwargs)
        wanted = dict(zip(_PARAMETERS, arguments, strict=False))
        wanted |= named
        flags = wanted.get("flags", 0)
        usual = len(wanted) == len(arguments) + len(named) and "_feature_version" not in wanted
        if (
            usual
            and type(wanted.get("source")) is str
            and {"filename", "mode"} <= set(wanted)
            and type(flags) is int
            and not flags & _ONLY_A_TREE
            and type(wanted["filename"]) is str
        ):
            found = kept.code(
                wanted["source"], wanted["filename"], wanted["mode"], flags, wanted.get("optimize", -1)
            )
            if found is not None:
                return found
        return real(*arguments, **named)

    return goldsplit_compile


def _keep_patterns(changes: Changes, module: ModuleType) -> None:
    """`re` empties its cache of patterns from time to time; ours stays."""
    real, cache = module._compile, module._cache
    kept: dict[Any, Any] = {}

    @functools.wraps(real)
    def goldsplit_compile(pattern: Any, flags: Any) -> Any:
        if type(pattern) is not str:
            return real(pattern, flags)
        key = (pattern, int(flags))
        if (str, *key) not in cache and key in kept:
            changes.count("patterns not compiled again")
            return kept[key]
        compiled = real(pattern, flags)
        if len(kept) < MOST_TEXTS and not key[1] & _DEBUG_PATTERN:
            kept[key] = compiled
        return compiled

    module._compile = goldsplit_compile  # type: ignore[attr-defined]
