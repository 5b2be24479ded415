"""One-line descriptions of house bots, read from their source without running them."""

import ast
import importlib.util
from pathlib import Path


def about(module: str) -> str:
    """Return the first line of a module's docstring, without importing it; empty if it has none."""
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        return ""
    text = ast.get_docstring(ast.parse(Path(spec.origin).read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0]
