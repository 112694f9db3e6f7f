"""Make the mock server's replies: as text, or filled into the schema that a request asks for."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from core.belief import Verdict
from core.ports import Answerer, Frame
from core.stop_token import StopToken
from core.vqa.answerers.simulated import VERDICT_WORDS
from core.vqa.mock.request_schema import HttpError
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
        if not _response_format(body) and count_matches(call.raw_reply, len(decoded.queries)):
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
    """Format the verdicts as the prompt asks, in our own JSON format, or by a schema."""
    words = [VERDICT_WORDS[verdict] for verdict in verdicts]
    wanted = _response_format(body)
    if not wanted:
        return ";".join(words)
    if wanted["type"] == "json_schema":
        return json.dumps(fill_schema(wanted["json_schema"]["schema"], words or ["skip"]))
    return json.dumps({"answers": [{"number": n, "answer": w} for n, w in enumerate(words, 1)]})


def _skip_all(prompt: str, body: Mapping[str, Any]) -> str:
    """Return a "skip" for each question mark."""
    return _format_verdicts([Verdict.UNKNOWN] * min(1000, max(1, prompt.count("?"))), body)


def _response_format(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the requested JSON format, {} for text."""
    wanted: Mapping[str, Any] = body.get("response_format") or {}
    return {} if wanted.get("type") == "text" else wanted


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


MAX_DEPTH = 20
MAX_VALUES = 20_000
MAX_LIST_DEPTH = 5  # depth up to which a list has an item for each question


def fill_schema(schema: Mapping[str, Any], words: Sequence[str]) -> object:
    """Return a value that the schema allows. `words` are "yes", "no" and "skip"; a list has an item for each.

    Supported: type, properties, items, minItems, maxItems, enum, const, anyOf, oneOf, allOf, and $ref within
    the schema. Lengths, patterns and ranges are not. Raises HttpError for an endless schema.
    """
    return _SchemaFiller(schema, words).value(schema, 0, 0)


class _SchemaFiller:
    def __init__(self, root: Mapping[str, Any], words: Sequence[str]) -> None:
        self._root, self._words, self._left = root, words, MAX_VALUES

    def value(self, schema: object, place: int, depth: int) -> object:
        """Return the value for the question at `place`."""
        self._left -= 1
        if depth > MAX_DEPTH or self._left < 0:
            raise HttpError(400, "the schema asks for more than this server gives", param="response_format")
        if not isinstance(schema, Mapping):
            return self._words[place]
        if "$ref" in schema:
            return self.value(self._resolved(str(schema["$ref"])), place, depth + 1)
        for either in ("anyOf", "oneOf", "allOf"):
            if options := [o for o in schema.get(either, ()) if o != {"type": "null"}]:
                return self.value(options[0], place, depth + 1)
        if "const" in schema:
            return schema["const"]
        if schema.get("enum"):
            return self._one_of(schema["enum"], place)
        kinds = schema.get("type", "object" if "properties" in schema else "string")
        kind = next((k for k in kinds if k != "null"), "null") if isinstance(kinds, list) else kinds
        if kind == "object":
            return self._object(schema, place, depth)
        if kind == "array":
            last = len(self._words) - 1
            wanted = max(len(self._words) if depth < MAX_LIST_DEPTH else 1, int(schema.get("minItems", 0)))
            count = min(wanted, int(schema.get("maxItems", wanted)))
            return [self.value(schema.get("items"), min(n, last), depth + 1) for n in range(count)]
        word = self._words[place]
        return {"string": word, "boolean": word == "yes", "integer": place + 1, "number": place + 1}.get(kind)

    def _object(self, schema: Mapping[str, Any], place: int, depth: int) -> dict[str, object]:
        """Fill an object; outside a list, its yes/no properties take the words in turn."""
        found: dict[str, object] = {}
        for name, inner in schema.get("properties", {}).items():
            found[name] = self.value(inner, min(place, len(self._words) - 1), depth + 1)
            place += depth == 0 and _is_yes_no(inner)
        return found

    def _one_of(self, options: Sequence[object], place: int) -> object:
        word = self._words[place]
        return next((o for o in options if isinstance(o, str) and o.lower() == word), options[0])

    def _resolved(self, reference: str) -> object:
        found: object = self._root
        for step in reference.removeprefix("#").split("/"):
            if step:
                if not isinstance(found, Mapping) or step not in found:
                    raise HttpError(400, f"the schema has no {reference[:100]!r}", param="response_format")
                found = found[step]
        return found


def _is_yes_no(schema: object) -> bool:
    return isinstance(schema, Mapping) and (schema.get("type") == "boolean" or "enum" in schema)
