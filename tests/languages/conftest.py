"""Fixtures of the client libraries' tests."""

import pytest

from e2e.conftest import started  # noqa: F401 - a fixture
from languages.language import every


@pytest.fixture
def commands(request):
    """The starters' commands of the language that the test asks for by parameter."""
    language = needed(request.param)
    return language.commands(language.built())


def needed(name):
    """A language by name; the test is left out where its toolchain isn't there."""
    language = every()[name]
    if language.missing and language.optional:
        pytest.xfail(f"{language.name}: {language.missing}")
    if language.missing:
        pytest.skip(f"{language.name}: {language.missing}")
    return language
