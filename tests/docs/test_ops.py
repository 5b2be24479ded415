"""docs/ops: its files fit each other, the program, and the programs that read them."""

import configparser
import json
import os
import re
import shlex
import shutil
import subprocess
import tomllib

import pytest
import yaml
from click.testing import CliRunner

from docs.pages import CHECKOUT, DOCS
from lanista.arena.spec import MAX_SOURCE, parse_spec
from lanista.cli import lanista
from lanista.hosting.control import RunningMatches
from lanista.page.view import View
from page.house import showing

OPS = DOCS / "ops"
UNIT = OPS / "lanista.service"
SANDBOX = OPS / "lanista.service.d" / "sandbox.conf"
PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))
ENDING = 10
"""Seconds that an arena needs after `drain`, with some to spare."""


def options(file):
    """The options of a unit's section [Service]; of one that is given twice, the last."""
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.optionxform = str
    parser.read_string(file.read_text(encoding="utf-8"))
    return dict(parser["Service"])


def text_of(name):
    return (OPS / name).read_text(encoding="utf-8")


def seconds(text):
    return int(text.removesuffix("s"))


def runs(words):
    """Whether `lanista` knows a command and its arguments' number and options."""
    done = CliRunner().invoke(lanista, [*words, "--help"])
    return done.exit_code == 0


@pytest.fixture(scope="module")
def compose():
    return yaml.safe_load(text_of("compose.yaml"))


@pytest.fixture(scope="module")
def arena():
    return parse_spec(text_of("arena.toml"), "arena.toml")


def test_every_figure_of_the_dashboard_exists():
    """Those of the arena are in docs/api.md, which a test of the page compares with the program."""
    page = (DOCS / "api.md").read_text(encoding="utf-8")
    told = set(re.findall(r"^\| `(lanista_\w+)`", page, re.MULTILINE))
    assert len(told) > 20
    series = told | {f"{name}_bucket" for name in told if name.endswith("_seconds")}
    series |= {"process_cpu_seconds_total", "process_resident_memory_bytes", "process_open_fds"}
    dashboard = json.loads(text_of("grafana.json"))
    asked = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    asked += [each["query"] for each in dashboard["templating"]["list"]]
    used = set(re.findall(r"\b(?:lanista|process)_\w+", " ".join(asked)))
    assert set() == used - series
    assert told == {name.removesuffix("_bucket") for name in used if name.startswith("lanista_")}
    readme = text_of("README.md")
    assert set() == set(re.findall(r"`(lanista_\w+)`", readme)) - told


def test_the_unit_runs_a_command_and_gives_it_time_to_drain(arena):
    unit = options(UNIT)
    program, *words = shlex.split(unit["ExecStart"])
    assert program.endswith("/lanista")
    assert runs(words)
    assert arena.drain + ENDING <= seconds(unit["TimeoutStopSec"])


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze isn't installed")
@pytest.mark.parametrize("has_sandbox", [False, True])
def test_systemd_knows_every_option_of_the_unit(tmp_path, has_sandbox):
    """The program and the user needn't be there; nothing else may be found wrong."""
    text = UNIT.read_text(encoding="utf-8")
    program = shlex.split(options(UNIT)["ExecStart"])[0]
    unit = tmp_path / UNIT.name
    unit.write_text(text.replace(program, "/bin/true"))
    if has_sandbox:
        dropin = tmp_path / f"{UNIT.name}.d"
        dropin.mkdir()
        shutil.copy(SANDBOX, dropin)
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", str(unit)],
        capture_output=True,
        text=True,
        env={**os.environ, "SYSTEMD_UNIT_PATH": f"{tmp_path}:"},
    )
    assert [] == [line for line in done.stderr.splitlines() if UNIT.name in line]


def test_what_a_sandbox_needs_is_relaxed_and_nothing_else():
    """Options that are lists are added to; each of the others is one that the unit sets."""
    unit, sandbox = options(UNIT), options(SANDBOX)
    assert set(sandbox) <= set(unit)
    assert {"SystemCallFilter", "RestrictAddressFamilies"} < set(sandbox)
    assert all(sandbox[key] != unit[key] for key in sandbox)


def test_the_image_runs_what_the_program_knows():
    steps = re.findall(r"^([A-Z]+) (.*)$", text_of("Containerfile"), re.MULTILINE)
    last = dict(steps)
    assert ["lanista"] == json.loads(last["ENTRYPOINT"])
    words = json.loads(last["CMD"])
    assert runs(words)
    assert "postgresql" in PROJECT["project"]["optional-dependencies"]


def test_the_image_has_what_lanista_is_built_of_and_nothing_else():
    """The keys, tokens and passwords that lie beside compose.yaml must not get into it."""
    lines = re.findall(r"^COPY (.*) \S+$", text_of("Containerfile"), re.MULTILINE)
    copied = {word for line in lines for word in line.split()}
    packages = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    folders = {path.partition("/")[0] for path in packages}
    project = PROJECT["project"]
    files = {"pyproject.toml", "hatch_build.py", project["readme"], *project["license-files"]}
    assert folders | files == copied


def test_the_containers_fit_the_arenas_file(compose, arena):
    """Ports, folders, database, names of files, and the time to drain."""
    service, database = compose["services"]["arena"], compose["services"]["postgres"]
    _, _, page = arena.page.listen.rpartition(":")
    assert [f"{arena.port}:{arena.port}", f"{page}:{page}"] == service["ports"]
    image = text_of("Containerfile")
    assert f"EXPOSE {arena.port} {page}\n" in image
    mounts = dict(volume.split(":")[:2] for volume in service["volumes"])
    assert arena.data == mounts["records"]
    assert f"VOLUME {arena.data}\n" in image
    *_, file = json.loads(re.search(r"^CMD (.*)$", image, re.MULTILINE)[1])
    assert file == mounts["./arena.toml"]
    assert arena.tls.certificate.startswith("certificates/")
    assert f"{mounts['./arena.toml'].rpartition('/')[0]}/certificates" == mounts["./certificates"]
    user, name = (database["environment"][f"POSTGRES_{key}"] for key in ("USER", "DB"))
    assert re.fullmatch(rf"postgresql://{user}:[^@]+@postgres/{name}", arena.store)
    assert arena.drain + ENDING <= seconds(service["stop_grace_period"])
    assert (CHECKOUT / "docs" / "ops" / service["build"]["context"]).resolve() == CHECKOUT
    assert (CHECKOUT / service["build"]["dockerfile"]).is_file()


def exchanged():
    """What each proxy makes of a request's headers: the Host, and by a browser's Origin another."""
    nginx = text_of("nginx.conf")
    (host,) = re.findall(r"proxy_set_header Host (\S+);", nginx)
    origin = re.search(r'default \$http_origin;\s*"(\S+)" "(\S+)";', nginx).groups()
    caddy = text_of("Caddyfile")
    (caddy_host,) = re.findall(r"header_up Host (\S+)", caddy)
    pattern, replacement = re.search(r"header_up Origin (\S+) (\S+)", caddy).groups()
    assert (host, origin[1]) == (caddy_host, replacement)
    assert re.fullmatch(pattern, origin[0])
    assert not re.search(pattern, f"{origin[0]}.evil.example")
    return host, origin


@pytest.mark.parametrize("proxy", ["nginx.conf", "Caddyfile"])
def test_a_proxy_is_between_the_arena_and_the_public_address(proxy):
    """Its file fits the arena's on the page, and the unit finds the token."""
    readme = text_of("README.md")
    _, _, part = readme.partition("## Behind a proxy\n")
    spec = parse_spec(re.search(r"```toml\n(.*?)```", part, re.DOTALL)[1], "arena.toml")
    text = text_of(proxy)
    (host, (public, inner)) = exchanged()
    assert spec.page.listen == host
    assert inner == f"https://{host}"
    assert f" {inner}" in text
    assert public.removeprefix("https://") in text
    for file in (spec.tls.certificate, spec.tls.key):
        assert f"/etc/lanista/{file}" in text
    assert options(UNIT)["EnvironmentFile"] == "-/etc/lanista/environment"
    assert "> /etc/lanista/environment\n" in part
    if proxy == "nginx.conf":
        assert f"proxy_pass 127.0.0.1:{spec.port};" in text
        # Caddy has no such limit; nginx's own is 1 MiB.
        assert f"client_max_body_size {MAX_SOURCE >> 20}m;" in text


async def test_behind_a_proxy_the_page_takes_its_own_scripts_for_its_own_and_no_others():
    """With the headers that the proxies' files make; and with a token nobody is the operator who
    doesn't show it, though everybody comes from loopback.
    """
    host, (public, inner) = exchanged()
    async with showing(View(RunningMatches()), token="sesame") as house:
        for origin, is_answered in ((inner, True), ("https://evil.example", False)):
            answer = await house.get("/healthz", f"Origin: {origin}", host=host)
            assert (200 if is_answered else 403) == answer.status
        assert 403 == (await house.get("/healthz", f"Origin: {public}", host=host)).status
        assert 401 == (await house.get("/metrics", host=host)).status


def test_every_file_is_on_the_page():
    readme = text_of("README.md")
    files = {str(path.relative_to(OPS)) for path in OPS.rglob("*") if path.is_file()}
    assert files - {"README.md"} == {
        target for target in re.findall(r"\]\(([^):#]+)\)", readme) if not target.startswith("..")
    }
    for target in re.findall(r"\]\((\.\.[^):#]+)", readme):
        assert (OPS / target).exists(), target
