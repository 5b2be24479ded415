"""site/mkdocs.yml: every page is in the navigation, once. A link leads to a page and a heading.

`make docs` checks the links too, as the site has them.
"""

import re
from pathlib import Path

import pytest
import yaml

from docs.pages import CHECKOUT, DOCS

CONFIG = CHECKOUT / "site" / "mkdocs.yml"


def paths(nav):
    """The paths in a navigation or a part of it, in its order."""
    if isinstance(nav, str):
        return [nav]
    parts = nav.values() if isinstance(nav, dict) else nav
    return [path for part in parts for path in paths(part)]


@pytest.fixture(scope="module")
def navigation():
    return paths(yaml.safe_load(CONFIG.read_text(encoding="utf-8"))["nav"])


def test_every_page_of_docs_is_in_the_navigation(navigation):
    pages = {path.relative_to(CHECKOUT).as_posix() for path in DOCS.rglob("*.md")}
    assert len(pages) > 20
    assert set() == pages - set(navigation)


def test_so_are_the_pages_beside_it(navigation):
    clients = (CHECKOUT / "clients").glob("*/README.md")
    outside = {path.name for path in CHECKOUT.glob("*.md")} | {"protocol/PROTOCOL.md"}
    pages = {path.relative_to(CHECKOUT).as_posix() for path in clients} | outside
    assert set() == pages - set(navigation)


def test_each_entry_is_a_page_and_is_there_once(navigation):
    """Those of reference/ are written by the build, which refuses one that it doesn't know."""
    assert len(navigation) == len(set(navigation))
    written = [path for path in navigation if not path.startswith("reference/")]
    assert [] == [path for path in written if not (CHECKOUT / path).is_file()]


def text_of(path):
    """A page without its blocks of code."""
    text = (CHECKOUT / path).read_text(encoding="utf-8")
    return re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)


def anchors(path):
    """The anchors of a page's headings, as GitHub names them and site/hooks.py does."""
    headings = re.findall(r"^#+ (.*)$", text_of(path), re.MULTILINE)
    texts = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading) for heading in headings]
    return {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in texts}


def test_each_link_leads_to_a_file_and_a_heading(navigation):
    broken = []
    for page in (path for path in navigation if not path.startswith("reference/")):
        for link in re.findall(r"\[[^\]]*\]\(([^)\s]+)\)", text_of(page)):
            if re.match(r"https?:|mailto:", link):
                continue
            file, _, anchor = link.partition("#")
            target = (CHECKOUT / page).parent / file if file else CHECKOUT / page
            if not target.exists() or (anchor and anchor not in anchors(target)):
                broken.append((page, link))
    assert [] == broken


def test_a_link_that_is_called_like_a_page_leads_there(navigation):
    wrong = []
    for page in (path for path in navigation if not path.startswith("reference/")):
        for name, link in re.findall(r"\[([\w./]+\.md)\]\(([^)\s]+)\)", text_of(page)):
            if Path(name).name != Path(link.partition("#")[0]).name:
                wrong.append((page, name, link))
    assert [] == wrong
