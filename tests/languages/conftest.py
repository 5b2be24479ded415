"""Fixtures of the client libraries' tests."""

import pytest

from languages.language import built_once, every


@pytest.fixture
def commands(request, shared_folder):
    """The built bots' commands of the language that the test asks for by parameter."""
    language = needed(request.param)
    return built_once(language, shared_folder)


def needed(name):
    """A language by name; the test is left out where its toolchain isn't there."""
    language = every()[name]
    if language.missing and language.optional:
        pytest.xfail(f"{language.name}: {language.missing}")
    if language.missing:
        pytest.skip(f"{language.name}: {language.missing}")
    return language
