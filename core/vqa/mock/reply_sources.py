"""Make the mock server's replies: as text, or as JSON where a request asks for that."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from core.belief import Verdict
from core.ports import Answerer, Frame
from core.stop_token import StopToken
from core.vqa.answerers.simulated import VERDICT_WORDS
from core.vqa.mock.truth_sideband import FIELD, SidebandTruth, decode_questions
from core.vqa.prompt import as_one_question
from core.vqa.reask import Exchange
from core.vqa.replies.reply_parser import count_matches


class ReplySource(Protocol):
    """A source of replies. One call at a time."""

    @property
    def name(self) -> str: ...

    def reply(self, body: Mapping[str, Any]) -> str:
        """Reply to a request. Raises ValueError, KeyError, TypeError if it is malformed."""


class ProfileSource:
    """Replies of an answerer that reads the truth sent with a request; without it, it skips everything."""

    def __init__(self, make: Callable[[SidebandTruth], Answerer]) -> None:
        self._truth = SidebandTruth()
        self._answerer = make(self._truth)

    @property
    def name(self) -> str:
        return self._answerer.name

    def reply(self, body: Mapping[str, Any]) -> str:
        prompt, picture = prompt_and_picture(body)
        payload = body.get(FIELD)
        if payload is None:
            return _skip_all(prompt, body)
        decoded = decode_questions(payload, prompt, self._truth)
        frame = Frame(_digest(picture), viewpoint=decoded.viewpoint, png=picture)
        call = self._answerer.answer(frame, decoded.queries, decoded.turn, StopToken())
        if not _wants_json(body) and count_matches(call.raw_reply, len(decoded.queries)):
            return call.raw_reply
        answers = zip(decoded.queries, call.answers, strict=True)
        return _format_verdicts((query.text_verdict(answer.verdict) for query, answer in answers), body)


class ScriptSource:
    """Replies of an answerer that needs neither truth nor picture, such as a script."""

    def __init__(self, answerer: Answerer) -> None:
        self._answerer = answerer

    @property
    def name(self) -> str:
        return self._answerer.name

    def reply(self, body: Mapping[str, Any]) -> str:
        prompt_and_picture(body)
        return self._answerer.answer(Frame(""), (), 0, StopToken()).raw_reply


class ReplaySource:
    """Replies of a recorded episode: the last answer to the same text about the same picture, else "skip"."""

    def __init__(self, exchanges: Iterable[Exchange], name: str) -> None:
        self.name = name
        self._verdicts: dict[str, dict[str, Verdict]] = {}  # by text: picture -> about the text
        for exchange in exchanges:
            for query, answer in zip(exchange.queries, exchange.call.answers, strict=True):
                about_text = query.text_verdict(answer.verdict)  # from the atom back to the text
                self._verdicts.setdefault(as_one_question(query.text), {})[exchange.frame.id] = about_text

    def reply(self, body: Mapping[str, Any]) -> str:
        prompt, picture = prompt_and_picture(body)
        longest_first = sorted(self._verdicts, key=len, reverse=True)
        known = re.findall("|".join(map(re.escape, longest_first)), prompt) if self._verdicts else []
        if len(known) != max(1, prompt.count("?")):
            return _skip_all(prompt, body)
        frame = _digest(picture)
        return _format_verdicts((self._verdicts[text].get(frame, Verdict.UNKNOWN) for text in known), body)


def _format_verdicts(verdicts: Iterable[Verdict], body: Mapping[str, Any]) -> str:
    """Format the verdicts as the prompt asks, or in the JSON that our own schema asks for."""
    words = [VERDICT_WORDS[verdict] for verdict in verdicts]
    if not _wants_json(body):
        return ";".join(words)
    return json.dumps({"answers": [{"number": n, "answer": w} for n, w in enumerate(words, 1)]})


def _skip_all(prompt: str, body: Mapping[str, Any]) -> str:
    """Return a "skip" for each question mark."""
    return _format_verdicts([Verdict.UNKNOWN] * min(1000, max(1, prompt.count("?"))), body)


def _wants_json(body: Mapping[str, Any]) -> bool:
    return body.get("response_format") not in (None, {"type": "text"})


def _digest(picture: bytes) -> str:
    return hashlib.sha256(picture).hexdigest()


def prompt_and_picture(body: Mapping[str, Any]) -> tuple[str, bytes]:
    """Return the text of the last message, and its first picture (b"" without one)."""
    content = body["messages"][-1].get("content") or ""
    if isinstance(content, str):
        return content, b""
    text = "\n".join(part.get("text", "") for part in content if part["type"] == "text")
    urls = [part["image_url"]["url"] for part in content if part.get("image_url")]
    try:
        return text, base64.b64decode(urls[0].partition(",")[2], validate=True) if urls else b""
    except binascii.Error as error:
        raise ValueError("the picture is not base64") from error
