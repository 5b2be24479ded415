"""Builds the package with nothing but Python (PEP 517).

An arena's page serves this folder for `pip install`, also where there is no other network: there
pip could fetch no build backend.
"""

import base64
import hashlib
import tomllib
import zipfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def build_wheel(
    wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None
) -> str:
    """Write the wheel into a folder, and return its name."""
    del config_settings, metadata_directory
    project = tomllib.loads((HERE / "pyproject.toml").read_text("utf-8"))["project"]
    package = project["name"].replace("-", "_")
    release = f"{package}-{project['version']}"
    sources = [path for path in sorted((HERE / package).iterdir()) if path.is_file()]
    files = {f"{package}/{path.name}": path.read_bytes() for path in sources}
    info = f"{release}.dist-info"
    files[f"{info}/METADATA"] = _metadata(project).encode()
    files[f"{info}/WHEEL"] = (
        b"Wheel-Version: 1.0\nGenerator: lanista-client\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    )
    files[f"{info}/licenses/LICENSE"] = (HERE / "LICENSE").read_bytes()
    record = f"{info}/RECORD"
    lines = [f"{name},sha256={_digest(data)},{len(data)}\n" for name, data in files.items()]
    files[record] = f"{''.join(lines)}{record},,\n".encode()
    wheel = f"{release}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory, wheel), "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in files.items():
            member = zipfile.ZipInfo(name)  # without a time: equal sources make equal wheels
            member.external_attr = 0o644 << 16
            file.writestr(member, data, zipfile.ZIP_DEFLATED)
    return wheel


def _metadata(project: dict[str, Any]) -> str:
    """Return what PyPI and pip read of the package."""
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        *(f"Author: {author['name']}" for author in project["authors"]),
        f"License-Expression: {project['license']}",
        "License-File: LICENSE",
        f"Requires-Python: {project['requires-python']}",
        f"Keywords: {','.join(project['keywords'])}",
        *(f"Classifier: {classifier}" for classifier in project["classifiers"]),
        "Description-Content-Type: text/markdown",
    ]
    description = (HERE / project["readme"]).read_text("utf-8")
    return "\n".join((*lines, "", description))


def _digest(data: bytes) -> str:
    """Return a digest as RECORD has it."""
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
