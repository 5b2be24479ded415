"""The data folder of an arena: the paths of everything that the arena keeps on disk."""

import os
from pathlib import Path

import attrs


def _absolute_or_relative(path: "str | os.PathLike[str] | DataFolder") -> Path:
    return path.path if isinstance(path, DataFolder) else Path(path)


@attrs.frozen
class DataFolder:
    """The folder in which an arena keeps its records and, without a PostgreSQL store, its results.

    Nothing is opened or made here but by `make`.
    """

    path: Path = attrs.field(converter=_absolute_or_relative)
    """The folder itself."""

    @property
    def records(self) -> Path:
        """The folder of records, with a folder for each day."""
        return self.path / "records"

    @property
    def ladders(self) -> Path:
        """The folder of the ladders' databases."""
        return self.path / "ladders"

    def ladder(self, name: str) -> Path:
        """Return the path of the database with a ladder's results."""
        return self.ladders / f"{name}.db"

    @property
    def names(self) -> Path:
        """The database of names and of what the operator has decided."""
        return self.path / "arena.db"

    @property
    def catalogue(self) -> Path:
        """The database that lists the matches for the page."""
        return self.path / "catalogue.db"

    @property
    def rating_history(self) -> Path:
        """The database of the ladders' ratings over time."""
        return self.path / "ratings.db"

    @property
    def control_socket(self) -> Path:
        """The socket by which commands on this machine reach the arena while it runs."""
        return self.path / "control.sock"

    @property
    def private(self) -> tuple[Path, ...]:
        """The folders that bots in sandboxes must not see."""
        return (self.path, self.records, self.ladders)

    def make(self) -> None:
        """Make the folder if it isn't there, closed to other users because of the bots' logs.

        Raises:
            OSError: It can't be made.
        """
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
