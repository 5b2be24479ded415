"""For the tests of any ruleset, also another package's: scripted chance, conformance suite.

Never imported by anything that plays.
"""

import attrs


class UnexpectedDrawError(AssertionError):
    """A ruleset drew something else than the script of a test says."""


@attrs.define
class ScriptedChance:
    """Gives the draws of a script and fails on any other.

    A script is a list of (why, n, value): the draw below n for that reason gives value.
    """

    script: list[tuple[str, int, int]]

    def below(self, n: int, why: str) -> int:
        """The script's next value, if it is for this draw."""
        if not self.script:
            raise UnexpectedDrawError(f"a draw below {n} ({why}) after the script's end")
        expected_why, expected_n, value = self.script.pop(0)
        if (expected_why, expected_n) != (why, n):
            raise UnexpectedDrawError(
                f"a draw below {n} ({why}); the script says below {expected_n} ({expected_why})"
            )
        return value


class LowestChance:
    """Every draw gives 0."""

    def below(self, n: int, why: str) -> int:  # noqa: ARG002 - the interface's arguments
        """0."""
        return 0


class HighestChance:
    """Every draw gives the highest value."""

    def below(self, n: int, why: str) -> int:  # noqa: ARG002 - the interface's arguments
        """N - 1."""
        return n - 1
