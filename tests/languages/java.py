"""Java 17: javac alone builds it; its own tests are programs with a `main`."""

import shutil

from languages.language import CHECKOUT, CLIENTS, EMPTY_BOTS, VECTORS, Language, Step

JAVA = CLIENTS / "java"
CERTIFICATES = CHECKOUT / "tests" / "arena" / "certificates"
STARTERS = {
    "angrymob": "AngryMobStarter",
    "hogwarts": "HogwartsStarter",
    "crematoria": "CrematoriaStarter",
}
LIGHT = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData")
"""For programs that live for a second or two: one thread for garbage, the quick compiler alone."""
STRICT = (
    *(f"-J{flag}" for flag in LIGHT),
    *("-encoding", "UTF-8", "--release", "17", "-proc:none", "-Xlint:all"),
)


def sources(*folders):
    """Every Java file in these folders, in an order that doesn't change."""
    found = [path for folder in folders for path in folder.rglob("*.java")]
    return sorted(path for path in found if "target" not in path.relative_to(JAVA).parts)


def build(folder):
    """One compilation for the library, the starters and the tests."""
    Step(words=["javac", *STRICT, "-d", folder, *sources(JAVA)]).run()


def commands(folder):
    """The starters."""
    java = [shutil.which("java"), *LIGHT, "-cp", folder]
    return {game: [*java, starter] for game, starter in STARTERS.items()}


def build_empty(folder):
    """The empty bot, and the library."""
    library = sources(JAVA / "src" / "main")
    Step(words=["javac", *STRICT, "-d", folder, *library, EMPTY_BOTS / "empty.java"]).run()
    return [shutil.which("java"), *LIGHT, "-cp", folder, "Empty"]


def own_tests(built, _folder):
    """The program that runs them all."""
    tests = ["java", *LIGHT, "-ea", "-cp", built, "org.lanista.client.AllTests"]
    files = [VECTORS / "conversations.jsonl", JAVA / "README.md", CERTIFICATES]
    return [Step(words=[*tests, *files], cwd=CHECKOUT)]


LANGUAGE = Language(
    name="java",
    programs=("javac", "java"),
    package="default-jdk-headless",
    tools=(["javac", *(f"-J{flag}" for flag in LIGHT), "-version"],),
    build=build,
    commands=commands,
    build_empty=build_empty,
    own_tests=own_tests,
)
