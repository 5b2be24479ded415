"""Requests of authors and the operator about programs that were handed in (docs/api.md)."""

import re
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

import attrs
import orjson
import trio

from lanista.arena.submission_queue import AllSubmissions
from lanista.arena.submissions import LadderSubmissions
from lanista.bots.building import ENDINGS
from lanista.errors import RefusedError, did_you_mean
from lanista.page.answers import Answer, bad_request, forbidden, json_answer, not_found
from lanista.page.authorization import Asked, Authorization
from lanista.results.names import key_of
from lanista.results.submissions import MAX_WHY, Author, Version

_FORM = re.compile(rb"--[^\r\n]{1,200}\r\nContent-Disposition: form-data", re.IGNORECASE)
"""The beginning of a form with files, as `curl -F` sends it."""


@attrs.define(eq=False)
class SubmissionRoutes:
    """Answers requests about what was handed in to ladders."""

    submissions: AllSubmissions
    authorization: Authorization

    async def get(self, asked: Asked, ladder: str) -> Answer:
        """Answer with what can be handed in, and with the versions that whoever asks may see."""
        submissions = self._of(ladder)
        about = self._about(submissions)
        visitor = await self.authorization.visitor(asked)
        if visitor.names:
            ((name, own),) = visitor.names.items()
            try:
                author = submissions.author(own.key, own.registered)
            except RefusedError:  # it can still hand in something
                author = Author(name=name, owner="")
            return json_answer(about | _author_json(submissions, author))
        if not visitor.operator:
            return json_answer(about)
        authors = []
        for author in list(submissions.authors.values()):
            authors.append(orjson.Fragment(json_answer(_author_json(submissions, author)).body))
            await trio.lowlevel.checkpoint()  # there may be hundreds, with many versions
        return asked.large(orjson.dumps(about | {"authors": authors}))

    async def get_version(self, asked: Asked, ladder: str, number: str) -> Answer:
        """Answer with a version, and with what its build and its check said."""
        submissions, author, version = await self._own(asked, ladder, number)
        output = await submissions.output(author.key, version.number)
        about = _version_json(submissions, author, version)
        return asked.large(json_answer(about | {"output": output}).body)

    async def get_source(self, asked: Asked, ladder: str, number: str) -> Answer:
        """Answer with a version as it was handed in."""
        submissions, author, version = await self._own(asked, ladder, number)
        asked.peer.hold(version.size)
        data = await submissions.source(author.key, version.number)
        return Answer(data, "application/octet-stream", version.file)

    async def hand_in(self, asked: Asked, ladder: str) -> Answer:
        """Take a new version, unless it has come after the deadline; then no name is registered."""
        received = datetime.now(UTC)
        submissions = self._of(ladder)
        if (file := asked.parameters.get("file")) is None:
            raise bad_request("say what the file is called, as …/submissions?file=mybot.py")
        submissions.check_file(file, self._endings(), asked.length, received)
        await self.authorization.author(asked, registers=True)
        asked.peer.hold(asked.length)
        data = await asked.peer.read_body(asked.length)
        # Meanwhile the operator may have given the name another token, or another owner.
        who = await self.authorization.author(asked)
        if _FORM.match(data):
            raise bad_request(
                "the body is a form; send the file as it is (curl --data-binary @FILE)"
            )
        version = await submissions.hand_in(who, file, data, received, asked.peer.address)
        answer = _version_json(submissions, submissions.author(who.key), version)
        return attrs.evolve(json_answer(answer), status=HTTPStatus.CREATED)

    async def change(self, asked: Asked, ladder: str, number: str, what: str) -> Answer:
        """Do what a name's owner asks for: `play` or `delete` a version, `pause` or `resume`."""
        submissions = self._of(ladder)
        who = await self.authorization.author(asked)
        if not number:
            author = await submissions.pause(who, paused=what == "pause")
        elif what == "play":
            author = await submissions.choose(who, int(number))
        else:
            author = await submissions.delete(who, int(number))
        return json_answer(_author_json(submissions, author))

    async def disable(self, asked: Asked, ladder: str, name: str) -> Answer:
        """Let a name hand in and play nothing more, or again without `why`; the operator asks."""
        await self.authorization.check_operator(asked)
        why = asked.parameters.get("why", "")
        if len(why) > MAX_WHY or not why.isprintable():
            raise bad_request(f"why is one line of at most {MAX_WHY} characters")
        submissions = self._of(ladder)
        author = await submissions.disable(name, why)
        return json_answer(_author_json(submissions, author))

    def _of(self, ladder: str) -> LadderSubmissions:
        submissions = self.submissions.ladders.get(ladder)
        if submissions is None:
            known = self.submissions.ladders
            raise not_found(
                f"there is no ladder {ladder!r} here to which programs are handed in; known: "
                f"{', '.join(known)}{did_you_mean(ladder, known)}"
            )
        return submissions

    async def _own(
        self, asked: Asked, ladder: str, number: str
    ) -> tuple[LadderSubmissions, Author, Version]:
        """Return the submissions of a ladder, those of the name whose owner asks, and a version."""
        submissions = self._of(ladder)
        visitor = await self.authorization.visitor(asked)
        name, registered = asked.parameters.get("name"), None
        if visitor.names:
            ((proved, own),) = visitor.names.items()
            registered = own.registered
            if name is not None and key_of(name) != key_of(proved):
                raise forbidden(f"this token is that of {proved}")
            name = proved
        elif not visitor.operator or name is None:
            raise RefusedError(
                HTTPStatus.UNAUTHORIZED,
                "send the name and its token as Basic authorization, or as the operator ?name=NAME",
            )
        author = submissions.author(key_of(name), registered)
        return submissions, author, submissions.version(author, int(number))

    def _endings(self) -> list[str]:
        """Return the endings of files that can be handed in: all until the languages are known."""
        known = self.submissions.tools.languages
        return [ending for ending, one in ENDINGS.items() if not known or one in {*known, "ZIP"}]

    def _about(self, submissions: LadderSubmissions) -> dict[str, Any]:
        spec, tools = submissions.spec, self.submissions.tools
        return {
            "ladder": submissions.room.spec.name,
            "game": submissions.room.ruleset.name,
            "open": submissions.is_open(),
            "closes": None if spec.closes is None else spec.closes.isoformat(),
            "languages": dict(tools.languages),
            "python_packages": dict(tools.packages),
            "endings": self._endings(),
            "max_bytes": spec.max_bytes,
            "versions_kept": spec.versions,
            "per_hour": spec.per_hour,
        }


def _author_json(submissions: LadderSubmissions, author: Author) -> dict[str, Any]:
    versions = [_version_json(submissions, author, each) for each in author.versions.values()]
    return {
        "name": author.name,
        "playing": author.playing,
        "paused": author.paused,
        "disabled": author.disabled,
        "versions": versions[::-1],
    }


def _version_json(
    submissions: LadderSubmissions, author: Author, version: Version
) -> dict[str, Any]:
    return {
        "version": version.number,
        "state": author.state_of(version),
        "file": version.file,
        "size": version.size,
        "sha256": version.sha256,
        "received": version.received,
        "why": version.why or submissions.room.why_failed(author.name, version.number),
        "findings": list(version.findings),
    }
