"""docs/design.md: its picture is the code's, and every path that it names is there."""

import re

from docs.package_map import BEGIN, PAGE, drawn

ROOT = PAGE.parents[1]


def test_the_picture_is_of_the_code_as_it_is():
    """`make map` draws it anew."""
    page = PAGE.read_text(encoding="utf-8")
    assert BEGIN in page
    assert drawn(page) == page


def test_every_path_is_there():
    """Paths in backquotes that have a slash, from the project's folder or below server/lanista."""
    page = PAGE.read_text(encoding="utf-8")
    paths = set(re.findall(r"`([\w.-]+(?:/[\w.-]+)+/?)`", page))
    assert len(paths) > 20
    assert [] == [
        path
        for path in sorted(paths)
        if not (ROOT / path).exists() and not (ROOT / "server" / "lanista" / path).exists()
    ]
