"""What importing the protocol costs: attrs and the standard library, and nothing that does I/O."""

import json
import subprocess
import sys

import pytest

SCRIPT = """
import sys
before = set(sys.modules)
import attrs
with_attrs = set(sys.modules)
import lanista_protocol
import json
print(json.dumps([sorted(with_attrs - before), sorted(set(sys.modules) - with_attrs)]))
"""


NAMES = """
import pkgutil, importlib, types, json, lanista_protocol
found = {}
for info in pkgutil.iter_modules(lanista_protocol.__path__, "lanista_protocol."):
    names = vars(importlib.import_module(info.name)).values()
    found[info.name] = sorted(v.__name__ for v in names if isinstance(v, types.ModuleType))
print(json.dumps(found))
"""


def told_by(script):
    """What a script prints as JSON in an interpreter of its own."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", script], capture_output=True, text=True, timeout=60
    )
    assert done.stderr == ""
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def loaded():
    """The modules that attrs brought, and those that the protocol brought beyond."""
    return told_by(SCRIPT)


def test_nothing_is_loaded_beyond_attrs_and_the_standard_library(loaded):
    with_attrs, beyond = loaded
    packages = {name.split(".")[0] for name in with_attrs + beyond}
    assert {"attr", "attrs", "lanista_protocol"} == packages - sys.stdlib_module_names


def test_the_protocol_loads_nothing_that_could_do_input_or_output_or_tell_the_time(loaded):
    _, beyond = loaded
    ours = {name for name in beyond if not name.startswith("lanista_protocol")}
    doers = {"socket", "_socket", "ssl", "select", "selectors", "asyncio", "trio", "threading"}
    doers |= {"subprocess", "time", "datetime", "random", "secrets", "tempfile", "logging"}
    assert set() == ours & doers


def test_no_module_of_the_protocol_names_a_clock_or_a_socket():
    """What attrs has loaded could be imported unseen, so the modules' names are looked at."""
    found = told_by(NAMES)
    assert {"lanista_protocol.session", "lanista_protocol.hello"} <= set(found)
    assert {"attr", "attrs", "enum", "math", "re", "unicodedata"} >= {
        m for ms in found.values() for m in ms
    }
