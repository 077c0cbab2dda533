"""The one part of the package that is compiled; everything else is in pyproject.toml.

Without a compiler or Python's headers the package installs all the same, and records with the core in Python.
"""

from pathlib import Path

from setuptools import Extension, setup

CORE = Path("src/goldsplit/record/inside/core")

setup(
    ext_modules=[
        Extension(
            "goldsplit.record.inside.core._native",
            sources=sorted(map(str, CORE.rglob("*.c"))),
            include_dirs=[str(CORE)],
            depends=[str(CORE / "native.h")],
            optional=True,
        )
    ]
)
