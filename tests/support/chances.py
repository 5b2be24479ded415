"""Sources of chance for tests, besides that of `lanista.games.testing`."""


class LowestChance:
    """A source whose draws are all 0."""

    def below(self, n: int, why: str) -> int:  # noqa: ARG002 - the interface's arguments
        """Return 0."""
        return 0


class HighestChance:
    """A source whose draws are all the highest possible value."""

    def below(self, n: int, why: str) -> int:  # noqa: ARG002 - the interface's arguments
        """Return n - 1."""
        return n - 1
