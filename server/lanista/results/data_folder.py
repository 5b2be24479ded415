"""The data folder of an arena: the paths of everything that the arena keeps on disk."""

from datetime import UTC, datetime
from pathlib import Path

import attrs

from lanista.system import make_folder

DATABASE = "lanista.db"


@attrs.frozen
class DataFolder:
    """The folder in which an arena keeps its records, and its database."""

    path: Path = attrs.field(converter=Path)

    @property
    def records(self) -> Path:
        """The folder of records, with a folder for each day."""
        return self.path / "records"

    @property
    def records_today(self) -> Path:
        """The folder of the records of matches that begin today."""
        return self.records / datetime.now(UTC).date().isoformat()

    @property
    def database(self) -> Path:
        """The arena's SQLite database; without results and names if these are in PostgreSQL."""
        return self.path / DATABASE

    @property
    def submissions(self) -> Path:
        """The folder of the programs that authors have handed in (`results.submissions`)."""
        return self.path / "submissions"

    @property
    def control_socket(self) -> Path:
        """The socket by which commands on this machine reach the arena while it runs."""
        return self.path / "control.sock"

    @property
    def private(self) -> tuple[Path, ...]:
        """The folders that bots in sandboxes must not see."""
        return (self.path, self.records)

    def make(self) -> None:
        """Make the folder if it isn't there, closed to other users because of the bots' logs."""
        make_folder(self.path, 0o700)
