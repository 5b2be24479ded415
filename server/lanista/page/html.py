"""One HTML file that shows one match, or two side by side, without a server or a network.

The page's modules go in as one script (`page_script`). The frames are compressed and written as
base64 into an element that browsers neither run nor show. Whatever a bot sent is in there, so it
can't end the element or be taken for markup. Nothing here knows a game.
"""

import base64
import hashlib
import itertools
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any

from lanista.page.frames import encode
from lanista.page.page_script import PAGE, BadPageError, script

_LEVEL = 9
"""Compression level: the highest, as a file is made once and passed on often."""

_STYLESHEET = re.compile(r'<link rel="stylesheet" href="/page/([^"]+)">')
_ENDS = re.compile(r"</(?:script|style)|<!--", re.IGNORECASE)
"""Matches what would end or change a script or style element."""

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
    *,
    page: Path = PAGE,
) -> Iterator[bytes]:
    """Yield the parts of the HTML file, in UTF-8.

    Args:
        match: Head, frames and end, as by `read_frames`.
        other: Those of a match to show beside it, and how it differs, as by `difference.json_of`;
            None for none.
        page: The folder of the page's files.

    Raises:
        BadPageError: A module or style is missing, or has a form that can't be put in.
        OSError: A file of the page can't be read.
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
    viewer = _safe("the script", "\n" + script(page))
    style = _safe("the styles", _style(page))
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
    icon = base64.b64encode((page / "favicon.svg").read_bytes()).decode()
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


def _style(page: Path) -> str:
    """Return all style sheets that index.html names, in its order."""
    index = (page / "index.html").read_text(encoding="utf-8")
    names = _STYLESHEET.findall(index)
    if index.count('rel="stylesheet"') != len(names):
        raise BadPageError("index.html: a style sheet that isn't named as /page/NAME")
    style = "\n".join((page / name).read_text(encoding="utf-8") for name in names)
    if "@import" in style or "url(" in style:
        raise BadPageError("the styles name another file in a way that can't be put into one file")
    return style


def _hash(text: str) -> str:
    """Return the source expression that allows a script or style in a Content-Security-Policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _safe(what: str, text: str) -> str:
    """Return a text, once it is certain that it doesn't end its element."""
    match = _ENDS.search(text)
    if match:
        raise BadPageError(f"{what}: has `{match[0]}`, which can't be in an HTML file")
    return text
