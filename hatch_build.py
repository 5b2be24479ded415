"""Puts the client libraries into Lanista's wheel, packed as its page serves them."""

import runpy
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ClientLibraries(BuildHookInterface[Any]):
    """Packs the libraries before a wheel is built, and removes the packed files afterwards."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Pack them; an editable installation finds their sources in the checkout."""
        self._folder = tempfile.TemporaryDirectory()
        if version == "editable":
            return
        bots = "server/lanista/bots"
        libraries = runpy.run_path(str(Path(self.root, bots, "client_libraries.py")))
        for language in libraries["SOURCES"]:
            file = Path(self._folder.name, f"{language}.zip")
            file.write_bytes(libraries["packed"](language))
            build_data["force_include"][str(file)] = f"lanista/bots/clients/{file.name}"

    def finalize(self, *_: Any) -> None:
        """Remove the packed files."""
        self._folder.cleanup()
