"""Rust: the crate `lanista-client`, built, tested and checked by cargo, without any registry."""

import subprocess

from languages.language import CLIENTS, EMPTY_BOTS, Language, Step

CRATE = CLIENTS / "rust"
STARTERS = ("angrymob", "hogwarts", "crematoria")


def cargo(folder, *words):
    """A cargo command in the crate; whatever it makes or remembers is in the folder."""
    env = {
        "CARGO_HOME": str(folder / "cargo-home"),
        "CARGO_TARGET_DIR": str(folder / "target"),
        "CARGO_INCREMENTAL": "0",
        "RUSTDOCFLAGS": "-D warnings",
        **{f"LANISTA_{name}": "" for name in ("NAME", "HOST", "PORT", "TOKEN")},
    }
    return Step(words=["cargo", *words], cwd=CRATE, env=env)


def build(folder):
    """The starters are the crate's examples; `empty` is a lone file that gets the built library."""
    cargo(folder, "build", "--frozen", "--quiet", "--release", "--lib", "--examples").run()
    made = folder / "target" / "release"
    Step(
        words=[
            *("rustc", "--edition", "2021", "-C", "opt-level=1", "-D", "warnings"),
            *("-L", f"dependency={made / 'deps'}"),
            *("--extern", f"lanista_client={made / 'liblanista_client.rlib'}"),
            *("-o", folder / "empty", EMPTY_BOTS / "empty.rs"),
        ]
    ).run()
    bots = {game: [made / "examples" / game] for game in STARTERS}
    return bots | {"empty": [folder / "empty"]}


def own_tests(folder):
    """Tests, the README's code too; formatter and linter where the toolchain has them."""
    test = ("test", "--frozen", "--quiet")
    # Named apart, for together they would compile the starters once more.
    steps = [cargo(folder, *test, "--lib", "--tests"), cargo(folder, *test, "--doc")]
    if has("fmt"):
        steps.append(cargo(folder, "fmt", "--check"))
    if has("clippy"):
        strict = ("--all-targets", "--", "-D", "warnings")
        steps.append(cargo(folder, "clippy", "--frozen", "--quiet", *strict))
    return steps


def has(part):
    """Whether cargo has a command that is a component of its own."""
    asked = subprocess.run(["cargo", part, "--version"], capture_output=True)
    return asked.returncode == 0


LANGUAGE = Language(
    name="rust",
    programs=("cargo", "rustc"),
    package="cargo rustfmt rust-clippy",
    build=build,
    own_tests=own_tests,
)
