"""One-line descriptions of house bots, read from their source without running them."""

import ast
import importlib.util
from pathlib import Path


def about(module: str) -> str:
    """Return what a house bot does and how it is started, without importing its module.

    The first is the first line of the module's docstring.
    """
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        return ""
    text = ast.get_docstring(ast.parse(Path(spec.origin).read_text(encoding="utf-8"))) or ""
    line = text.partition("\n")[0].removesuffix(".")
    return f"{line} (`python -m {module}`)."
