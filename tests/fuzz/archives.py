"""ZIPs that authors hand in, as they are unpacked outside of a sandbox."""

import io
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

from fuzz.mutation import changed
from fuzz.records import in_memory
from fuzz.target import Target, may_refuse
from lanista.bots.builder import UnpackError, unpack

METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)


def _packed(method: int) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as archive:
        for name, content in {"bot.toml": 'run = "./x"', "d/é.py": "y" * 300, "e/": ""}.items():
            # Without the time of now: a seed gives the same inputs.
            archive.writestr(zipfile.ZipInfo(name), content, method)
    return data.getvalue()


def archive() -> Target:
    """A ZIP is unpacked into its folder, or refused."""
    corpus = [_packed(method) for method in METHODS]
    put = in_memory()

    def check(data: bytes) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name, "own")
            with may_refuse(UnpackError):
                unpack(put(data), folder, is_bounded=True)
            assert {folder} >= {*Path(name).iterdir()}

    return Target(draw=lambda random: changed(random, corpus), check=check, short=300)


TARGETS: Mapping[str, Callable[[], Target]] = {"archive": archive}
