"""A small disk that can be filled: a file system in memory, which only root can mount."""

import errno
import subprocess
from pathlib import Path


class Disk:
    """A mounted folder; `unmount` it at the end."""

    def __init__(self, folder: Path, size: int) -> None:
        """Mount it.

        Args:
            folder: Where; it is made.
            size: Bytes.

        Raises:
            OSError: It can't be mounted.
        """
        self.folder = folder
        self._filler = folder / "filler"
        folder.mkdir()
        words = ["mount", "-t", "tmpfs", "-o", f"size={size}", "lanista-soak", str(folder)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode:
            raise OSError(errno.EPERM, done.stderr.strip() or "mount failed")

    def fill(self) -> None:
        """Leave not a byte; call it again to take what has become free."""
        with self._filler.open("ab", buffering=0) as file:
            for size in (1 << 20, 1 << 12):
                try:
                    while file.write(bytes(size)) == size:
                        pass
                except OSError as error:
                    if error.errno != errno.ENOSPC:
                        raise

    def empty(self) -> None:
        """Give the room back."""
        self._filler.unlink(missing_ok=True)

    def unmount(self) -> None:
        """Have it gone, with all that is in it."""
        subprocess.run(["umount", "--lazy", str(self.folder)], check=True)
