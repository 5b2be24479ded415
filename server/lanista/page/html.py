"""The page's modules as one script, and one HTML file that shows a match, or two, without a server.

A browser asks for the script once, not for each of seventy files. Each module becomes a function
that is called once, after those of the modules that it imports. Only the few forms of imports and
exports that the page uses are known; a test finds any other.

The frames are compressed and written as base64 into an element that browsers neither run nor show.
Whatever a bot sent is in there, so it can't end the element or be taken for markup.
"""

import base64
import graphlib
import hashlib
import itertools
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any

import attrs

from lanista.page.frames import encode

PAGE = Path(__file__).with_name("browser")
"""The folder of the page's files."""
MAIN = "main.js"
"""The module that imports all others."""

# A pattern that begins with "\n" is searched for many times faster than one with "^".
_IMPORT = re.compile(r"""\nimport (\{[^{}"']*\}) from "(\./[^"]+)";""")
_EXPORT = re.compile(r"\nexport ((?:async )?(?:function|class|const) )(\w+)")

_COMMENT = re.compile(r"^ *(?:/\*\*(?:(?!\*/).)*\*/|//[^\n]*)\n", re.DOTALL | re.MULTILINE)
"""Matches a comment on lines of its own, which is where the page's modules have nearly all of them.

No text of a module that goes over several lines has such a line in it.
"""
_LEVEL = 9
"""Compression level: the highest, as a file is made once and passed on often."""

_STYLESHEET = re.compile(r'<link rel="stylesheet" href="/page/([^"]+)">')


@attrs.frozen
class _Module:
    body: str
    exported: tuple[str, ...]
    """The members of what the function returns."""
    needed: tuple[str, ...]
    """The paths of the modules that it imports."""


def script() -> str:
    """Return the script that browsers get: `joined`, without the lines that are comments."""
    return _COMMENT.sub("", joined())


def joined() -> str:
    """Return main.js with all that it imports as one module."""
    modules: dict[str, _Module] = {}
    waiting = [MAIN]
    while waiting:
        path = waiting.pop()
        if path not in modules:
            modules[path] = _module(path)
            waiting += modules[path].needed
    graph = {path: module.needed for path, module in modules.items()}
    parts = ["const MODULES = {};"]
    for path in graphlib.TopologicalSorter(graph).static_order():
        module = modules[path]
        members = ", ".join(module.exported)
        parts.append(f'MODULES["{path}"] = (() => {{{module.body}\nreturn {{ {members} }};\n}})();')
    return "\n".join((*parts, ""))


def _module(path: str) -> _Module:
    source = (PAGE / path).read_text(encoding="utf-8")
    folder = Path(path).parent
    needed: list[str] = []
    exported: list[str] = []

    def imports(match: re.Match[str]) -> str:
        names, other = match.groups()
        needed.append((folder / other).as_posix())
        members = names.replace(" as ", ": ")
        return f'\nconst {members} = MODULES["{needed[-1]}"];'

    def exports(match: re.Match[str]) -> str:
        kind, name = match.groups()
        exported.append(name)
        return f"\n{kind}{name}"

    body = _EXPORT.sub(exports, _IMPORT.sub(imports, f"\n{source}"))
    return _Module(body, tuple(exported), tuple(needed))


_UNPACK = """
// The match, or two, unpacked: what main.js shows instead of an arena.
globalThis.LANISTA_MATCH = (async () => {
  const packed = atob(document.getElementById("match-data").textContent.trim());
  const bytes = Uint8Array.from(packed, (char) => char.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
})();
// main.js reports what went wrong, but may not be loaded yet.
globalThis.LANISTA_MATCH.catch(() => {});
"""


def bundle(
    match: Iterable[Mapping[str, Any]],
    other: tuple[Iterable[Mapping[str, Any]], Mapping[str, Any]] | None = None,
) -> Iterator[bytes]:
    """Yield the parts of the HTML file, in UTF-8.

    A match is head, frames and end, as by `read_frames`. The other one, if two are shown, comes
    with how it differs, as by `difference.json_of`.
    """
    parts = iter(match)
    head = next(parts)
    title = _title(head)
    if other is None:
        packed = _packed(_match_json(head, parts))
    else:
        frames, difference = other
        others = iter(frames)
        other_head = next(others)
        title = f"{title} / {_title(other_head)}"
        packed = _packed(
            itertools.chain(
                (b'{"a":',),
                _match_json(head, parts),
                (b',"b":',),
                _match_json(other_head, others),
                (b',"difference":' + encode(difference) + b"}",),
            )
        )
    viewer, style = "\n" + script(), styles()
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src {_hash(_UNPACK)} {_hash(viewer)}",
            f"style-src {_hash(style)}",
            "img-src data: blob:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    icon = base64.b64encode((PAGE / "favicon.svg").read_bytes()).decode()
    yield f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{escape(policy, quote=False)}">
<title>{escape(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<link rel="icon" type="image/svg+xml" href="data:image/svg+xml;base64,{icon}">
<style>{style}</style>
</head>
<body>
<noscript>This page needs JavaScript.</noscript>
<script type="application/octet-stream;base64" id="match-data">
""".encode("utf-8", "replace")
    yield from packed
    yield f"""</script>
<script>{_UNPACK}</script>
<script type="module">{viewer}</script>
</body>
</html>
""".encode()


def _title(head: Mapping[str, Any]) -> str:
    names = ", ".join(player["name"] for player in head["players"])
    return f"{head['title']}: {names}"


def _packed(texts: Iterable[bytes]) -> Iterator[bytes]:
    """Yield texts as gzip in base64, in whole lines."""
    # zlib writes the same format as the gzip module, but without a time.
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    held = b""
    for text in itertools.chain(texts, (None,)):
        held += packer.flush() if text is None else packer.compress(text)
        whole = len(held) if text is None else len(held) // 57 * 57
        if whole:
            yield base64.encodebytes(held[:whole])
            held = held[whole:]


def _match_json(head: Mapping[str, Any], parts: Iterator[Mapping[str, Any]]) -> Iterator[bytes]:
    """Yield `{"head", "frames", "end"}` frame by frame, as a long match may not fit in memory."""
    yield b'{"head":' + encode(head) + b',"frames":['
    separator = b""
    end: Mapping[str, Any] | None = None
    for part in parts:
        if part.get("type") == "end":
            end = part
        else:
            yield separator + encode(part)
            separator = b","
    assert end is not None  # the last part
    yield b'],"end":' + encode(end) + b"}"


# The page's files


def styles() -> str:
    """Return all style sheets that index.html names, in its order."""
    names = _STYLESHEET.findall((PAGE / "index.html").read_text(encoding="utf-8"))
    return "\n".join((PAGE / name).read_text(encoding="utf-8") for name in names)


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
