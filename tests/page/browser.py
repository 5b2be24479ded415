"""Driving the page in Debian's Chromium: what its tests and the pictures of docs/page/ share.

No plugin: pytest's own fixtures start one browser a process and one context a test. Whatever a
page says on its console above a note, any uncaught error, any dialog and any request that would
leave this machine is a complaint, which fails the test. What a page looks like is no business of
this module.
"""

import re
import shutil
from urllib.parse import urlsplit

from playwright.sync_api import expect, sync_playwright

OPTIONS = (
    "--no-sandbox",  # root has none; the pages are ours
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE = 60_000
"""Milliseconds to wait for what is to happen: machines are busy."""
DESK = {"width": 1280, "height": 720}
PHONE = {"width": 390, "height": 844}
NARROW = {"width": 360, "height": 640}
ON_ITS_SIDE = {"width": 640, "height": 360}


def chromium():
    """The browser's path, or None; the one without windows takes half the time."""
    return shutil.which("chromium-headless-shell") or shutil.which("chromium")


class Browser:
    """A Chromium of this process."""

    def __init__(self):
        expect.set_options(timeout=PATIENCE)
        self._playwright = sync_playwright().start()
        self._chromium = self._playwright.chromium.launch(
            executable_path=chromium(), args=list(OPTIONS)
        )

    def visit(
        self,
        *,
        size=None,
        theme="dark",
        offline=False,
        touch=False,
        movement=True,
        locale="en-GB",
        scripts=True,
    ):
        """A context of its own: somebody with a window of this size, who prefers these things."""
        return Visit(
            self._chromium.new_context(
                viewport=size or DESK,
                color_scheme=theme,
                offline=offline,
                has_touch=touch,
                reduced_motion="no-preference" if movement else "reduce",
                # Pictures and texts come out alike wherever they are made.
                locale=locale,
                java_script_enabled=scripts,
                timezone_id="UTC",
            )
        )

    def close(self):
        self._chromium.close()
        self._playwright.stop()


class Visit:
    """Somebody's browser window: pages of one context, and what went wrong in them."""

    def __init__(self, context):
        self.context = context
        self.requests = []
        self._complaints = []
        self._pardoned = []
        context.set_default_timeout(PATIENCE)
        context.on("request", self._requested)
        context.on("weberror", lambda error: self._complaints.append(str(error.error.stack)))
        context.on("console", self._said)
        context.on("dialog", self._asked)

    def open(self, url):
        """A page on an address."""
        page = self.context.new_page()
        page.goto(url)
        return page

    def pardon(self, pattern):
        """Complaints that match this are the test's own doing."""
        self._pardoned.append(re.compile(pattern))

    @property
    def complaints(self):
        """What went wrong so far."""
        return [
            words
            for words in self._complaints
            if not any(pattern.search(words) for pattern in self._pardoned)
        ]

    def _requested(self, request):
        self.requests.append(request.url)
        parts = urlsplit(request.url)
        if parts.scheme in {"http", "https", "ws", "wss"} and parts.hostname != "127.0.0.1":
            self._complaints.append(f"asked for {request.url}")

    def _said(self, message):
        if message.type in {"error", "warning"}:
            where = message.location["url"]
            self._complaints.append(f"{message.type}: {message.text} ({where})")

    def _asked(self, dialog):
        self._complaints.append(f"a dialog: {dialog.message}")
        dialog.dismiss()

    def close(self):
        self.context.close()
