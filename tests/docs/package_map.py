"""The picture of packages in docs/design.md, made from the import graph: `make map` rewrites it."""

import sys
from pathlib import Path

import grimp

PAGE = Path(__file__).parents[2] / "docs" / "design.md"
BEGIN, END = "<!-- make map: begin -->\n", "<!-- make map: end -->\n"
ROOTS = ("lanista_protocol", "lanista_client", "lanista_maps")
PLAIN = ("nurseries", "ranges", "spawning", "system", "temporary", "toml_spec", "unwatched")
"""Modules that so many import that their arrows would hide the others."""


def imports():
    """Return by package the packages that its modules import; those of `lanista` by their names."""
    graph = grimp.build_graph("lanista", *ROOTS)
    packages = {
        module.removeprefix("lanista."): module
        for module in (*graph.find_children("lanista"), *ROOTS)
    }
    for name in PLAIN:
        del packages[name]
    return {
        name: {
            other
            for other, target in packages.items()
            if other != name
            and graph.direct_import_exists(importer=module, imported=target, as_packages=True)
        }
        for name, module in sorted(packages.items())
    }


def reachable(found, start):
    """Return all packages that one needs, directly or through others."""
    seen, waiting = set(), list(found[start])
    while waiting:
        package = waiting.pop()
        if package not in seen:
            seen.add(package)
            waiting += found[package]
    return seen


def arrows(found):
    """Return the imports that don't follow from others: (package, what it imports)."""
    return [
        (package, other)
        for package in found
        for other in sorted(found[package])
        if not any(other in reachable(found, between) for between in found[package] - {other})
    ]


def picture():
    """Return the part of the page between the marks."""
    lines = [f"    {one} --> {other}\n" for one, other in arrows(imports())]
    return "".join(["```mermaid\nflowchart TD\n", *lines, "```\n"])


def drawn(page):
    """Return the page with the picture of the code as it is."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{picture()}{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(drawn(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    sys.stdout.write(f"{PAGE}\n")
