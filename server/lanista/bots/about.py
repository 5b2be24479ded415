"""What a house bot says of itself, for those who list them. No process is started here."""

import ast
import importlib.util
from pathlib import Path


def about(module: str) -> str:
    """The first line of a module's docstring, without running it; empty if there is none."""
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        return ""
    text = ast.get_docstring(ast.parse(Path(spec.origin).read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0]
