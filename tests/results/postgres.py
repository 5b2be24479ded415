"""A PostgreSQL server of the tests' own: in a folder, on a Unix socket, gone with them."""

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

import pytest

from e2e.running import PATIENCE, Program

_READY = "database system is ready to accept connections"


def _program(name):
    """Debian keeps a server's programs off the PATH."""
    homes = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return shutil.which(name) or shutil.which(name, path=os.pathsep.join(map(str, homes)))


@contextlib.contextmanager
def server():
    """The folder of the socket of a running server whose user `lanista` may do everything."""
    initdb, postgres = _program("initdb"), _program("postgres")
    if initdb is None or postgres is None:
        pytest.skip("PostgreSQL's initdb and postgres are not installed")
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    # Not in tmp_path: a socket's path is short, and the server's user must get there.
    with tempfile.TemporaryDirectory(prefix="lanista-pg-") as folder:
        become = []
        if os.geteuid() == 0:
            # It refuses to run as root.
            become = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "--"]
            shutil.chown(folder, "nobody", "nogroup")
        plain = {**os.environ, "LC_ALL": "C", "TZ": "UTC"}
        data = f"{folder}/data"
        made = subprocess.run(
            [*become, initdb, "-D", data, "-U", "lanista", "-A", "trust", "-E", "UTF8", "-N"],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            env=plain,
            cwd=folder,
        )
        assert made.returncode == 0, made.stderr
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": folder,
            "fsync": "off",
            "shared_buffers": "16MB",
        }
        options = [f"--{key}={value}" for key, value in settings.items()]
        running = Program([*become, postgres, "-D", data, *options], Path(folder), env=plain)
        running.begins(lambda: _READY in running.err, "PostgreSQL is ready")
        try:
            yield folder
        finally:
            # At once: nothing of it is to be kept.
            running.signal(signal.SIGQUIT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                running.process.wait(PATIENCE)
            running.end()


def url(folder, database, *, password="", schema=""):
    """The URL of a database on a server; of one of its schemas."""
    user = f"lanista:{password}" if password else "lanista"
    options = f"&options=-csearch_path%3D{schema}" if schema else ""
    return f"postgresql://{user}@/{database}?host={folder}{options}"


def cut(url):
    """End all sessions of a server's clients but our own."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
            "WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )
