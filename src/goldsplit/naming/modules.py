"""Which of the files that were read does an import mean?"""

from __future__ import annotations

from pathlib import Path

from goldsplit.naming.reading.code_facts import MODULE, SourceFile

#: A name is followed through at most this many files that only import it from another one.
_FARTHEST = 4


class Modules:
    """The files of a program by the names that others import them by."""

    def __init__(self, files: list[SourceFile]) -> None:
        self._imports = {file.file: file.imports for file in files}
        self._names: dict[str, set[str]] = {}
        self._by_last: dict[str, list[str]] = {}
        self._found: dict[tuple[str, str], str | None] = {}
        for file in files:
            self._by_last.setdefault(_parts(file.file)[-1], []).append(file.file)
            functions = {one.name for one in file.functions if not one.owner and one.qualname != MODULE}
            self._names[file.file] = functions | {kind.name for kind in file.classes}

    def file(self, module: str, importer: str) -> str | None:
        """The file of a module, as it is imported by another file; None: it was not read."""
        if (module, importer) not in self._found:
            self._found[module, importer] = self._find(module, importer)
        return self._found[module, importer]

    def _find(self, module: str, importer: str) -> str | None:
        bare = module.lstrip(".")
        level = len(module) - len(bare)
        wanted = tuple(part for part in bare.split(".") if part)
        if level:
            parents = Path(importer).parents
            wanted = (*_folder(parents[level - 1]), *wanted) if level <= len(parents) else ()
        if not wanted:
            return None
        named = self._by_last.get(wanted[-1], ())
        fitting = [one for one in named if _parts(one)[0 if level else -len(wanted) :] == wanted]
        return max(fitting, key=lambda one: _shared(one, importer), default=None)

    def origin(self, file: str, name: str) -> tuple[str, str] | None:
        """Where a name that a file uses is defined (file, name there): in it, or where it imports it from,
        also through a package's `__init__`."""
        for _ in range(_FARTHEST):
            if name in self._names.get(file, ()):
                return file, name
            module, original = self._imports.get(file, {}).get(name, ("", ""))
            found = self.file(module, file) if original else None
            if found is None:
                return None
            file, name = found, original
        return None

    def module_named(self, file: str, name: str) -> str | None:
        """The file of a module that a file uses under this name (`import game`, `from my import game`)."""
        imported = self._imports.get(file, {}).get(name)
        if imported is None:
            return None
        module, original = imported
        joined = f"{module}{original}" if module.endswith(".") else f"{module}.{original}"
        return self.file(joined if original else module, file)


def _parts(file: str) -> tuple[str, ...]:
    path = Path(file)
    return _folder(path.parent) if path.stem == "__init__" else (*_folder(path.parent), path.stem)


def _folder(path: Path) -> tuple[str, ...]:
    return path.parts[1:] if path.is_absolute() else path.parts


def _shared(file: str, other: str) -> int:
    """How many folders two files have in common: of two files that fit, the nearer one is meant."""
    count = 0
    for one, two in zip(Path(file).parts[:-1], Path(other).parts[:-1], strict=False):
        if one != two:
            break
        count += 1
    return count
