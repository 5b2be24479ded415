"""Java 17: javac alone builds it; its own tests are programs with a `main`."""

import shutil

from languages.language import CHECKOUT, CLIENTS, EMPTY_BOTS, VECTORS, Language, Step

JAVA = CLIENTS / "java"
LIGHT = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData")
"""For programs that live for a second or two: one thread for garbage, the quick compiler alone."""
STRICT = (
    *(f"-J{flag}" for flag in LIGHT),
    *("-encoding", "UTF-8", "--release", "17", "-proc:none", "-Xlint:all", "-Werror"),
)


def sources(*folders):
    """Every Java file in these folders, in an order that doesn't change."""
    found = [path for folder in folders for path in folder.rglob("*.java")]
    return sorted(path for path in found if "target" not in path.relative_to(JAVA).parts)


def build(folder):
    """One compilation for the library and all bots."""
    classes = folder / "classes"
    library = sources(JAVA / "src" / "main", JAVA / "starters")
    bots = {
        "angrymob": "AngryMobStarter",
        "hogwarts": "HogwartsStarter",
        "crematoria": "CrematoriaStarter",
        "empty": "Empty",
    }
    Step(words=["javac", *STRICT, "-d", classes, *library, EMPTY_BOTS / "empty.java"]).run()
    java = [shutil.which("java"), *LIGHT, "-cp", classes]
    return {name: [*java, bot] for name, bot in bots.items()}


def own_tests(folder):
    """The compiler with all its warnings, those about doc comments too; then the tests."""
    classes = folder / "classes"
    files = sources(JAVA)
    comments = ("-Xdoclint:all/protected", "-Xdoclint/package:org.lanista.client")
    compiled = ["javac", *STRICT, *comments, "-d", classes, *files]
    tests = ["java", *LIGHT, "-ea", "-cp", classes, "org.lanista.client.AllTests"]
    return [
        Step(words=compiled),
        Step(words=[*tests, VECTORS / "conversations.jsonl", JAVA / "README.md"], cwd=CHECKOUT),
    ]


LANGUAGE = Language(
    name="java",
    programs=("javac", "java"),
    package="default-jdk-headless",
    build=build,
    own_tests=own_tests,
)
