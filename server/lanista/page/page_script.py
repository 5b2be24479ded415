"""The page's modules as one script: a browser asks for it once, not for each of seventy files.

Each module becomes a function that is called once, after those of the modules that it imports. Only
the few forms of imports and exports that the page uses are known; any other is an error.
"""

import graphlib
import re
from pathlib import Path

import attrs

PAGE = Path(__file__).with_name("browser")
"""The folder of the page's files."""
MAIN = "main.js"
"""The module that imports all others."""

# A pattern that begins with "\n" is searched for many times faster than one with "^".
_IMPORT = re.compile(r"""\nimport (\{[^{}"']*\}) from "(\./[^"]+)";""")
_EXPORT = re.compile(r"\nexport ((?:async )?(?:function|class|const) )(\w+)")
_ANY_IMPORT = re.compile(r"\nimport\b|\nexport\s*[{*][^;]*\bfrom\b")
_ANY_EXPORT = re.compile(r"\nexport\b")
_LATE_IMPORT = re.compile(r"import\((?<=(?:wait|turn|void) import\()")
"""Matches an import of a module while the script runs; types in comments look nearly so."""

_COMMENT = re.compile(r"^ *(?:/\*\*(?:(?!\*/).)*\*/|//[^\n]*)\n", re.DOTALL | re.MULTILINE)
"""Matches a comment on lines of its own, which is where the page's modules have nearly all of them.

No text of a module that goes over several lines has such a line in it.
"""


class BadPageError(Exception):
    """A file of the page that can't be put into one with the others."""


@attrs.frozen
class _Module:
    """A module as the body of a function."""

    body: str
    exported: tuple[str, ...]
    """The members of what the function returns."""
    needed: tuple[str, ...]
    """The paths of the modules that it imports."""


def script(page: Path = PAGE) -> str:
    """Return the script that browsers get: `joined`, without the lines that are comments.

    Raises:
        BadPageError: As by `joined`.
        OSError: A file of the page can't be read.
    """
    return _COMMENT.sub("", joined(page))


def joined(page: Path = PAGE) -> str:
    """Return main.js with all that it imports as one module.

    Raises:
        BadPageError: A module is missing, or imports or exports in a form that isn't known, or two
            need each other.
        OSError: A file of the page can't be read.
    """
    modules: dict[str, _Module] = {}
    waiting = [(MAIN, MAIN)]
    while waiting:
        path, needed_by = waiting.pop()
        if path not in modules:
            modules[path] = _module(page, path, needed_by)
            waiting += [(needed, path) for needed in modules[path].needed]
    graph = {path: module.needed for path, module in modules.items()}
    try:
        order = tuple(graphlib.TopologicalSorter(graph).static_order())
    except graphlib.CycleError as error:
        raise BadPageError(f"modules import each other: {', '.join(error.args[1])}") from None
    parts = ["const MODULES = {};"]
    for path in order:
        module = modules[path]
        members = ", ".join(module.exported)
        parts.append(f'MODULES["{path}"] = (() => {{{module.body}\nreturn {{ {members} }};\n}})();')
    return "\n".join((*parts, ""))


def _module(page: Path, path: str, needed_by: str) -> _Module:
    try:
        source = (page / path).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise BadPageError(f"{needed_by} imports {path}; there is no such file") from None
    folder = Path(path).parent
    needed: list[str] = []
    exported: list[str] = []

    def imports(match: re.Match[str]) -> str:
        names, other = match.groups()
        needed.append((folder / other).as_posix())
        members = names.replace(" as ", ": ")
        return f'\nconst {members} = MODULES["{needed[-1]}"];'

    def exports(match: re.Match[str]) -> str:
        kind, name = match.groups()
        exported.append(name)
        return f"\n{kind}{name}"

    if _LATE_IMPORT.search(source):
        raise BadPageError(f"{path}: imports a module while it runs, which isn't in one script")
    body, number = _IMPORT.subn(imports, f"\n{source}")
    if number != len(_ANY_IMPORT.findall(f"\n{source}")):
        raise BadPageError(
            f'{path}: an import is not of the form `import … from "./NAME.js";`, '
            "with names in braces"
        )
    number = len(_ANY_EXPORT.findall(body))
    body = _EXPORT.sub(exports, body)
    if number != len(exported):
        raise BadPageError(
            f"{path}: an export is not of the form `export function NAME`, or so with a class, a "
            "constant or an async function"
        )
    return _Module(body, tuple(exported), tuple(needed))
