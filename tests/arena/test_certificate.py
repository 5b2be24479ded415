"""Certificates and keys, as files that an operator names (docs/arena.md).

Those of `certificates` were made by `openssl ca`, all but `other.key` and those of localhost with
the same key; none of them is anybody's.
"""

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lanista.arena.tls import CertificateError, load, validity

FILES = Path(__file__).parent / "certificates"
KEY = FILES / "arena.key"


@pytest.mark.parametrize(
    ("name", "since", "until"),
    [("valid", 2020, 2120), ("expired", 2020, 2020), ("future", 2099, 2199)],
)
def test_the_times_of_a_certificate_are_known_whenever_it_is_valid(name, since, until):
    certificate = FILES / f"{name}.pem"
    begin, end = validity(load(certificate, KEY), certificate)
    assert datetime(since, 1, 1, tzinfo=UTC) == begin
    assert until == end.year
    assert begin < end


def test_both_may_be_in_one_file(tmp_path):
    """The key may come first."""
    both = tmp_path / "both.pem"
    both.write_bytes(KEY.read_bytes() + (FILES / "valid.pem").read_bytes())
    assert 2120 == validity(load(both, both), both)[1].year


@pytest.mark.parametrize(
    ("certificate", "key", "expected"),
    [
        ("valid.pem", "other.key", ("key", "not the private key of {certificate} in PEM")),
        ("valid.pem", "encrypted.key", ("key", "not the private key of {certificate} in PEM")),
        ("valid.pem", "valid.pem", ("key", "not the private key of {certificate} in PEM")),
        ("valid.pem", "garbage", ("key", "not the private key of {certificate} in PEM")),
        ("valid.pem", "missing", ("key", "can't be read: No such file or directory")),
        ("valid.pem", ".", ("key", "can't be read: Is a directory")),
        ("arena.key", "arena.key", ("certificate", "no certificate in PEM")),
        ("garbage", "arena.key", ("certificate", "no certificate in PEM")),
        ("missing", "arena.key", ("certificate", "can't be read: No such file or directory")),
        ("cut.pem", "arena.key", ("certificate", "no certificate in PEM")),
    ],
)
def test_each_mistake_names_its_file(tmp_path, certificate, key, expected):
    for file in FILES.iterdir():
        shutil.copy(file, tmp_path)
    (tmp_path / "garbage").write_bytes(bytes(range(256)))
    (tmp_path / "cut.pem").write_bytes((FILES / "valid.pem").read_bytes()[:200])
    certificate, key = tmp_path / certificate, tmp_path / key

    with pytest.raises(CertificateError) as caught:
        load(certificate, key)

    name, message = expected
    blamed = certificate if name == "certificate" else key
    begin = f"tls.{name}: {blamed}: {message.format(certificate=certificate)}"
    assert str(caught.value).startswith(begin)
    assert "\n" not in str(caught.value)


def test_a_certificate_that_no_client_takes_from_a_server_is_refused():
    certificate = FILES / "client.pem"
    with pytest.raises(CertificateError, match="would refuse it: unsuitable certificate purpose"):
        validity(load(certificate, KEY), certificate)
