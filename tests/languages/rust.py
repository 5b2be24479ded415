"""Rust: the crate `lanista-client`, built, tested and checked by cargo, without any registry."""

from languages.language import CLIENTS, EMPTY_BOTS, GAMES, Language, Step

CRATE = CLIENTS / "rust"
FROZEN = ("--frozen", "--quiet")


def cargo(folder, *words):
    """A cargo command in the crate; whatever it makes or remembers is in the folder."""
    env = {
        "CARGO_HOME": str(folder / "cargo-home"),
        "CARGO_TARGET_DIR": str(folder / "target"),
        "CARGO_INCREMENTAL": "0",
        "CARGO_PROFILE_DEV_DEBUG": "0",  # a quarter less to compile; tests inherit it
        "RUSTDOCFLAGS": "-D warnings",
        **{f"LANISTA_{name}": "" for name in ("NAME", "HOST", "PORT", "TOKEN", "TLS", "QUIET")},
    }
    return Step(words=["cargo", *words], cwd=CRATE, env=env)


def build(folder):
    """The starters, which are the crate's examples, and the tests, which share its library."""
    cargo(folder, "build", *FROZEN, "--lib", "--examples").run()
    cargo(folder, "test", *FROZEN, "--no-run", "--lib", "--tests").run()


def commands(folder):
    """The starters."""
    return {game: [folder / "target" / "debug" / "examples" / game] for game in GAMES}


def build_empty(folder):
    """A lone file that gets the built library."""
    cargo(folder, "build", *FROZEN, "--release", "--lib").run()
    made = folder / "target" / "release"
    Step(
        words=[
            *("rustc", "--edition", "2021", "-C", "opt-level=1", "-D", "warnings"),
            *("-L", f"dependency={made / 'deps'}"),
            *("--extern", f"lanista_client={made / 'liblanista_client.rlib'}"),
            *("-o", folder / "empty", EMPTY_BOTS / "empty.rs"),
        ]
    ).run()
    return [folder / "empty"]


def own_tests(built, _folder):
    """Tests, the README's code too.

    Named apart, for together they would compile the starters once more.
    """
    test = ("test", *FROZEN)
    return [cargo(built, *test, "--lib", "--tests"), cargo(built, *test, "--doc")]


LANGUAGE = Language(
    name="rust",
    programs=("cargo", "rustc"),
    package="cargo",
    tools=(["cargo", "--version"], ["rustc", "--version"]),
    build=build,
    commands=commands,
    build_empty=build_empty,
    own_tests=own_tests,
)
