"""Reading the pages of docs/: their code blocks and their commands."""

import re
import shlex
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
DOCS = CHECKOUT / "docs"
_FENCED = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def fenced(page):
    """The fenced blocks: what stands behind the three backticks, and the text."""
    return _FENCED.findall(page.read_text(encoding="utf-8"))


def commands(page, program):
    """The indented lines that run a program, without a comment at their end, as words."""
    lines = _FENCED.sub("", page.read_text(encoding="utf-8")).splitlines()
    indented = [line.strip() for line in lines if line.startswith("    ")]
    return [shlex.split(line, comments=True) for line in indented if line.split()[:1] == [program]]
