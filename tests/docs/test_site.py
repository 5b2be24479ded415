"""site/mkdocs.yml: every page is in the navigation, once. `make docs` checks the links."""

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
