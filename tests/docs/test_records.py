"""docs/records.md: it tells every key of a record."""

import attrs

from docs.pages import DOCS
from lanista.match import record
from lanista.match.clock import ClockInfo
from lanista.match.conditions import LadderInfo


def test_the_page_tells_every_key():
    page = (DOCS / "records.md").read_text(encoding="utf-8")
    kinds = [kind for name, kind in vars(record).items() if name.endswith("Info")]
    assert {ClockInfo, LadderInfo} < set(kinds)
    keys = [key.name for kind in (record.Header, *kinds) for key in attrs.fields(kind)]
    assert [] == [key for key in keys if f"`{key}`" not in page]
