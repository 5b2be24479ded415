"""A match in one HTML file: whole, shown without a network, and no bot breaks out of it."""

import base64
import gzip
import hashlib
import html.parser
import json
import re

import pytest

from lanista.page.html import PAGE, bundle, joined, script, styles
from lanista.page.replay_reader import read_frames
from match.playing import answers
from page.records import AWAY, BACK, played, wandering

EVIL = "</script><img/x>&amp;<!--"


class Elements(html.parser.HTMLParser):
    """What a browser finds in a file: its elements with attributes and text, in their order."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.found = []
        self.inside = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.inside = []
        self.found.append((tag, dict(attributes), self.inside))

    def handle_endtag(self, _):
        self.inside = []

    def handle_data(self, data):
        self.inside.append(data)

    def all(self, tag):
        return [(about, "".join(text)) for name, about, text in self.found if name == tag]


def bundled(path):
    return b"".join(bundle(read_frames(path))).decode()


def match_in(text):
    """Return the head, frames and end in a file, unpacked as the page does."""
    scripts = Elements(text).all("script")
    (packed,) = [body for about, body in scripts if about.get("id") == "match-data"]
    return json.loads(gzip.decompress(base64.b64decode(packed)))


@pytest.fixture
def match(tmp_path):
    """A match of a bot whose name, answers and log are markup."""
    said = ("# </script><script>alert(1)</script>", "# <!--", "# ]]>")
    lines = zip(said, (AWAY, BACK, "--></style>"), strict=True)
    evil = answers(*("\n".join(each) for each in lines))
    hellos = (f"{EVIL} v=1", "Bob v=1")
    return played(tmp_path, evil, answers("", "", ""), hellos=hellos, settings={"move_limit": 6})


def test_the_match_is_in_it_unchanged(match):
    head, *frames, end = read_frames(match)
    data = json.loads(json.dumps({"head": head, "frames": frames, "end": end}))  # lists for tuples
    assert data == match_in(bundled(match))
    assert EVIL == head["players"][0]["name"]
    assert "alert(1)" in json.dumps(frames)


def test_two_matches_are_in_it_to_be_compared(match, tmp_path):
    other = wandering(tmp_path / "other", 3)
    difference = {"turn": 3}
    text = b"".join(bundle(read_frames(match), (read_frames(other), difference))).decode()
    both = {"a": match_in(bundled(match)), "b": match_in(bundled(other))}
    assert {**both, "difference": difference} == match_in(text)
    ((_, title),) = Elements(text).all("title")
    assert f"Angry Mob: {EVIL}, Bob / Angry Mob: Ann, Bob" == title


def test_nothing_a_bot_said_is_markup(match):
    """Names, answers and logs: the elements are those of a harmless match."""
    text = bundled(match)
    elements = Elements(text)
    names = [name for name, _, _ in elements.found]
    harmless = Elements(bundled(wandering(match.parent, 3)))
    assert [name for name, _, _ in harmless.found] == names
    assert "alert(1)" not in text
    ((_, title),) = elements.all("title")
    assert f"Angry Mob: {EVIL}, Bob" == title.strip()


def hash_of(text):
    """The source of a policy that allows this text alone."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_the_policy_allows_its_own_scripts_and_styles_alone(match):
    """Every inline script and style has its hash; nothing may be fetched or sent."""
    elements = Elements(bundled(match))
    (policy,) = [
        about["content"]
        for about, _ in elements.all("meta")
        if about.get("http-equiv") == "Content-Security-Policy"
    ]
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert "'none'" == rules["default-src"]
    assert not any("unsafe" in rule or "http" in rule for rule in rules.values())
    assert "connect-src" not in rules
    scripts = [
        text for about, text in elements.all("script") if about.get("type", "") in {"", "module"}
    ]
    assert 2 == len(scripts)
    assert set(map(hash_of, scripts)) == set(rules["script-src"].split())
    ((_, style),) = elements.all("style")
    assert hash_of(style) == rules["style-src"]


def test_no_text_becomes_markup_in_the_page():
    """Whoever wrote it, and wherever it is shown: nothing of its script reads markup."""
    ways = r"(?:inner|outer)HTML|insertAdjacentHTML|setHTML|srcdoc|createContextualFragment"
    found = re.findall(rf"{ways}|DOMParser|document\.write|\beval\(|new Function\b", joined())
    assert [] == found


def test_the_same_match_gives_the_same_file(match):
    assert bundled(match) == bundled(match)


def test_the_page_can_be_one_file():
    """Its imports and exports are all understood, and none of its files ends its own element."""
    assert [] == re.findall(r"\n(?:import|export)\b[^\n]*", joined())
    index = (PAGE / "index.html").read_text(encoding="utf-8")
    assert index.count('rel="stylesheet"') == len(re.findall(r'stylesheet" href="/page/', index))
    assert [] == re.findall(r"@import|url\(", styles())
    assert [] == re.findall(r"(?i)</(?:script|style)|<!--", script() + styles())


def test_a_match_is_packed_as_it_is_read(match):
    """A long match isn't held as a whole: the parts come in pieces, whole lines each."""
    parts = list(bundle(read_frames(match)))
    assert len(parts) >= 3
    assert all(len(line) <= 76 for part in parts[1:-1] for line in part.split(b"\n"))


def test_damaged_data_is_reported_in_the_page(visit, tmp_path, match):
    """Half a download: words, not an empty page."""
    text = bundled(match)
    start = text.index('id="match-data">') + len('id="match-data">')
    file = tmp_path / "match.html"
    file.write_text(text[:start] + "\n" + text[start + 100 :], encoding="utf-8")
    page = visit(offline=True).open(file.as_uri())
    page.get_by_text("can't be shown", exact=False).first.wait_for()
