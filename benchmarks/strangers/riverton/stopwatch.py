"""Decorator and context manager for measuring where the time goes. Nested measurements are subtracted from the outer one."""
import functools
import time
from contextlib import contextmanager

seconds_by_stage = {}
_inner_seconds = [0.0]
_silenced = 0


def _record(stage, started):
    elapsed = time.perf_counter() - started
    inner = _inner_seconds.pop()
    _inner_seconds[-1] += elapsed
    seconds_by_stage[stage] = seconds_by_stage.get(stage, 0.0) + elapsed - inner


def measured(stage):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            if _silenced:
                return function(*args, **kwargs)
            _inner_seconds.append(0.0)
            started = time.perf_counter()
            try:
                return function(*args, **kwargs)
            finally:
                _record(stage, started)
        return wrapper
    return decorate


@contextmanager
def measuring(stage, silence_inner=False):
    global _silenced
    _inner_seconds.append(0.0)
    started = time.perf_counter()
    if silence_inner:
        _silenced += 1
    try:
        yield
    finally:
        if silence_inner:
            _silenced -= 1
        _record(stage, started)
