"""docs/design.md: its picture is the code's, and every path that it names is there."""

import re

from docs.package_map import BEGIN, PAGE, drawn

ROOT = PAGE.parents[1]


def test_the_picture_is_of_the_code_as_it_is():
    """`make map` draws it anew."""
    page = PAGE.read_text(encoding="utf-8")
    assert BEGIN in page
    assert drawn(page) == page


def test_every_name_is_in_the_code():
    """Names in backquotes, without what they are attributes of."""
    page = PAGE.read_text(encoding="utf-8")
    names = set(re.findall(r"`(?:\w+\.)*([A-Za-z]\w*)`", page))
    folders = (ROOT / folder for folder in ("server", "protocol"))
    files = [
        file for folder in folders for file in folder.rglob("*") if file.suffix in {".py", ".js"}
    ]
    code = set(re.findall(r"\w+", " ".join(file.read_text(encoding="utf-8") for file in files)))
    assert len(names) > 50
    assert [] == sorted(names - code)


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
