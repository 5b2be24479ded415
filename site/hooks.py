"""What MkDocs does differently here: the site has the folders of the repository.

The pages lie where they lie in the repository, so that a link between two of them, or to a file of
the code, leads to the same place on the site as it does in the repository. Pages are those of the
navigation and all of docs/; files that they link to are copied. The pages of reference/ are written
here, from the lists of public names; mkdocstrings fills in the docstrings. So is the style sheet
that colours code.
"""

import ast
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from pygments.formatters import HtmlFormatter
from pymdownx.slugs import slugify

import lanista

CHECKOUT = Path(__file__).parents[1]
STYLE, COLOURS = "site/style.css", "site/code.css"
_LINK = re.compile(r"\]\(<?([^)>#\s]+)|^\[[^\]]+\]:\s*<?([^>#\s]+)", re.MULTILINE)
_FENCE = re.compile(r"^(```[\w+]+) [^`\n]*$", re.MULTILINE)

RULES = ("base", "chance", "outcome", "picture", "search", "testing")
"""The modules of `lanista.games` that a ruleset of one's own uses (docs/rulesets.md)."""
PAGES_OF = {"competition": "competition", "games": "games", "env": "env"}
"""The pages of the packages that are public as a whole."""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Name the headings' anchors as GitHub does, where the same pages are read too."""
    config.mdx_configs["toc"]["slugify"] = slugify(case="lower")
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Replace the files of docs/ by the site's, under their paths in the repository."""
    docs = Path(config.docs_dir)
    kept = Files([file for file in files if file.src_dir != config.docs_dir])
    paths = {path.relative_to(CHECKOUT).as_posix() for path in docs.rglob("*.md")}
    paths |= {path for path in _nav_paths(config.nav) if (CHECKOUT / path).is_file()}
    paths |= {link for path in paths for link in _linked(CHECKOUT / path)}
    for path in sorted({STYLE, *paths}):
        kept.append(File(path, str(CHECKOUT), config.site_dir, config.use_directory_urls))
    colours = HtmlFormatter(style="default").get_style_defs(".highlight")
    for path, text in {COLOURS: colours, **reference()}.items():
        kept.append(File.generated(config, path, content=text))
    return kept


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Leave of a code block's heading its language: the rest is for the tests of the pages."""
    return _FENCE.sub(r"\1", markdown)


def _nav_paths(nav: Any) -> set[str]:
    """Return the paths in a navigation, or in a part of it."""
    if isinstance(nav, str):
        return {nav}
    parts = nav.values() if isinstance(nav, dict) else nav
    return {path for part in parts for path in _nav_paths(part)}


def _linked(page: Path) -> set[str]:
    """Return the files of the repository that a page links to."""
    found = set()
    for link in _LINK.finditer(page.read_text(encoding="utf-8")):
        target = (page.parent / (link[1] or link[2])).resolve()
        if target.is_relative_to(CHECKOUT) and target.is_file():
            found.add(target.relative_to(CHECKOUT).as_posix())
    return found


def reference() -> dict[str, str]:
    """Return the pages of the reference, by their paths."""
    own = [name for name in lanista.__all__ if name not in PAGES_OF and name != "__version__"]
    packages = "".join(f"- [`lanista.{name}`]({page}.md)\n" for name, page in PAGES_OF.items())
    return {
        "reference/lanista.md": f"""\
# lanista

What `import lanista` gives, described with examples in [Lanista from Python](../docs/python.md).
`lanista.__version__` is the version. Packages that are public too:

{packages}
{_entries("lanista", own)}""",
        "reference/competition.md": f"""\
# lanista.competition

{_entries("lanista.competition", _public("server/lanista/competition"))}""",
        "reference/games.md": f"""\
# lanista.games

What a [game of your own](../docs/rulesets.md) is made of.

{_entries("lanista.games", RULES)}""",
        "reference/env.md": f"""\
# lanista.env

The games as PettingZoo environments ([Training](../docs/training.md)).

{_entries("lanista.env", _public("server/lanista/env"))}""",
        "reference/client.md": f"""\
# lanista_client

The [Python client](../clients/python/README.md), for bots.

{_entries("lanista_client", _public("clients/python/lanista_client"))}""",
    }


def _public(folder: str) -> list[str]:
    """Return the names in a package's `__all__`; importing `lanista.env` would need PettingZoo."""
    path = CHECKOUT / folder / "__init__.py"
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return ast.literal_eval(node.value)
    raise PluginError(f"{path}: no list __all__, which the reference is made of")


def _entries(package: str, names: Any) -> str:
    """Return the lines that mkdocstrings replaces by the docstrings of a package's names."""
    return "".join(f"::: {package}.{name}\n\n" for name in sorted(names, key=str.lower))
