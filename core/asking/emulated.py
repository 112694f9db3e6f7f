"""What the emulated endpoint says: its minds."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from core.asking.again import Exchange
from core.asking.prompt import one_line
from core.asking.replies import aligned
from core.asking.shaped import shaped
from core.asking.simulated import SAID
from core.asking.told import FIELD, ToldTruth, hear
from core.cancel import Cancel
from core.facts import Verdict
from core.ports import Answerer, Frame


class Mind(Protocol):
    """What answers a request. One call at a time."""

    @property
    def name(self) -> str: ...

    def say(self, body: Mapping[str, Any]) -> str:
        """Raises ValueError, KeyError, TypeError for a broken request."""
        ...


class Told:
    """An answerer that looks at the truth that a request tells; without one it skips everything."""

    def __init__(self, make: Callable[[ToldTruth], Answerer]) -> None:
        self._truth = ToldTruth()
        self._answerer = make(self._truth)

    @property
    def name(self) -> str:
        return self._answerer.name

    def say(self, body: Mapping[str, Any]) -> str:
        prompt, picture = asked(body)
        told = body.get(FIELD)
        if told is None:
            return _skipped(prompt, body)
        heard = hear(told, prompt, self._truth)
        frame = Frame(_digest(picture), viewpoint=heard.viewpoint, png=picture)
        call = self._answerer.answer(frame, heard.queries, heard.turn, Cancel())
        if not _format(body) and aligned(call.said, len(heard.queries)):
            return call.said
        answers = zip(heard.queries, call.answers, strict=True)
        return _worded((query.about_atom(answer.verdict) for query, answer in answers), body)


class Blind:
    """An answerer that needs neither truth nor picture, such as a script."""

    def __init__(self, answerer: Answerer) -> None:
        self._answerer = answerer

    @property
    def name(self) -> str:
        return self._answerer.name

    def say(self, body: Mapping[str, Any]) -> str:
        asked(body)
        return self._answerer.answer(Frame(""), (), 0, Cancel()).said


class Remembering:
    """A recorded episode: what was last answered to the same words about the same picture; else "skip"."""

    def __init__(self, exchanges: Iterable[Exchange], name: str) -> None:
        self.name = name
        self._said: dict[str, dict[str, Verdict]] = {}  # by text: picture -> about the text
        for exchange in exchanges:
            for query, answer in zip(exchange.queries, exchange.call.answers, strict=True):
                about_text = query.about_atom(answer.verdict)  # turned once more
                self._said.setdefault(one_line(query.text), {})[exchange.frame.id] = about_text

    def say(self, body: Mapping[str, Any]) -> str:
        prompt, picture = asked(body)
        longest_first = sorted(self._said, key=len, reverse=True)
        known = re.findall("|".join(map(re.escape, longest_first)), prompt) if self._said else []
        if len(known) != max(1, prompt.count("?")):
            return _skipped(prompt, body)
        frame = _digest(picture)
        return _worded((self._said[text].get(frame, Verdict.UNKNOWN) for text in known), body)


def _worded(verdicts: Iterable[Verdict], body: Mapping[str, Any]) -> str:
    """As the prompt asks, in JSON of our own shape, or in that of a schema."""
    words = [SAID[verdict] for verdict in verdicts]
    wanted = _format(body)
    if not wanted:
        return ";".join(words)
    if wanted["type"] == "json_schema":
        return json.dumps(shaped(wanted["json_schema"]["schema"], words or ["skip"]))
    return json.dumps({"answers": [{"number": n, "answer": w} for n, w in enumerate(words, 1)]})


def _skipped(prompt: str, body: Mapping[str, Any]) -> str:
    """A "skip" for each question mark."""
    return _worded([Verdict.UNKNOWN] * min(1000, max(1, prompt.count("?"))), body)


def _format(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """The format of JSON that is asked for, an empty one where it is text."""
    wanted: Mapping[str, Any] = body.get("response_format") or {}
    return {} if wanted.get("type") == "text" else wanted


def _digest(picture: bytes) -> str:
    return hashlib.sha256(picture).hexdigest()


def asked(body: Mapping[str, Any]) -> tuple[str, bytes]:
    """The text of the last message, and its first picture (b"" without one)."""
    content = body["messages"][-1].get("content") or ""
    if isinstance(content, str):
        return content, b""
    text = "\n".join(part.get("text", "") for part in content if part["type"] == "text")
    urls = [part["image_url"]["url"] for part in content if part.get("image_url")]
    try:
        return text, base64.b64decode(urls[0].partition(",")[2], validate=True) if urls else b""
    except binascii.Error as error:
        raise ValueError("the picture is not base64") from error
